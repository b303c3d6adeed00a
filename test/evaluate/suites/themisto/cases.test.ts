import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { recordCells } from "../../../../src/evaluate/execute/record.js";
import {
  groupSteps,
  readTrajectories,
  type Step,
  selectCases,
  stepsOfNotebooks,
} from "../../../../src/evaluate/suites/themisto/themisto-cases.js";
import {
  createOutputGuess,
  knownShare,
  preferKnownNames,
} from "../../../../src/evaluate/suites/themisto/themisto-outputs.js";
import type { Target } from "../../../../src/evaluate/target.js";

const folder = mkdtempSync(join(tmpdir(), "celrec-themisto-"));
afterAll(() => rmSync(folder, { recursive: true }));

const step = (code: string, output = "", values: Record<string, string> = {}, kernel = "k"): Step => ({
  kernel_id: kernel,
  code,
  output,
  runtime_variables: Object.fromEntries(Object.entries(values).map(([name, value]) => [name, { type: "int", value }])),
});

describe("trajectories", () => {
  it("are read from Themisto's form, kernels kept apart", () => {
    const file = join(folder, "t.jsonl");
    const line = (kernel_id: string, code: string) => ({
      kernel_id,
      code,
      output: null,
      execution_time: 0.1,
      memory_bytes: 5,
      runtime_variables: { x: { size: 1, type: "int", value: "1" } },
      hash_index: 3,
    });
    writeFileSync(file, [line("a", "1"), line("b", "2"), line("a", "3")].map((one) => JSON.stringify(one)).join("\n"));
    const read = readTrajectories(file);
    expect(read.map(({ kernel, steps }) => [kernel, steps.map(({ code, output }) => [code, output])])).toEqual([
      [
        "a",
        [
          ["1", ""],
          ["3", ""],
        ],
      ],
      ["b", [["2", ""]]],
    ]);
    expect(readTrajectories("examples/trajectories.jsonl").length).toBeGreaterThanOrEqual(8);
  });

  it("are made of notebooks in the order of execution, with the outputs that were saved", async () => {
    const cell = (count: number | null, source: string, outputs: object[] = []) => ({
      cell_type: "code",
      execution_count: count,
      source,
      outputs,
    });
    const cells = [
      cell(3, "third", [{ output_type: "error", ename: "KeyError", evalue: "'a'" }]),
      cell(null, "never"),
      { cell_type: "markdown", source: "text" },
      cell(1, "first\n", [
        { output_type: "stream", name: "stdout", text: ["a\n", "b\n"] },
        { output_type: "stream", name: "stderr", text: "warning" },
        { output_type: "execute_result", data: { "text/plain": "7" } },
        { output_type: "display_data", data: { "text/plain": "<Figure>" } },
      ]),
    ];
    writeFileSync(join(folder, "n.ipynb"), JSON.stringify({ nbformat: 4, nbformat_minor: 5, metadata: {}, cells }));
    writeFileSync(join(folder, "broken.ipynb"), "{");
    expect((await stepsOfNotebooks([folder])).map(({ code, output }) => [code, output])).toEqual([
      ["first", "a\nb\n7"],
      ["third", "KeyError: 'a'"],
    ]);
  });

  it("are recorded with time, memory and variables, and tell what failed", async () => {
    const variables = { x: { type: "int", size: "1", value: "1" } };
    const run = async () => [
      { status: "ok" as const, output: "", seconds: 0.5, variables, memory_bytes: 9 },
      { status: "error" as const, output: "a\n", seconds: 0.1, error: "KeyError", message: "'b'" },
    ];
    const { steps, failures } = await recordCells({ run }, "n.ipynb", ["x = 1", "d['b']", "2"], {});
    expect(failures).toEqual(["KeyError: 'b'"]);
    const [first, second, ...rest] = steps;
    expect(rest).toEqual([]);
    expect(first).toMatchObject({
      kernel_id: "n.ipynb",
      execution_time: 0.5,
      memory_bytes: 9,
      runtime_variables: variables,
    });
    expect(second!.output).toBe("a\nKeyError: 'b'");
  });
});

describe("selectCases", () => {
  it("takes steps with five earlier ones that are not empty and did not fail", () => {
    const steps = Array.from({ length: 9 }, (_, at) => step(`x = ${at}`));
    steps[6] = step(" ");
    steps[7] = step("fail()", "ValueError: no");
    const cases = selectCases(groupSteps([...steps, step("alone", "", {}, "other")]));
    expect(cases.map(({ id, earlier }) => [id, earlier.length])).toEqual([
      ["k#5", 5],
      ["k#8", 8],
    ]);
    expect(selectCases([])).toEqual([]);
  });

  it("takes 200 of many, most of them of usual length, and none of the very longest", () => {
    const steps = Array.from({ length: 1_005 }, (_, at) => step("x".repeat(1 + ((at * 7) % 1_000))));
    const cases = selectCases(groupSteps(steps));
    const lengths = cases.map(({ reference }) => reference.length);
    expect(cases).toHaveLength(200);
    expect(lengths.filter((length) => length >= 251 && length <= 750).length).toBeGreaterThanOrEqual(178);
    expect(Math.max(...lengths)).toBeLessThan(992);
    expect(selectCases(groupSteps(steps))).toEqual(cases);
  });
});

describe("preferKnownNames", () => {
  const asked: number[] = [];
  const target: Target = {
    name: "fake",
    settings: {},
    prepare: async () => {},
    add: async () => {},
    async recommend({ k, context }) {
      asked.push(k);
      expect(context).toEqual({ before: ["a"], markdown: "" });
      const hits = ["train.head()", "df.head()", "1 + 1"].map((code) => ({ code, score: null, confidence: null }));
      return { hits, junk: 0, took: {} };
    },
    close: async () => {},
  };

  it("puts cells first whose names exist, and asks for more than are shown", async () => {
    const query = { code: "", k: 2, context: { before: ["a"], markdown: "", variables: { df: "DataFrame" } } };
    const { hits } = await preferKnownNames(target).recommend(query);
    expect(hits.map(({ code }) => code)).toEqual(["df.head()", "1 + 1"]);
    expect(asked).toEqual([10]);
    expect(knownShare("f(a, b)", { a: 1 })).toBeCloseTo(1 / 3, 12);
  });
});

describe("createOutputGuess", () => {
  const toCase = (earlier: Step[], next: Step) => ({
    id: "k#9",
    notebook: "k",
    reference: next.code,
    step: next,
    earlier,
  });

  it("takes the output of the most alike earlier step, the latest of equals", () => {
    const earlier = [step("df.head()", "old"), step("df.head()", "new"), step("plot(x)", "figure")];
    expect(createOutputGuess(false)(toCase(earlier, step("df.head()")))).toBe("new");
    expect(createOutputGuess(false)(toCase([step("q", "z")], step("df")))).toBe("");
  });

  it("prefers, with variables, the step that saw the same values", () => {
    const earlier = [
      step("x = 1", "", { x: "1" }),
      step("x + 1", "2", { x: "1" }),
      step("x = 5", "", { x: "5" }),
      step("x + 1", "6", { x: "5" }),
      step("x = 1", "", { x: "1" }),
    ];
    expect(createOutputGuess(false)(toCase(earlier, step("x + 1")))).toBe("6");
    expect(createOutputGuess(true)(toCase(earlier, step("x + 1")))).toBe("2");
  });
});
