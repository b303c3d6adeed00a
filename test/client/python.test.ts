import { execFile, spawn } from "node:child_process";
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
counts = celrec.labels()["train_model"]
name = celrec.notebook(uploaded["id"])["name"]
celrec.delete(uploaded["id"])
celrec.clear()
print(json.dumps([uploaded["new"], hit["code"], cell["count"], listed, label, len(cells), refused, counts, name, celrec.stats()["cells"]]))
`;

describe.skipIf(!hasPython)("the Python client", () => {
  it("speaks with the service", async () => {
    const service = await startService({ CELREC_TOKEN: "0123456789abcdef" });
    const words = ["-c", SCRIPT, service.url, JSON.stringify(ipynb(["model.fit(X, y)"]))];
    const text = await new Promise<string>((resolve) =>
      execFile(
        python,
        words,
        { cwd: folder, env: { ...process.env, PYTHONDONTWRITEBYTECODE: "1" } },
        (_error, out, err) => resolve(out + err),
      ),
    );
    expect(JSON.parse(text)).toEqual([
      1,
      "model.fit(X, y)",
      1,
      ["a b.ipynb"],
      "train_model",
      1,
      [400, "`k` must be an integer from 1 to 100, not 0"],
      1,
      "a b.ipynb",
      0,
    ]);
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
    const printed = await new Promise<string>((resolve) => {
      let text = "";
      child.stdout.on("data", (chunk) => {
        text += chunk;
        if (text.includes("score")) resolve(text);
      });
      child.stderr.on("data", (chunk) => resolve(String(chunk)));
    });
    expect(printed).toMatch(/^--- a\.ipynb \[0\] .*\nmodel\.fit\(X, y\)\nmodel\.score\(X, y\)\n$/);
  });
});

function canRun(): Promise<boolean> {
  return new Promise((resolve) =>
    execFile(python, ["-c", "import sys; assert sys.version_info >= (3, 9)"], (error) => resolve(error === null)),
  );
}
