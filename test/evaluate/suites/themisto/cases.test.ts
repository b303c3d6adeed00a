import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { recordCells } from "../../../../src/evaluate/execute/record-cells.js";
import { selectCases } from "../../../../src/evaluate/suites/themisto/themisto-cases.js";
import {
  createNearestOutput,
  knownShare,
  preferKnownNames,
} from "../../../../src/evaluate/suites/themisto/themisto-outputs.js";
import { createBothScorer } from "../../../../src/evaluate/suites/themisto/themisto-score.js";
import {
  groupSteps,
  readTrajectories,
  type Step,
  stepsOfNotebooks,
} from "../../../../src/evaluate/suites/themisto/themisto-steps.js";
import type { Target } from "../../../../src/evaluate/target.js";

const folder = mkdtempSync(join(tmpdir(), "celrec-themisto-"));
afterAll(() => rmSync(folder, { recursive: true }));

const step = (code: string, output = "", values: Record<string, string> = {}, kernel = "k"): Step => ({
  kernel_id: kernel,
  task_description: "",
  code,
  output,
  runtime_variables: Object.fromEntries(Object.entries(values).map(([name, value]) => [name, { type: "int", value }])),
});

describe("trajectories", () => {
  it("are read from Themisto's form, kernels kept apart", async () => {
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
    const read = await readTrajectories(file);
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
    expect((await readTrajectories("examples/trajectories.jsonl")).length).toBeGreaterThanOrEqual(8);
    writeFileSync(file, JSON.stringify([line("a", "1"), line("b", "2"), line("a", "3")]));
    expect(await readTrajectories(file)).toEqual(read);
  });

  it("are read from a log of JuNE: executions with their ends, by time, with output and duration", async () => {
    const [first, , third, ...rest] = (await readTrajectories("test/evaluate/suites/themisto/june.csv"))[0]!.steps;
    expect(first).toEqual({
      kernel_id: "kernel-1",
      task_description: "",
      code: "import pandas as pd\nx = 1",
      output: "",
      execution_time: 1.5,
      runtime_variables: {},
    });
    expect(third).toMatchObject({ code: "print('a')\nx", output: "a\n1" });
    // An execution that never ended is left out. The output of a failed execution is its exception.
    expect(rest.map(({ code, output }) => [code, output])).toEqual([
      ["y", "NameError: name 'y' is not defined"],
      ["y = 2", ""],
      ["y", "2"],
    ]);
    const file = join(folder, "other.csv");
    writeFileSync(file, "a,b\n1,2\n");
    await expect(readTrajectories(file)).rejects.toThrow(
      /has no column kernel_id; a log of JuNE has kernel_id, event,/,
    );
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
    symlinkSync(join(folder, "n.ipynb"), join(folder, "link.ipynb"));
    const notes: string[] = [];
    const steps = await stepsOfNotebooks([folder], (text) => notes.push(text));
    expect(notes).toEqual(["Skipped 1 link (link.ipynb): links are not followed; give their targets instead."]);
    expect(steps.map(({ code, output }) => [code, output])).toEqual([
      ["first", "a\nb\n7"],
      ["third", "KeyError: 'a'"],
    ]);
  });

  it("are recorded with time, memory and variables, and list failures", async () => {
    const variables = { x: { type: "int", size: 28, value: "1" } };
    const run = async () => [
      { status: "ok" as const, output: "", seconds: 0.5, variables, memory_bytes: 9, state: "abc" },
      { status: "error" as const, output: "a\n", seconds: 0.1, error: "KeyError", message: "'b'" },
    ];
    const codes = ["x = 1", "d['b']", "2"];
    const { steps, failures } = await recordCells({ run }, "n.ipynb", codes, { task: "Count." });
    expect(failures).toEqual(["KeyError: 'b'"]);
    const [first, second, ...rest] = steps;
    expect(rest).toEqual([]);
    expect(first).toEqual({
      kernel_id: "n.ipynb",
      task_description: "Count.",
      code: "x = 1",
      output: "",
      execution_time: 0.5,
      memory_bytes: 9,
      runtime_variables: variables,
      hash_index: "abc",
    });
    expect(second!.hash_index).toBeNull();
    expect(second!.output).toBe("a\nKeyError: 'b'");
  });
});

describe("selectCases", () => {
  it("takes steps that follow at least five others, are not empty and did not fail", () => {
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

  it("takes 200 of many steps, most of typical length, and none of the longest", () => {
    const steps = Array.from({ length: 1_005 }, (_, at) => step("x".repeat(1 + ((at * 7) % 1_000))));
    const cases = selectCases(groupSteps(steps));
    const lengths = cases.map(({ reference }) => reference.length);
    expect(cases).toHaveLength(200);
    expect(lengths.filter((length) => length >= 251 && length <= 750).length).toBeGreaterThanOrEqual(178);
    expect(Math.max(...lengths)).toBeLessThan(992);
    expect(selectCases(groupSteps(steps))).toEqual(cases);
  });
});

describe("selectCases for outputs", () => {
  it("takes steps that print something, and samples them by the length of that", () => {
    // The longer the code, the shorter its output.
    const steps = Array.from({ length: 1_005 }, (_, at) => {
      const length = 1 + ((at * 7) % 1_000);
      return step("x".repeat(length), at % 10 === 0 ? " " : "y".repeat(1_001 - length));
    });
    const cases = selectCases(groupSteps(steps), 100, "output");
    expect(cases).toHaveLength(100);
    expect(cases.every((each) => each.reference === each.step.output && each.reference.startsWith("y"))).toBe(true);
    const usual = cases.filter(({ reference: { length } }) => length >= 250 && length <= 752);
    expect(usual.length).toBeGreaterThanOrEqual(90);
    expect(Math.max(...cases.map(({ reference }) => reference.length))).toBeLessThan(992);
  });
});

describe("the scores of an answer", () => {
  const score = createBothScorer();
  const hit = (code: string, raw?: string) => ({
    code,
    score: null,
    confidence: null,
    ...(raw !== undefined && { raw }),
  });

  it("are given with and without the paper's post-processing", () => {
    const { values } = score([hit("```python\n# Show it.\ndf.head()\n```")], "# Show it.\ndf.head()");
    expect(values).toMatchObject({ em: 1, "rouge-l": 1, chrf: 1, "chrf-clean": 1, "raw-em": 0 });
    expect(values["raw-chrf"]).toBeLessThan(0.9);
    const given = "```\n2\n```";
    expect(score([hit("2", given)], "2\n").values).toMatchObject({ em: 1, chrf: 1, "raw-em": 0 });
    expect(score([hit("2\n")], "2\n").values).toMatchObject({ em: 1, "raw-em": 1 });
  });

  it("count comments in chrf, and not in chrf-clean", () => {
    const { values } = score([hit("# First the data.\nx = 1")], "x = 1");
    expect(values["chrf-clean"]).toBe(1);
    expect(values.chrf).toBeLessThan(0.6);
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

  it("ranks cells with existing names first, and requests more cells than it shows", async () => {
    const query = { code: "", k: 2, context: { before: ["a"], markdown: "", variables: { df: "DataFrame" } } };
    const { hits } = await preferKnownNames(target).recommend(query);
    expect(hits.map(({ code }) => code)).toEqual(["df.head()", "1 + 1"]);
    expect(asked).toEqual([10]);
    expect(knownShare("f(a, b)", { a: 1 })).toBeCloseTo(1 / 3, 12);
  });
});

describe("createNearestOutput", () => {
  const guess = async (variables: boolean, steps: Step[], code: string) => {
    const query = { code, k: 1, trajectory: { task: "", steps } };
    const { hits } = await createNearestOutput(variables).recommend(query);
    return hits.map((hit) => hit.code);
  };

  it("takes the output of the most similar earlier step; ties go to the latest", async () => {
    const earlier = [step("df.head()", "old"), step("df.head()", "new"), step("plot(x)", "figure")];
    expect(await guess(false, earlier, "df.head()")).toEqual(["new"]);
    expect(await guess(false, [step("q", "z")], "df")).toEqual([]);
  });

  it("prefers, with variables, a step with the same values", async () => {
    const earlier = [
      step("x = 1", "", { x: "1" }),
      step("x + 1", "2", { x: "1" }),
      step("x = 5", "", { x: "5" }),
      step("x + 1", "6", { x: "5" }),
      step("x = 1", "", { x: "1" }),
    ];
    expect(await guess(false, earlier, "x + 1")).toEqual(["6"]);
    expect(await guess(true, earlier, "x + 1")).toEqual(["2"]);
  });
});
