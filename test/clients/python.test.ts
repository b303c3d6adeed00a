import { type ChildProcessWithoutNullStreams, execFile, spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { createClient } from "../../src/ask/client.js";
import { ipynb, makeFolder, startService, upload } from "../http/service.js";
import { requires } from "../require.js";

const folder = fileURLToPath(new URL("../../clients/python", import.meta.url));
const python = process.env.CELREC_TEST_PYTHON ?? "python3";
const hasPython = requires("python", await canRun(), "install Python 3.9 or newer");

const SCRIPT = `
import json, sys
from celrec_client import Celrec, CelrecError
celrec = Celrec(sys.argv[1], token="0123456789abcdef")
notebook = json.loads(sys.argv[2])
uploaded = celrec.upload("a b.ipynb", notebook, source="mine")["notebooks"][0]
context = {"before": ["import x"], "markdown": "fit", "variables": {"df": "DataFrame"}}
answer = celrec.recommend("model.fit(", k=1, mode="complete", context=context)
hit = answer["recommendations"][0]
cell = celrec.get_cell(hit["id"], limit=1)
listed = [each["name"] for each in celrec.list_notebooks(limit=1)["notebooks"]]
label = celrec.label("model.fit(X, y)")["primary"]
cells = celrec.label(notebook=notebook)["cells"]
refused = []
try:
    celrec.recommend("x", k=0)
except CelrecError as error:
    refused += [error.status, str(error)]
for call in (celrec.delete_notebook, celrec.get_notebook, celrec.get_cell):
    try:
        call("../index")
    except CelrecError as error:
        refused.append(error.status)
counts = {each["label"]: each["cells"] for each in celrec.count_labels()["labels"]}["train_model"]
name = celrec.get_notebook(uploaded["id"])["name"]
celrec.delete_notebook(uploaded["id"])
sent = celrec.upload_files({"f.py": b"# %%\\nx = 1\\n", "g.ipynb": json.dumps(notebook).encode()}, source="files")
alike = [each["name"] for each in celrec.find_similar(notebook)["notebooks"]]
found = [each["code"] for each in celrec.search("model fit")["cells"]]
sources = celrec.list_sources()["sources"]
celrec.forget_source(sources[0]["id"])
celrec.clear()
events = celrec.feedback_summary()["events"]
print(json.dumps([uploaded["new"], hit["code"], cell["count"], listed, label, len(cells), refused, counts, name,
    [each["name"] for each in sent["notebooks"]], alike, found, [[each["source"], each["notebooks"]] for each in sources],
    celrec.stats()["cells"], celrec.health()["status"], events["shown"]]))
`;

const ERRORS = `
import json, sys
from celrec_client import Celrec, CelrecError
celrec = Celrec(sys.argv[1])
errors = []
for call in (lambda: Celrec("http://127.0.0.1:1").stats(), lambda: [celrec.stats() for _ in range(20)]):
    try:
        call()
    except CelrecError as error:
        errors.append([error.status, str(error), error.retry_after])
print(json.dumps(errors))
`;

const ASYNC = `
import asyncio, json, sys
from celrec_client import AsyncCelrec, CelrecError
async def main():
    async with AsyncCelrec(sys.argv[1]) as celrec:
        await celrec.upload("a.ipynb", json.loads(sys.argv[2]), source="mine")
        answers = await asyncio.gather(*(celrec.complete("df.", k=2) for _ in range(3)))
        streams = celrec._streams
        task = asyncio.create_task(celrec.recommend("model.fit("))
        await asyncio.sleep(0)
        task.cancel()
        cancelled = False
        try:
            await task
        except asyncio.CancelledError:
            cancelled = True
        hit = (await celrec.recommend("model.fit("))["recommendations"][0]["code"]
        refused = None
        try:
            await celrec.complete("df.", k=9)
        except CelrecError as error:
            refused = [error.status, str(error)]
        await celrec.clear()
        print(json.dumps([len(answers), sorted(answers[0]), streams is not None, cancelled, hit, refused]))
asyncio.run(main())
`;

const CONNECTIONS = `
import asyncio, json, socket, sys, threading, time
from celrec_client import AsyncCelrec, Celrec, CelrecError
accepted = []
server = socket.create_server(("127.0.0.1", 0))
def serve():
    while True:
        connection, _ = server.accept()
        accepted.append(connection)
        threading.Thread(target=answer, args=(connection,), daemon=True).start()
def answer(connection):
    while True:
        head = connection.recv(65536)
        if not head:
            return
        if b"/v1/stats" in head:
            continue
        connection.sendall(b"HTTP/1.1 200 OK\\r\\nTransfer-Encoding: chunked\\r\\n\\r\\n5\\r\\n{\\"a\\":\\r\\n3\\r\\n 1}\\r\\n0\\r\\n\\r\\n")
threading.Thread(target=serve, daemon=True).start()
url = f"http://127.0.0.1:{server.getsockname()[1]}/under/a/prefix/"
celrec = Celrec(url)
answers = [celrec.health() for _ in range(5)]
one = len(accepted)
threading.Timer(0.2, celrec.cancel).start()
try:
    celrec.stats()
except CelrecError as error:
    cancelled = [error.status, str(error)]
again = celrec.health()
async def main():
    async with AsyncCelrec(url) as client:
        return [await client.health() for _ in range(5)]
before = len(accepted)
asked = asyncio.run(main())
print(json.dumps([answers == [{"a": 1}] * 5, one, cancelled, again, asked == answers, len(accepted) - before]))
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
  it("calls the service", async () => {
    const service = await startService({ CELREC_TOKEN: "0123456789abcdef", CELREC_FEEDBACK: "on" });
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
      ["f.py", "g.ipynb"],
      ["g.ipynb"],
      ["model.fit(X, y)"],
      [["files", 2]],
      0,
      "ok",
      0,
    ]);
  });

  it("has errors with the time to wait", async () => {
    const service = await startService({ CELREC_RATE: "10" });
    const [down, limited] = JSON.parse(await run(ERRORS, service.url));
    expect(down).toEqual([
      0,
      expect.stringMatching(
        /^The service at http:\/\/127\.0\.0\.1:1 does not answer \(connection refused\); is it running\?$/,
      ),
      null,
    ]);
    expect(limited.slice(0, 2)).toEqual([429, "More than 10 requests in a minute; wait before the next one."]);
    expect(limited[2]).toBeGreaterThanOrEqual(1);
  });

  it("works with asyncio, where a cancelled call does not disturb the next", async () => {
    const service = await startService();
    expect(JSON.parse(await run(ASYNC, service.url))).toEqual([
      3,
      ["completions", "id", "took"],
      true,
      true,
      "model.fit(X, y)",
      [400, "`k` must be an integer from 1 to 5, not 9"],
    ]);
  });

  it("keeps one connection, under a prefix, and can be cancelled from another thread", async () => {
    expect(JSON.parse(await run(CONNECTIONS, ""))).toEqual([
      true,
      1,
      [0, "The call was cancelled."],
      { a: 1 },
      true,
      1,
    ]);
  });

  it("has the methods of the TypeScript client", async () => {
    const typescript = Object.keys(createClient({ url: "http://127.0.0.1:8787" }));
    const names = typescript.map((name) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)).toSorted();
    const script = `
import json
from celrec_client import AsyncCelrec, Celrec
own = {"cancel", "close"}
print(json.dumps([sorted(name for name in vars(kind) if name[0] != "_" and name not in own) for kind in (Celrec, AsyncCelrec)]))
`;
    expect(JSON.parse(await run(script, ""))).toEqual([names, names]);
  });

  it("has an example that shows its usage, and survives a half-written notebook", async () => {
    const env = { ...process.env, PYTHONDONTWRITEBYTECODE: "1" };
    const said = await new Promise<string>((resolve) =>
      execFile(python, ["watch.py"], { cwd: folder, env }, (_error, out, err) => resolve(out + err)),
    );
    expect(said).toBe(
      "Watches a notebook, and prints recommendations each time it is saved: python watch.py NOTEBOOK.ipynb [URL]\n",
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
    expect(await readUntil(child, "score(X, y)\n")).toMatch(
      /^--- a\.ipynb \[0\] .*\nmodel\.fit\(X, y\)\nmodel\.score\(X, y\)\n$/,
    );
  });
});

/** Waits for a word in the output of a process; rejects with its error output. */
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
