import { existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import type { CelrecResult } from "../../src/evaluate/suites/celrec/celrec-result.js";
import { parseResult } from "../../src/evaluate/suites/index.js";
import { celrec, SAMPLES, start } from "./celrec.js";

const newFolder = () => mkdtempSync(join(tmpdir(), "celrec-eval-"));
/** One notebook as distractors, for speed. */
const FEW = ["--distractors", join(SAMPLES, "customer-churn-baseline.ipynb")];
const run = (folder: string, ...words: string[]) => celrec(["eval", ...words, "--data", join(folder, ".celrec")]);

/** Waits until the journal of the run in this folder has the given number of answers. */
async function answered(folder: string, min: number): Promise<void> {
  await vi.waitFor(
    () => {
      const [key] = readdirSync(folder);
      const lines = readFileSync(join(folder, key!, "answers.jsonl"), "utf8").split("\n").length;
      expect(lines).toBeGreaterThan(min);
    },
    { timeout: 40_000, interval: 20 },
  );
}

describe("celrec eval celrec", () => {
  it("prints one document that follows the schema, the same every time, and cleans up", async () => {
    const folder = newFolder();
    const first = await run(folder, "celrec", "--limit", "8", "--json");
    expect(first.code).toBe(0);
    const document = parseResult(first.stdout, "stdout") as CelrecResult;
    expect(document.counts).toMatchObject({ seeds: 8, recommendationCells: 24, distractors: 445 });
    expect(document.config.target).toBe("celrec");
    // `ece` is null: confidences are calibrated on typing only. `published` is empty: the paper used no distractors.
    expect([document.mps1.ece, document.published]).toEqual([null, []]);
    expect(document.baselines!.bm25!.metrics["precision@3"]).toBeGreaterThan(0.7);
    const { tp, fp, fn, tn } = document.confusion!;
    expect(tp + fp + fn + tn).toBe(document.counts.queries * (24 + 445));
    expect(document.queries).toHaveLength(document.counts.queries);
    expect(document.mps1["precision@3"]).toBeGreaterThan(0.7);
    const second = JSON.parse((await run(folder, "celrec", "--limit", "8", "--json")).stdout) as CelrecResult;
    expect({ ...second, latency: null }).toEqual({ ...document, latency: null });
    expect(readdirSync(join(folder, ".celrec", "eval"))).toEqual([]);
  });

  it("skips the second stage with --one-stage, and reports it", async () => {
    const { stdout } = await run(newFolder(), "celrec", "--limit", "4", ...FEW, "--one-stage", "--json");
    const { config, queries } = JSON.parse(stdout) as CelrecResult;
    expect(config).toMatchObject({ stages: 1 });
    // With one stage, scores are cosines and not the weighted sums of the second stage.
    expect(queries.flatMap(({ results }) => results).every(({ score }) => score! <= 1)).toBe(true);
  });

  it("does not touch the user's index", async () => {
    const folder = newFolder();
    await celrec(["index", join(SAMPLES, "customer-churn-baseline.ipynb"), "--data", join(folder, ".celrec")]);
    const before = (await celrec(["stats", "--json", "--data", join(folder, ".celrec")])).stdout;
    await run(folder, "celrec", "--limit", "3", ...FEW);
    expect((await celrec(["stats", "--json", "--data", join(folder, ".celrec")])).stdout).toBe(before);
  });

  it("resumes after an interruption, with the same result", async () => {
    const folder = newFolder();
    const words = ["eval", "celrec", "--limit", "20", "--json", "--data", join(folder, ".celrec")];
    const running = start(words);
    await answered(join(folder, ".celrec", "eval"), 10);
    running.child.kill("SIGINT");
    expect((await running.ended).code).toBe(130);
    const resumed = await celrec(words);
    expect(resumed.stderr).toMatch(/Resuming an interrupted run: \d+ questions are answered/);
    const clean = await run(newFolder(), "celrec", "--limit", "20", "--json");
    expect({ ...JSON.parse(resumed.stdout), latency: null }).toEqual({ ...JSON.parse(clean.stdout), latency: null });
  });

  it("drops distractors that equal a seed or a mutant, and counts the rest", async () => {
    const folder = newFolder();
    const seeds = join(folder, "seeds.jsonl");
    writeFileSync(seeds, `${JSON.stringify({ id: "head", source: "df.head()" })}\n`);
    const { stdout } = await run(folder, "celrec", "--seeds", seeds, "--distractors", SAMPLES, "--json");
    const { problems, counts } = JSON.parse(stdout) as CelrecResult;
    expect(problems.droppedDistractors).toBe(1);
    expect(counts).toEqual({ seeds: 1, queries: 1, recommendationCells: 3, distractors: 444 });
  });

  it("gives a random list low scores, except for nDCG as the paper prints it", async () => {
    const { stdout } = await run(newFolder(), "celrec", "--target", "baseline:random", "--json");
    const { mps1 } = JSON.parse(stdout) as CelrecResult;
    expect(mps1["precision@3"]).toBeLessThan(0.05);
    expect(mps1["ndcg-ideal@3"]).toBeLessThan(0.05);
    expect(mps1["ndcg@3"]).toBeGreaterThan(0.97);
  });

  it("exits with 5 if a threshold is missed, and 0 if it is reached", async () => {
    const folder = newFolder();
    const missed = await run(
      folder,
      "celrec",
      "--limit",
      "5",
      "--target",
      "baseline:random",
      "--fail-under",
      "precision@3=0.9",
    );
    expect(missed.code).toBe(5);
    expect(missed.stderr).toMatch(/precision@3 is 0\.\d{4}, wanted 0\.9/);
    const reached = await run(
      folder,
      "celrec",
      "--limit",
      "5",
      "--target",
      "baseline:bm25",
      "--fail-under",
      "precision@3=0.5",
    );
    expect(reached.code).toBe(0);
  });

  it("writes every requested report", async () => {
    const folder = newFolder();
    const files = ["r.json", "r.csv", "r.xlsx", "r.md", "r.html", "r.run", "r.qrels"].map((file) => join(folder, file));
    const { code } = await run(
      folder,
      "celrec",
      "--limit",
      "4",
      ...FEW,
      ...files.flatMap((file) => ["--report", file]),
    );
    expect(code).toBe(0);
    expect(files.filter((file) => !existsSync(file))).toEqual([]);
  });

  it("takes the user's own operators, including hard negatives", async () => {
    const folder = newFolder();
    const mine = join(folder, "mine.mjs");
    writeFileSync(
      mine,
      'export default { name: "mine", description: "", kind: "degrading", apply: (code) => code + "\\nmine()" };',
    );
    const { stdout } = await run(
      folder,
      "celrec",
      "--limit",
      "4",
      ...FEW,
      "--mutators",
      `change-quotes,${mine},flip-comparison`,
      "--json",
    );
    const { manifest, byOperator } = JSON.parse(stdout) as CelrecResult;
    expect(manifest.seeds.flatMap(({ mutants }) => mutants.map(({ operator }) => operator))).toContain("mine");
    expect(byOperator.map(({ operator }) => operator)).toContain("mine");
  });

  it.each([
    [["celrec", "--metrics", "precison@3"], /Unknown metric "precison@3"/],
    [["celrec", "--mutators", "rename"], /Unknown mutator "rename"/],
    [["celrec", "--seeds", "/nowhere"], /There are no seeds at \/nowhere/],
    [["celrec", "--report", "/nowhere/r.html"], /there is no folder \/nowhere/],
    [["celrec", "--target", "baseline:best"], /There is no baseline:best/],
    [["celrec", "--fail-under", "speed=1"], /--fail-under speed/],
    [["celrec", "--k", "0"], /must be an integer from 1 to 100/],
    [["celrec", "--diversity", "2"], /must be a number from 0 to 1/],
    [["typing", "--cases", "x.jsonl"], /--index/],
  ])("refuses %j before the long work, with exit code 2", async (words, message) => {
    const { code, stderr, stdout } = await run(newFolder(), ...words);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(message);
  });
});

describe("celrec eval compare", () => {
  it("finds BM25 better than random, and a run equal to itself", async () => {
    const folder = newFolder();
    const [random, bm25] = ["random", "bm25"].map((name) => join(folder, `${name}.json`));
    await run(folder, "celrec", "--limit", "20", "--target", "baseline:random", "--report", random!);
    await run(folder, "celrec", "--limit", "20", "--target", "baseline:bm25", "--report", bm25!);
    const better = JSON.parse((await celrec(["eval", "compare", random!, bm25!, "--json"])).stdout);
    const precision = better.metrics.find(({ metric }: { metric: string }) => metric === "precision@3");
    expect(precision.difference).toBeGreaterThan(0.8);
    expect(precision.holm).toBeLessThan(0.01);
    expect(better.runs).toEqual(["baseline:random", "baseline:bm25"]);
    const files = ["c.html", "c.tex", "c.svg", "c.pdf", "c.md"].map((file) => join(folder, file));
    const third = join(folder, "third.json");
    writeFileSync(third, readFileSync(bm25!));
    const words = files.flatMap((file) => ["--report", file]);
    const board = await celrec(["eval", "compare", random!, bm25!, third, ...words]);
    expect(board.stdout).toMatch(/^baseline:bm25 \(third\) +0\./m);
    // Every pair of runs is compared in every metric.
    expect(board.stdout).toMatch(/^baseline:random -> baseline:bm25 \(bm25\)\n(?:.+\n)*mrr@3 /m);
    expect(files.filter((file) => !existsSync(file))).toEqual([]);
    expect(readFileSync(files[0]!, "utf8")).toContain('<a download="figure-1.pdf"');
    const same = JSON.parse((await celrec(["eval", "compare", bm25!, bm25!, "--json"])).stdout);
    expect(
      same.metrics.every(({ difference, p }: { difference: number; p: number }) => difference === 0 && p === 1),
    ).toBe(true);
  });
});

describe("celrec eval typing", () => {
  it("builds cases, scores them and the baselines, and flags copies", async () => {
    const folder = newFolder();
    const cases = join(folder, "cases.jsonl");
    const built = await celrec(["eval", "build", "typing", "--notebooks", SAMPLES, "--out", cases, "--json"]);
    const count = JSON.parse(built.stdout).cases as number;
    expect(readFileSync(cases, "utf8").trim().split("\n")).toHaveLength(count);
    expect(count).toBeGreaterThan(30);
    const { code, stdout } = await run(folder, "typing", "--cases", cases, "--index", SAMPLES, "--json");
    expect(code).toBe(0);
    const result = parseResult(stdout, "stdout");
    if (result.suite !== "typing") throw new Error("another suite");
    expect(result.counts).toMatchObject({ cases: count, copies: count });
    expect(Object.keys(result.baselines).sort()).toEqual(["bm25", "bm25-context", "popular", "random"]);
    expect(result.metrics.chrf!).toBeGreaterThan(result.baselines.random!.chrf! + 0.2);
    // The cell of every case is in the index, so finding it finds all its calls.
    expect(result.metrics["call-recall"]!).toBeGreaterThan(0.8);
    // The tests' embedder was never calibrated.
    expect(result.confidence).toBeNull();
    const words = ["--cases", cases, "--index", FEW[1]!, "--limit", "10"];
    const sure = await run(folder, "typing", ...words, "--embedder", "default");
    expect(sure.stdout).toMatch(/^ece \(lower is better\) +0\.\d{4}$/m);
  });
});
