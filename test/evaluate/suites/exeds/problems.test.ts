import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { type Kernels, openKernels } from "../../../../src/evaluate/execute/kernels.js";
import { createExecute, variablesOf } from "../../../../src/evaluate/suites/exeds/exeds-execute.js";
import { readProblems } from "../../../../src/evaluate/suites/exeds/exeds-problems.js";
import { createExedsScorer } from "../../../../src/evaluate/suites/exeds/exeds-score.js";
import { hasKernels, python } from "../../execute/python.js";

const OWN = "examples/exeds/problems.jsonl";
const folder = mkdtempSync(join(tmpdir(), "celrec-exeds-"));
afterAll(() => rmSync(folder, { recursive: true }));

const read = (...lines: object[]) => {
  const file = join(folder, "p.jsonl");
  writeFileSync(file, lines.map((line) => JSON.stringify(line)).join("\n"));
  return readProblems(file);
};

describe("readProblems", () => {
  it("reads the problems of this project with their data", () => {
    const problems = readProblems(OWN);
    expect(problems.length).toBeGreaterThanOrEqual(60);
    expect(new Set(problems.map(({ id }) => id)).size).toBe(problems.length);
    expect(new Set(problems.map(({ intent, notebook }) => `${notebook} ${intent}`)).size).toBe(problems.length);
    for (const { context, files } of problems) {
      expect(context.length).toBeLessThanOrEqual(3);
      expect(Object.values(files)[0]).toMatch(/^\w+,/);
    }
    const used = problems
      .map(({ setup, context, reference }) => [...setup, ...context, reference].join("\n"))
      .join("\n");
    for (const name of ["pandas", "numpy", "scipy", "sklearn"]) expect(used).toContain(name);
  });

  it("takes data that stand in the line, and refuses a path that leads out", () => {
    const line = { id: "a", context: [], intent: "?", reference: "1", output: "1" };
    const files = { "input/a b.csv": "x\n", "c.bin": { base64: "AAEC" } };
    expect(read({ ...line, notebook: "n.ipynb", files })).toMatchObject([{ notebook: "n.ipynb", files }]);
    for (const path of ["/a.csv", "a//b"])
      expect(() => read({ ...line, files: { [path]: "" } })).toThrow(/line 1: files\.\S+: must be a plain path$/);
    for (const path of ["../a.csv", "a/../../b"])
      expect(() => read({ ...line, files: { [path]: "" } })).toThrow(/line 1: .*must not lead out of its folder$/);
  });

  it("reads ExeDS's own form where the output was added to it", () => {
    const line = {
      idx: 7,
      url: "https://example.org/a.ipynb",
      context_dist1: { cell_type: "markdown", str: "How many rows?", token: [] },
      context_dist2: { cell_type: "code", str: "df = load()", token: [] },
      context_dist3: { cell_type: "code", str: "", token: [] },
      table_keys: ["'a'", "'b'"],
      output: { ori: "len(df)", ori_token: [] },
      execution_output: "3",
      executable: 1,
    };
    expect(read(line)).toEqual([
      {
        id: "7",
        notebook: "7",
        setup: [],
        context: ["df = load()"],
        columns: "df.columns=['a', 'b']",
        intent: "How many rows?",
        reference: "len(df)",
        output: "3",
        files: {},
      },
    ]);
  });

  it("refuses missing data, names that lead out of the folder, and an empty file", () => {
    const problem = { id: "a", context: [], intent: "x", reference: "1", output: "1" };
    mkdirSync(join(folder, "data"), { recursive: true });
    expect(() => read({ ...problem, files: ["none.csv"] })).toThrow(/none\.csv cannot be read/);
    expect(() => read({ ...problem, files: ["../p.jsonl"] })).toThrow(/line 1/);
    expect(() => read()).toThrow(/has no problems/);
  });

  it("refuses two problems of one id", () => {
    const problem = { id: "a", context: ["x = 1"], intent: "x", reference: "x", output: "1" };
    expect(() => read(problem, { ...problem, context: ["x = 2"], output: "2" })).toThrow(
      `${join(folder, "p.jsonl")}: two cases have the id a.`,
    );
  });
});

describe("the score of a problem", () => {
  const [problem] = read({ id: "a", context: ["x = 1"], intent: "add", reference: "x + 1", output: "2" });
  const hit = (code: string, adapted?: string) => ({
    code,
    score: null,
    confidence: null,
    ...(adapted !== undefined && { adapted }),
  });
  /** Knows what the cells of this test print. */
  const asked: string[] = [];
  const run: Kernels["run"] = async ({ cells }) => {
    asked.push(cells.at(-1)!);
    const last = cells.at(-1)!.includes("y")
      ? ({ status: "error", error: "NameError", output: "", seconds: 0 } as const)
      : ({ status: "ok", output: "2", seconds: 0 } as const);
    return [...cells.slice(1).map(() => ({ status: "ok" as const, output: "", seconds: 0 })), last];
  };
  const score = createExedsScorer(createExecute({ run }), 2);

  it("executes the first results and their adapted forms, each code once; the best of them counts beside the first", async () => {
    const { values, notes } = await score(problem!, [hit("y + 1", "x + 1"), hit("z"), hit("never")]);
    expect(values).toMatchObject({ "output-em": 0, ran: 0, "adapted-output-em": 1, "adapted-ran": 1, em: 0 });
    expect(values).toMatchObject({ "best-output-em": 1, "best-ran": 1, "best-adapted-ran": 1 });
    expect(notes).toEqual({ raw: "NameError", adapted: "ok" });
    await score(problem!, [hit("y + 1")]);
    expect(asked).toEqual(["y + 1", "x + 1", "z"]);
  });

  it("gives nothing for the right output before an exception", async () => {
    const execute = async () => ({ ended: "ValueError", output: "2" });
    const { values } = await createExedsScorer(execute, 1)(problem!, [hit("x + 1")]);
    expect(values).toMatchObject({ "output-em": 0, ran: 0 });
  });

  it("counts a problem without a prediction", async () => {
    const { values, notes } = await score(problem!, []);
    expect(values).toMatchObject({ "output-em": 0, ran: 0, "adapted-ran": 0, em: 0 });
    expect(notes).toEqual({ raw: "no prediction", adapted: "no prediction" });
  });

  it("says where already the context fails", async () => {
    const execute = createExecute({
      run: async () => [{ status: "error", error: "ImportError", output: "", seconds: 0 }],
    });
    expect(await execute(problem!, "x")).toEqual({ ended: "context: ImportError", output: "" });
  });
});

describe.skipIf(!hasKernels)("the problems of this project", () => {
  it("are solved by their own references", { timeout: 900_000 }, async () => {
    const kernels = await openKernels({ python, jobs: 2, note: () => {} });
    try {
      const score = createExedsScorer(createExecute(kernels), 1);
      const problems = readProblems(OWN);
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
