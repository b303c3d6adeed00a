import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parseResult } from "../../src/evaluate/suites/index.js";
import type { JuiceResult } from "../../src/evaluate/suites/juice/juice-suite.js";
import type { ThemistoResult } from "../../src/evaluate/suites/themisto/themisto-outputs.js";
import { hasKernels, python } from "../evaluate/execute/python.js";
import { celrec, makeFolder, SAMPLES } from "./celrec.js";

describe("celrec eval juice", () => {
  it("builds cases, asks the same from a file, and finds BM25 and chance beside", async () => {
    const folder = makeFolder();
    const cases = join(folder, "cases.jsonl");
    const built = await celrec(["eval", "build", "juice", "--notebooks", SAMPLES, "--out", cases, "--json"]);
    const words = ["--index", SAMPLES, "--data", join(folder, ".celrec"), "--json"];
    const { code, stdout } = await celrec(["eval", "juice", "--cases", cases, ...words]);
    expect(code).toBe(0);
    const result = parseResult(stdout, "stdout") as JuiceResult;
    // Every case stands in the index.
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
  });

  it("refuses a report form that it does not have before it runs, and its help names those that it has", async () => {
    const run = await celrec(["eval", "juice", "--cases", "none.jsonl", "--index", SAMPLES, "--report", "a.run"]);
    expect(run.code).toBe(2);
    expect(run.stderr).toContain('No report format for "a.run"; this suite has .json, .csv, .xlsx, .md, .html');
    const [juice, own] = await Promise.all(["juice", "celrec"].map((suite) => celrec(["eval", suite, "--help"])));
    expect(juice!.stdout).toMatch(/write a report: \.json \.csv \.xlsx \.md\s+\.html;/);
    expect(own!.stdout).toMatch(/\.html\s+\.run\s+\.qrels;/);
  });

  it("wants one source of cases", async () => {
    const none = await celrec(["eval", "juice", "--index", SAMPLES]);
    expect([none.code, none.stderr]).toEqual([2, expect.stringContaining("either --cases FILE or --notebooks PATHS")]);
  });
});

describe("a generator of text as the target", () => {
  it("is asked once a case, is asked anew when it changes, and is shown with what it wrote", async () => {
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
    // Broken at first: what it did not answer is no part of the next run.
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
  it("executes a notebook beside its data and writes what happened", async () => {
    const out = join(makeFolder(), "t.jsonl");
    const words = ["record", "examples/exeds/data/flights-1.ipynb", "--out", out, "--python", python];
    const { code, stdout } = await celrec(words);
    expect([code, stdout]).toEqual([0, `flights-1.ipynb: 8 of 8 cells\n8 steps in ${out}\n`]);
    const steps = readFileSync(out, "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(steps[1].runtime_variables.df).toMatchObject({ type: "DataFrame", size: "(200, 5)" });
    expect(steps[2].output).toMatch(/^carrier\nAQ/);
  });

  it("says so where there is no kernel", async () => {
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
