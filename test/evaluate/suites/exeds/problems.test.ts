import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { type Kernels, openKernels } from "../../../../src/evaluate/execute/kernels.js";
import { createExecute, variablesOf } from "../../../../src/evaluate/suites/exeds/exeds-execute.js";
import { toProblem, toQuery } from "../../../../src/evaluate/suites/exeds/exeds-problems.js";
import { readProblems } from "../../../../src/evaluate/suites/exeds/exeds-released.js";
import { createExedsScorer } from "../../../../src/evaluate/suites/exeds/exeds-score.js";
import { hasKernels, python } from "../../execute/python.js";

const OWN = "examples/exeds/problems.jsonl";
const folder = mkdtempSync(join(tmpdir(), "celrec-exeds-"));
afterAll(() => rmSync(folder, { recursive: true }));

const quiet = { note: () => {} };
const read = (...lines: object[]) => {
  const file = join(folder, "p.jsonl");
  writeFileSync(file, lines.map((line) => JSON.stringify(line)).join("\n"));
  return readProblems(file, quiet);
};

describe("readProblems", () => {
  it("reads the problems of this project with their data", async () => {
    const problems = await readProblems(OWN, quiet);
    expect(problems.length).toBeGreaterThanOrEqual(60);
    expect(new Set(problems.map(({ id }) => id)).size).toBe(problems.length);
    expect(new Set(problems.map(({ intent, notebook }) => `${notebook} ${intent}`)).size).toBe(problems.length);
    for (const { context, files } of problems) {
      expect(context.length).toBeLessThanOrEqual(3);
      expect(Object.values(files)[0]).toMatch(/^\w+,/);
    }
    const used = problems.map(({ before, reference }) => [...before, reference].join("\n")).join("\n");
    for (const name of ["pandas", "numpy", "scipy", "sklearn"]) expect(used).toContain(name);
  });

  it("reads inline data, and rejects a path outside the folder", async () => {
    const line = { id: "a", context: [], intent: "?", reference: "1", output: "1" };
    const files = { "input/a b.csv": "x\n", "c.bin": { base64: "AAEC" } };
    expect(await read({ ...line, notebook: "n.ipynb", files })).toMatchObject([{ notebook: "n.ipynb", files }]);
    for (const path of ["/a.csv", "a//b"])
      await expect(read({ ...line, files: { [path]: "" } })).rejects.toThrow(
        /line 1: files\.\S+: must be a plain path$/,
      );
    for (const path of ["../a.csv", "a/../../b"])
      await expect(read({ ...line, files: { [path]: "" } })).rejects.toThrow(
        /line 1: .*must not lead out of its folder$/,
      );
  });

  it("runs code cells of the context after the setup, and shows Markdown", async () => {
    const line = { id: "a", intent: "?", reference: "x", output: "1", setup: ["x = 1"] };
    const [problem] = await read({ ...line, context: [{ type: "markdown", source: "Two\nlines" }, "x += 1"] });
    expect(problem).toMatchObject({ before: ["x = 1", "x += 1"] });
    expect(toQuery({ ...problem!, columns: "df.columns=['a']" }, 2)).toEqual({
      code: "",
      k: 2,
      context: { before: ["df.columns=['a']", "# Two\n# lines", "x += 1"], markdown: "?" },
      above: [
        { type: "code", source: "df.columns=['a']" },
        { type: "markdown", source: "Two\nlines" },
        { type: "code", source: "x += 1" },
      ],
    });
  });

  it("refuses missing data, names that lead out of the folder, and an empty file", async () => {
    const problem = { id: "a", context: [], intent: "x", reference: "1", output: "1" };
    mkdirSync(join(folder, "data"), { recursive: true });
    await expect(read({ ...problem, files: ["none.csv"] })).rejects.toThrow(/none\.csv cannot be read/);
    await expect(read({ ...problem, files: ["../p.jsonl"] })).rejects.toThrow(/line 1/);
    await expect(read()).rejects.toThrow(/has no problems/);
  });

  it("refuses two problems of one id", async () => {
    const problem = { id: "a", context: ["x = 1"], intent: "x", reference: "x", output: "1" };
    await expect(read(problem, { ...problem, context: ["x = 2"], output: "2" })).rejects.toThrow(
      `${join(folder, "p.jsonl")}: two cases have the id a.`,
    );
  });
});

describe("the score of a problem", () => {
  const problem = toProblem({ id: "a", context: ["x = 1"], intent: "add", reference: "x + 1", output: "2" }, folder);
  const hit = (code: string, adapted?: string, insert?: string) => ({
    code,
    score: null,
    confidence: null,
    ...(adapted !== undefined && { adapted }),
    ...(insert !== undefined && { insert }),
  });
  /** A stub of a kernel that knows the outputs of this test's cells. */
  const asked: string[] = [];
  const run: Kernels["run"] = async ({ cells }) => {
    asked.push(cells.at(-1)!);
    const last = cells.at(-1)!.includes("y")
      ? ({ status: "error", error: "NameError", output: "", seconds: 0 } as const)
      : ({ status: "ok", output: "2", seconds: 0 } as const);
    return [...cells.slice(1).map(() => ({ status: "ok" as const, output: "", seconds: 0 })), last];
  };
  const score = createExedsScorer(createExecute({ run }), 2);

  it("executes the first results and their adapted forms, each code once, and scores the first and the best", async () => {
    const { values, notes } = await score(problem, [hit("y + 1", "x + 1"), hit("z"), hit("never")]);
    expect(values).toMatchObject({ "output-em": 0, ran: 0, "adapted-output-em": 1, "adapted-ran": 1, em: 0 });
    expect(values).toMatchObject({ "best-output-em": 1, "best-ran": 1, "best-adapted-ran": 1 });
    expect(notes).toEqual({ raw: "NameError", adapted: "ok", "adapted output": "right" });
    await score(problem, [hit("y + 1")]);
    expect(asked).toEqual(["y + 1", "x + 1", "z"]);
  });

  it("executes what would be inserted, which has the definitions that the cell needs", async () => {
    const runs = { "inserted-ran": 1, "inserted-output-em": 1, "adapted-ran": 0 };
    expect((await score(problem, [hit("y + 2", "y + 3", "x + 2")])).values).toMatchObject(runs);
    const same = { "inserted-ran": 0, "adapted-ran": 0 };
    expect((await score(problem, [hit("x + 3", "y + 4")])).values).toMatchObject(same);
  });

  it("counts an empty insertion as no prediction, although an empty cell runs", async () => {
    const { values } = await score(problem, [hit("x + 4", "x + 5", " \n")]);
    expect(values).toMatchObject({ "adapted-ran": 1, "inserted-ran": 0, "inserted-output-em": 0 });
  });

  it("scores 0 for the right output before an exception", async () => {
    const execute = async () => ({ ended: "ValueError", output: "2" });
    const { values } = await createExedsScorer(execute, 1)(problem, [hit("x + 1")]);
    expect(values).toMatchObject({ "output-em": 0, ran: 0 });
  });

  it("counts a problem without a prediction", async () => {
    const { values, notes } = await score(problem, []);
    expect(values).toMatchObject({ "output-em": 0, ran: 0, "adapted-ran": 0, em: 0 });
    const nothing = { raw: "no prediction", adapted: "no prediction" };
    expect(notes).toEqual(nothing);
  });

  it("reports problems whose context fails", async () => {
    const execute = createExecute({
      run: async () => [{ status: "error", error: "ImportError", output: "", seconds: 0 }],
    });
    expect(await execute(problem, "x")).toEqual({ ended: "context: ImportError", output: "" });
  });
});

describe("concurrent predictions for one problem", () => {
  const problem = toProblem({ id: "a", context: ["x = 1"], intent: "?", reference: "x", output: "1" }, folder);
  const ok = (output: string) => ({ status: "ok" as const, output, seconds: 0 });

  it("share a kernel, except those that need their own", async () => {
    const jobs: unknown[] = [];
    const execute = createExecute(
      {
        run: async ({ cells }) => {
          jobs.push(cells);
          return cells.map(ok);
        },
        runBranches: async ({ cells, branches }) => {
          jobs.push([cells, branches]);
          return { cells: cells.map(() => ok("")), branches: branches.map((code) => (code === "b" ? null : ok(code))) };
        },
      },
      { shared: true },
    );
    const all = await Promise.all(["a", "b", "a", "c"].map((code) => execute(problem, code)));
    expect(all.map(({ ended, output }) => `${ended} ${output}`)).toEqual(["ok a", "ok b", "ok a", "ok c"]);
    expect((await execute(problem, "alone")).output).toBe("alone");
    expect(jobs).toEqual([
      [["x = 1"], ["a", "b", "c"]],
      ["x = 1", "b"],
      ["x = 1", "alone"],
    ]);
  });

  it("all fail if the cells above fail", async () => {
    const failed = { status: "error" as const, error: "ImportError", output: "", seconds: 0 };
    const execute = createExecute(
      {
        run: async () => [failed],
        runBranches: async ({ branches }) => ({ cells: [failed], branches: branches.map(() => null) }),
      },
      { shared: true },
    );
    const ended = await Promise.all(["a", "b"].map(async (code) => (await execute(problem, code)).ended));
    expect(ended).toEqual(["context: ImportError", "context: ImportError"]);
  });
});

describe.skipIf(!hasKernels)("the problems of this project", () => {
  it("are solved by their own references", { timeout: 900_000 }, async () => {
    const kernels = await openKernels({ python, jobs: 2, note: () => {} });
    try {
      const score = createExedsScorer(createExecute(kernels), 1);
      const problems = await readProblems(OWN, quiet);
      const scored = await Promise.all(
        problems.map(async (problem) => {
          const hits = [{ code: problem.reference, score: null, confidence: null }];
          return { id: problem.id, ...(await score(problem, hits)) };
        }),
      );
      expect(scored.filter(({ values }) => values["output-em"] !== 1).map(({ id, notes }) => [id, notes])).toEqual([]);
      const variables = await variablesOf(kernels, problems[0]!);
      expect(variables).toEqual({ df: "DataFrame" });
    } finally {
      await kernels.close();
    }
  });
});
