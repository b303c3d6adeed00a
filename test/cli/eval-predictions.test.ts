import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parseResult } from "../../src/evaluate/suites/index.js";
import type { JuiceResult } from "../../src/evaluate/suites/juice/juice-suite.js";
import type { ThemistoResult } from "../../src/evaluate/suites/themisto/themisto-outputs.js";
import { hasKernels, python } from "../evaluate/execute/python.js";
import { celrec, makeFolder, SAMPLES } from "./celrec.js";

describe("celrec eval juice", () => {
  it("builds cases, gives the same result from a file, and adds the BM25 and random baselines", async () => {
    const folder = makeFolder();
    const cases = join(folder, "cases.jsonl");
    // The sample notebooks have less Markdown than the paper requires.
    const rules = ["--max-code-ratio", "100"];
    const built = await celrec(["eval", "build", "juice", "--notebooks", SAMPLES, "--out", cases, "--json", ...rules]);
    const words = ["--index", SAMPLES, "--data", join(folder, ".celrec"), "--json"];
    const { code, stdout } = await celrec(["eval", "juice", "--cases", cases, ...words]);
    expect(code).toBe(0);
    const result = parseResult(stdout, "stdout") as JuiceResult;
    // Every case is in the index.
    expect(result.counts).toMatchObject({ cases: JSON.parse(built.stdout).cases, copies: result.counts.cases });
    expect(Object.keys(result.baselines)).toEqual([
      "random",
      "popular",
      "bm25",
      "bm25-context",
      "ret-train",
      "ret-context",
    ]);
    expect(result.baselines["ret-train"]!.metrics.em).toBeGreaterThan(0.9);
    expect(result.metrics["best-bleu"]!).toBeGreaterThanOrEqual(result.metrics.bleu!);
    expect(result.published!.every(({ sameData }) => !sameData)).toBe(true);
    expect(result.statistics!.cases).toBe(result.counts.cases);
  });

  it("reads and scores JuICe's released files", async () => {
    const words = ["--cases", "test/fixtures/juice/test.jsonl", "--train", "test/fixtures/juice/train.jsonl", "--json"];
    const run = async (...more: string[]) => {
      const { stdout } = await celrec(["eval", "juice", ...words, "--data", join(makeFolder(), ".celrec"), ...more]);
      return parseResult(stdout, "stdout") as JuiceResult;
    };
    const result = await run("--target", "baseline:ret-train");
    expect(result.counts).toEqual({ cases: 2, notebooks: 1, copies: 0, indexedCells: 3 });
    expect(result.metrics).toMatchObject({ "em-canonical": 0, "api-precision": 1, "api-recall": 1 });
    // Two cells have `sales` instead of `df` twice in 14 tokens. Two have `mean_price` and `sales` instead of other
    // names, in 10 tokens. Strings count as equal.
    const firsts = result.cases.map(({ counts }) => counts["bleu-canonical"]!);
    expect(firsts.map((counts) => [counts[0], counts[4], ...counts.slice(-2)])).toEqual([
      [12, 14, 14, 14],
      [8, 10, 10, 10],
    ]);
    const one = await run("--train-size", "1", "--context-cells", "1");
    expect([one.counts.indexedCells, one.config.contextCells, one.config.trainSize]).toEqual([1, 1, 1]);
  });

  it("measures several values of a flag in one command, and draws them", async () => {
    const folder = makeFolder();
    const files = ["a.html", "a.pdf", "a.tex"].map((file) => join(folder, file));
    const { stdout, code } = await celrec([
      ...["eval", "ablation", "juice", "--cases", "test/fixtures/juice/test.jsonl"],
      ...["--train", "test/fixtures/juice/train.jsonl", "--context-cells", "1,2", "--train-size", "1,2,50,100"],
      ...["--target", "baseline:ret-train", "--json", "--data", join(folder, ".celrec")],
      ...files.flatMap((file) => ["--report", file]),
    ]);
    expect(code).toBe(0);
    const { ablations } = JSON.parse(stdout);
    const sizes = ablations.map(({ flag, runs }: { flag: string; runs: { value: number }[] }) => [
      flag,
      runs.map(({ value }) => value),
    ]);
    // The train file has three examples, so larger sizes give the same set.
    expect(sizes).toEqual([
      ["context-cells", [1, 2]],
      ["train-size", [1, 2, 3]],
    ]);
    expect(ablations[1].runs[2].metrics["api-recall"]).toBe(1);
    expect(readFileSync(files[0]!, "utf8")).toContain("bleu-canonical by train-size");
    expect(readFileSync(files[2]!, "utf8")).toContain("\\label{tab:ablation-of-celrec-eval-juice-context-cells-1}");
  });

  it("builds cases from JuICe's raw notebooks, and reports the statistics", async () => {
    const cases = join(makeFolder(), "cases.jsonl");
    const words = ["--notebooks", "test/fixtures/juice/raw.jsonl", "--kinds", "nbgrader,exercise", "--out", cases];
    const { stdout, stderr } = await celrec(["eval", "build", "juice", ...words]);
    expect(stdout).toBe(`2 cases in ${cases}\n`);
    expect(stderr).toContain("raw.jsonl: 1 lines are no Python notebooks");
    expect(stderr).toContain("nbgrader cases: 1");
  });

  it("refuses an unknown report format before it runs, and lists the formats in its help", async () => {
    const run = await celrec(["eval", "juice", "--cases", "none.jsonl", "--index", SAMPLES, "--report", "a.run"]);
    expect(run.code).toBe(2);
    expect(run.stderr).toContain('No report format for "a.run"; this suite has .json, .csv, .xlsx, .md, .html');
    const [juice, own] = await Promise.all(["juice", "celrec"].map((suite) => celrec(["eval", suite, "--help"])));
    expect(juice!.stdout).toMatch(/write a report: \.json \.csv \.xlsx \.md\s+\.html\s+\.tex\s+\.svg\s+\.pdf;/);
    expect(own!.stdout).toMatch(/\.pdf\s+\.run\s+\.qrels;/);
  });

  it("requires exactly one source of cases", async () => {
    const none = await celrec(["eval", "juice", "--index", SAMPLES]);
    expect([none.code, none.stderr]).toEqual([2, expect.stringContaining("either --cases FILE or --notebooks PATHS")]);
  });
});

describe("a generator of text as the target", () => {
  it("is asked about each case once, and again after its program changes; the report shows its answers", async () => {
    const folder = makeFolder();
    const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
    const generate = (body: string) =>
      write(
        "generate.mjs",
        `import { appendFileSync } from "node:fs";\nappendFileSync(process.argv[2], "x");\n${body}`,
      );
    const calls = join(folder, "calls");
    const step = { command: [process.execPath, "generate.mjs", calls], stdin: "{{context.markdown}}" };
    write("target.json", JSON.stringify({ name: "my model", recommend: { steps: [step] } }));
    const words = ["eval", "themisto", "--cases", "examples/trajectories.jsonl", "--index", SAMPLES, "--most", "20"];
    const ask = (...more: string[]) =>
      celrec([...words, "--target", join(folder, "target.json"), "--data", join(folder, ".celrec"), ...more]);
    // The first version fails; its unanswered questions are not part of the next run.
    generate("process.exit(3);");
    const broken = await ask();
    expect([broken.code, broken.stderr]).toEqual([1, expect.stringContaining("no usable answer to any of 20")]);
    const again = await ask();
    expect(again.stderr).not.toContain("Resuming");
    rmSync(calls);
    generate("process.stdout.write('model.fit(my_own_names)');");
    const report = join(folder, "r.html");
    const good = await ask("--report", report, "--report", join(folder, "r.json"));
    expect([good.code, good.stdout]).toEqual([0, expect.stringMatching(/^my model +0\.0/m)]);
    expect(readFileSync(calls, "utf8")).toHaveLength(20);
    expect(good.stdout).not.toContain("short");
    const result = parseResult(readFileSync(join(folder, "r.json"), "utf8"), "r.json") as ThemistoResult;
    expect(Object.values(result.cases[0]!.texts!)).toEqual(["model.fit(my_own_names)"]);
    const page = readFileSync(report, "utf8").replaceAll(/<[^>]*>/g, "");
    expect(page).toContain("model.fit(my_own_names)");
    for (const text of ["The output", "Figure 6. Outputs, chrF.", "Gemini 1.5 Pro, other data"])
      expect(page).toContain(text);
  });
});

describe("celrec eval themisto", () => {
  it("asks a target for outputs, from all steps with outputs and variables, and scores with and without fences", async () => {
    const folder = makeFolder({
      "cell.mjs": "process.stdout.write('pass');\n",
      // Returns the output of an earlier step with the same code, and records the question.
      "output.mjs":
        "import { appendFileSync, readFileSync } from 'node:fs';\n" +
        "const asked = JSON.parse(readFileSync(0, 'utf8'));\n" +
        "appendFileSync(new URL('asked.jsonl', import.meta.url), JSON.stringify(asked) + '\\n');\n" +
        "process.stdout.write(JSON.stringify({ text: '```\\n' + asked.code + '\\n```' }));\n",
      "trajectory.jsonl": Array.from({ length: 9 }, (_, at) => ({
        kernel_id: "k",
        task_description: "Count to nine.",
        code: String(at),
        output: at === 8 ? "ValueError: too many" : `${at}`,
        execution_time: 0.5,
        memory_bytes: 1_000,
        runtime_variables: { n: { size: 28, type: "int", value: String(at) } },
      }))
        .map((step) => `${JSON.stringify(step)}\n`)
        .join(""),
    });
    const stdin = '{"code": {{code_json}}, "steps": {{context.trajectory_json}}, "task": {{context.task_json}}}';
    const target = {
      name: "echo",
      recommend: { steps: [{ command: [process.execPath, "cell.mjs"] }] },
      output: { steps: [{ command: [process.execPath, "output.mjs"], stdin }], text: "text" },
    };
    writeFileSync(join(folder, "target.json"), JSON.stringify(target));
    const words = ["--cases", join(folder, "trajectory.jsonl"), "--target", join(folder, "target.json")];
    const data = ["--index", SAMPLES, "--data", join(folder, ".celrec")];
    const { code, stdout } = await celrec(["eval", "themisto", ...words, ...data, "--json"]);
    expect(code).toBe(0);
    const { output } = parseResult(stdout, "stdout") as ThemistoResult;
    expect(output.cases).toBe(3);
    expect(output.target!.metrics).toMatchObject({ em: 1, "rouge-l": 1, chrf: 1, "raw-em": 0 });
    expect(Object.keys(output.baselines)).toEqual([
      "recommender, without variables",
      "nearest",
      "nearest, with variables",
    ]);
    expect(output.baselines.nearest!.metrics.em).toBe(0);
    expect(output.predictions.map(({ id, values }) => [id, values.em, values["raw-em"]])).toEqual([
      ["k#5", 1, 0],
      ["k#6", 1, 0],
      ["k#7", 1, 0],
    ]);
    const [first, second] = readFileSync(join(folder, "asked.jsonl"), "utf8")
      .split("\n", 2)
      .map((line) => JSON.parse(line) as { steps: Record<string, unknown>[]; task: string });
    expect(first!.task).toBe("Count to nine.");
    expect(first!.steps).toHaveLength(5);
    expect(first!.steps[4]).toMatchObject({
      ...{ code: "4", output: "4", execution_time: 0.5, memory_bytes: 1_000 },
      runtime_variables: { n: { size: 28, type: "int", value: "4" } },
    });
    expect(second!.steps[4]).toMatchObject({ code: "4", runtime_variables: {} });
  });

  it("asks with and without the variables of the kernel, guesses outputs, and takes as many cases as wanted", async () => {
    const words = ["--cases", "examples/trajectories.jsonl", "--index", SAMPLES, "--most", "20"];
    const data = join(makeFolder(), ".celrec");
    const { code, stdout } = await celrec(["eval", "themisto", ...words, "--data", data, "--json"]);
    expect(code).toBe(0);
    const result = parseResult(stdout, "stdout") as ThemistoResult;
    expect(result.counts.cases).toBe(20);
    const others = ["random", "popular", "bm25", "bm25-context", "ret-train", "ret-context"];
    expect(Object.keys(result.baselines)).toEqual(["recommender, without variables", ...others]);
    expect(result.output.cases).toBeGreaterThan(0);
    expect(result.manifest.command).toBe(`celrec eval themisto ${words.join(" ")}`);
  });
});

describe.skipIf(!hasKernels)("celrec record", () => {
  it("executes a notebook next to its data and writes the recording", async () => {
    const out = join(makeFolder(), "t.jsonl");
    const words = ["record", "examples/exeds/data/flights-1.ipynb", "--out", out, "--python", python];
    const { code, stdout } = await celrec(words);
    expect([code, stdout]).toEqual([0, `flights-1.ipynb: 8 of 8 cells\n8 steps in ${out}\n`]);
    const steps = readFileSync(out, "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(steps[1].runtime_variables.df).toMatchObject({ type: "DataFrame", size: expect.any(Number) });
    expect(steps[2].output).toMatch(/^carrier\nAQ/);
  });

  it("reports a missing kernel", async () => {
    const out = join(makeFolder(), "t.jsonl");
    const { code, stderr } = await celrec([
      "record",
      "examples/exeds/data/flights-1.ipynb",
      "--out",
      out,
      "--python",
      "/bin/false",
    ]);
    expect([code, existsSync(out)]).toEqual([1, false]);
    expect(stderr).toContain("pip install jupyter_client ipykernel");
  });
});
