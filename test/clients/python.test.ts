import { type ChildProcessWithoutNullStreams, execFile, spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { ipynb, makeFolder, startService, upload } from "../http/service.js";
import { requires } from "../require.js";

const folder = fileURLToPath(new URL("../../clients/python", import.meta.url));
const python = process.env.CELREC_TEST_PYTHON ?? "python3";
const hasPython = requires("python", await canRun(), "install Python 3.9 or newer");

const SCRIPT = `
import json, sys
from celrec import Celrec, CelrecError
celrec = Celrec(sys.argv[1], token="0123456789abcdef")
notebook = json.loads(sys.argv[2])
uploaded = celrec.upload("a b.ipynb", notebook, source="mine")["notebooks"][0]
answer = celrec.recommend("model.fit(", k=1, mode="complete", before=["import x"], markdown="fit")
hit = answer["recommendations"][0]
cell = celrec.cell(hit["id"])
listed = [each["name"] for each in celrec.notebooks(page=1)]
label = celrec.label("model.fit(X, y)")["primary"]
cells = celrec.label_notebook(notebook)["cells"]
try:
    celrec.recommend("x", k=0)
except CelrecError as error:
    refused = [error.status, str(error)]
for call in (celrec.delete, celrec.notebook, celrec.cell):
    try:
        call("../index")
    except CelrecError as error:
        refused.append(error.status)
counts = celrec.labels()["train_model"]
name = celrec.notebook(uploaded["id"])["name"]
celrec.delete(uploaded["id"])
celrec.clear()
print(json.dumps([uploaded["new"], hit["code"], cell["count"], listed, label, len(cells), refused, counts, name, celrec.stats()["cells"]]))
`;

const MORE = `
import json, sys
from celrec import Celrec, CelrecError
celrec = Celrec(sys.argv[1])
celrec.upload("a.ipynb", json.loads(sys.argv[2]), source="mine")
celrec.upload("b.ipynb", json.loads(sys.argv[2]), source="mine")
answer = celrec.recommend("model.fit(", mode="auto", before=["import x"], variables={"df": "DataFrame"}, context={"markdown": "fit"})
hit = answer["recommendations"][0]
sent = []
celrec._call = lambda method, path, query=None, body=None: sent.append(body["context"])
celrec.recommend("x", before=["a"], context={"markdown": "m", "before": ["b"]})
del celrec._call
errors = []
for call in (lambda: Celrec("http://127.0.0.1:1").stats(), lambda: [celrec.stats() for _ in range(20)]):
    try:
        call()
    except CelrecError as error:
        errors.append([error.status, str(error), error.retry_after])
print(json.dumps([answer["mode"], answer["highestConfidence"] is None, hit["continuesLine"], hit["adapted"]["code"], sent, errors]))
`;

const COMPLETE = `
import json, sys
from celrec import Celrec, CelrecError
celrec = Celrec(sys.argv[1])
answer = celrec.complete("df.", k=2, before=["import pandas as pd"])
try:
    celrec.complete("df.", k=9)
except CelrecError as error:
    refused = [error.status, str(error)]
sent = []
celrec._call = lambda method, path, query=None, body=None: sent.append([method, path, body])
celrec.complete("a")
celrec.complete("a", suffix="b", max_lines=2, after=["c"], variables={"df": {"type": "DataFrame"}}, context={"markdown": "m"}, minConfidence=0)
print(json.dumps([sorted(answer), isinstance(answer["completions"], list), refused, sent]))
`;

const SOURCES = `
import json, sys
from celrec import Celrec
celrec = Celrec(sys.argv[1])
notebook = json.loads(sys.argv[2])
first = celrec.upload("a.ipynb", notebook, source="mine")["notebooks"][0]["id"]
celrec.upload("b.ipynb", notebook, source="mine")
alike = [sorted(each["name"] for each in celrec.similar(given)) for given in (first, notebook)]
sources = celrec.sources()
events = celrec.feedback_summary()["events"]
celrec.forget_source(sources[0]["id"])
print(json.dumps([alike, [[each["source"], each["notebooks"]] for each in sources], events, celrec.sources()]))
`;

const run = (script: string, url: string) =>
  new Promise<string>((resolve) =>
    execFile(
      python,
      ["-c", script, url, JSON.stringify(ipynb(["model.fit(X, y)"]))],
      { cwd: folder, env: { ...process.env, PYTHONDONTWRITEBYTECODE: "1" } },
      (_error, out, err) => resolve(out + err),
    ),
  );

describe.skipIf(!hasPython)("the Python client", () => {
  it("speaks with the service", async () => {
    const service = await startService({ CELREC_TOKEN: "0123456789abcdef" });
    const text = await run(SCRIPT, service.url);
    expect(JSON.parse(text)).toEqual([
      1,
      "model.fit(X, y)",
      1,
      ["a b.ipynb"],
      "train_model",
      1,
      [400, "`k` must be an integer from 1 to 100, not 0", 400, 400, 400],
      1,
      "a b.ipynb",
      0,
    ]);
  });

  it("knows modes, context, and errors with the time to wait", async () => {
    const service = await startService({ CELREC_RATE: "10" });
    const [mode, isUnknown, continues, adapted, sent, [down, limited]] = JSON.parse(await run(MORE, service.url));
    expect([mode, isUnknown, continues, adapted]).toEqual(["complete", true, true, "model.fit(X, y)"]);
    expect(sent).toEqual([{ markdown: "m", before: ["a"] }]);
    expect(down).toEqual([
      0,
      expect.stringMatching(
        /^The service at http:\/\/127\.0\.0\.1:1 does not answer \(.*refused.*\); is it running\?$/,
      ),
      null,
    ]);
    expect(limited.slice(0, 2)).toEqual([429, "More than 10 requests in a minute; wait before the next one."]);
    expect(limited[2]).toBeGreaterThanOrEqual(1);
  });

  it("completes at the cursor", async () => {
    const service = await startService();
    expect(JSON.parse(await run(COMPLETE, service.url))).toEqual([
      ["completions", "id", "took"],
      true,
      [400, "`k` must be an integer from 1 to 5, not 9"],
      [
        ["POST", "/v1/completions", { prefix: "a", k: 1, maxLines: 1 }],
        [
          "POST",
          "/v1/completions",
          {
            prefix: "a",
            k: 1,
            maxLines: 2,
            suffix: "b",
            context: { markdown: "m", after: ["c"], variables: { df: { type: "DataFrame" } } },
            minConfidence: 0,
          },
        ],
      ],
    ]);
  });

  it("knows similar notebooks, sources and the summary of feedback", async () => {
    const service = await startService({ CELREC_FEEDBACK: "on" });
    expect(JSON.parse(await run(SOURCES, service.url))).toEqual([
      [["b.ipynb"], ["a.ipynb", "b.ipynb"]],
      [["mine", 2]],
      { shown: 0, accepted: 0, edited: 0, dismissed: 0 },
      [],
    ]);
  });

  it("has an example that says how it is called, and outlives a notebook that is half written", async () => {
    const env = { ...process.env, PYTHONDONTWRITEBYTECODE: "1" };
    const said = await new Promise<string>((resolve) =>
      execFile(python, ["watch.py"], { cwd: folder, env }, (_error, out, err) => resolve(out + err)),
    );
    expect(said).toBe(
      "Watches a notebook, and prints what could follow its last cell each time it is saved: python watch.py NOTEBOOK.ipynb [URL]\n",
    );
    const service = await startService();
    await upload(service, "a.ipynb", ["model.fit(X, y)\nmodel.score(X, y)"]);
    const notebook = join(makeFolder(), "n.ipynb");
    const text = JSON.stringify(ipynb(["model.fit(X"]));
    writeFileSync(notebook, text.slice(0, 40));
    const child = spawn(python, ["watch.py", notebook, service.url], { cwd: folder, env });
    onTestFinished(() => void child.kill());
    setTimeout(() => writeFileSync(notebook, text), 500);
    expect((await readUntil(child, "score")).split("\n")[1]).toBe("model.fit(X, y)");
  });

  it("has an example that prints recommendations when a notebook is saved", async () => {
    const service = await startService();
    await upload(service, "a.ipynb", ["model.fit(X, y)\nmodel.score(X, y)"]);
    const notebook = join(makeFolder(), "n.ipynb");
    writeFileSync(notebook, JSON.stringify(ipynb(["model.fit(X"])));
    const child = spawn(python, ["watch.py", notebook, service.url], {
      cwd: folder,
      env: { ...process.env, PYTHONDONTWRITEBYTECODE: "1" },
    });
    onTestFinished(() => void child.kill());
    expect(await readUntil(child, "score")).toMatch(
      /^--- a\.ipynb \[0\] .*\nmodel\.fit\(X, y\)\nmodel\.score\(X, y\)\n$/,
    );
  });
});

/** What a process prints, up to the part that holds a word; what it complains of instead. */
function readUntil(child: ChildProcessWithoutNullStreams, word: string): Promise<string> {
  return new Promise((resolve) => {
    let text = "";
    child.stdout.on("data", (chunk) => {
      text += chunk;
      if (text.includes(word)) resolve(text);
    });
    child.stderr.on("data", (chunk) => resolve(String(chunk)));
  });
}

function canRun(): Promise<boolean> {
  return new Promise((resolve) =>
    execFile(python, ["-c", "import sys; assert sys.version_info >= (3, 9)"], (error) => resolve(error === null)),
  );
}
