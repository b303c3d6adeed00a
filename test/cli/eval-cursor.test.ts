import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { CursorResult } from "../../src/evaluate/suites/cursor/cursor-result.js";
import { parseResult } from "../../src/evaluate/suites/index.js";
import { celrec, ipynb, makeFolder } from "./celrec.js";

const READ = "import pandas as pd\ndf = pd.read_csv('train.csv')\ndf.head()";

async function makeCases() {
  const folder = makeFolder({ "cases/a.ipynb": ipynb(READ, "df.describe()"), "index/b.ipynb": ipynb(READ) });
  const cases = join(folder, "cases.jsonl");
  const words = ["eval", "build", "cursor", "--notebooks", join(folder, "cases"), "--out", cases];
  const built = await celrec(words);
  expect([built.code, built.stdout]).toEqual([0, `3 cases in ${cases}\n`]);
  return { folder, cases, run: ["eval", "cursor", "--cases", cases, "--data", join(folder, ".celrec")] };
}

describe("celrec eval cursor", () => {
  it("cuts cells, asks this program and the baselines, and writes every report", async () => {
    const { folder, cases, run } = await makeCases();
    const kinds = readFileSync(cases, "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(kinds.map(({ id }) => id)).toEqual(["a.ipynb#0:line", "a.ipynb#0:inside", "a.ipynb#1:inside"]);
    const reports = [".html", ".md", ".csv", ".xlsx"].map((extension) => join(folder, `report${extension}`));
    const index = ["--index", join(folder, "index"), "--typist", "1", "--no-jedi", "--json"];
    const { code, stdout } = await celrec([...run, ...index, ...reports.flatMap((path) => ["--report", path])]);
    expect(code).toBe(0);
    const result = parseResult(stdout, "stdout") as CursorResult;
    expect(result.counts).toMatchObject({ cases: 3, insideCases: 2, lineCases: 1, copies: 2, typedCells: 1 });
    expect(Object.keys(result.baselines)).toEqual(["ngram", "notebook-cache", "best-cell"]);
    // The n-gram model was trained on this cell.
    expect(result.baselines.ngram!.metrics["line-exact@1"]).toBe(1);
    expect(result.curve).toHaveLength(20);
    expect(reports.map((path) => readFileSync(path).length > 1_000)).toEqual([true, true, true, true]);
  });

  it("runs on an empty index, and skips jedi with a note if it is not installed", async () => {
    const { run } = await makeCases();
    const words = [...run, "--typist", "0", "--python", "no-such-python", "--with-suffix", "--json"];
    const { code, stdout, stderr } = await celrec(words);
    expect([code, stderr]).toEqual([
      0,
      expect.stringContaining("The baseline jedi is left out: no-such-python cannot run jedi"),
    ]);
    const result = parseResult(stdout, "stdout") as CursorResult;
    expect(result.counts).toMatchObject({ indexedCells: 0, typedCells: 0, copies: 0 });
    expect(result.config).toMatchObject({ withSuffix: true, jedi: null });
    expect(result.metrics.saved).toBe(null);
  });

  it("rejects a target that cannot complete, and a threshold for an unknown metric", async () => {
    const { run } = await makeCases();
    const [target, metric] = await Promise.all([
      celrec([...run, "--no-jedi", "--target", "baseline:bm25"]),
      celrec([...run, "--no-jedi", "--fail-under", "exact@1=0.5"]),
    ]);
    expect([target.code, target.stderr]).toEqual([
      2,
      expect.stringContaining("The target baseline:bm25 cannot complete at a cursor"),
    ]);
    expect([metric.code, metric.stderr]).toEqual([2, expect.stringContaining("inside-exact@1")]);
  });
});
