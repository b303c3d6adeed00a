import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parseResult } from "../../src/evaluate/suites/index.js";
import type { LabelsResult } from "../../src/evaluate/suites/labels/labels-result.js";
import { requires, sharedData } from "../require.js";
import { celrec, makeFolder } from "./celrec.js";

const READ = 'df = pd.read_csv("a.csv")';
const FIT = "model.fit(X, y)";
const TRUTH = [
  { source: READ, label: ["ingest_data"], notebook: "n1", cell_index: 0 },
  { source: FIT, label: ["train_model"], notebook: "n1", cell_index: 1 },
  { source: FIT, label: ["ingest_data"], notebook: "n2", cell_index: 0 },
  { source: "# a comment", label: ["None"] },
]
  .map((line) => `${JSON.stringify(line)}\n`)
  .join("");

describe("celrec eval labels", () => {
  it("prints one document, the same but for its timings on every run", async () => {
    const path = join(makeFolder({ "t.jsonl": TRUTH }), "t.jsonl");
    const runs = await Promise.all([1, 2].map(() => celrec(["eval", "labels", "--truth", path, "--json"])));
    const [first, second] = runs.map(({ code, stdout, stderr }) => {
      expect([code, stderr]).toEqual([0, ""]);
      return parseResult(stdout, "stdout") as LabelsResult;
    });
    expect({ ...second, latency: {} }).toEqual({ ...first, latency: {} });
    expect(first!.counts).toEqual({ cells: 4, notebooks: 3, unlabelled: 1, prefixes: 0 });
    expect(first!.cells.map(({ given }) => given)).toEqual([["ingest_data"], ["train_model"], ["train_model"], []]);
    // Two labels are right, one is wrong, and one was missed.
    expect(first!.metrics).toMatchObject({ "micro-f1": expect.closeTo(2 / 3, 12), "exact-set": 0.75 });
    expect(first!.worst).toMatchObject([{ id: "n2:0", code: FIT }]);
  });

  it("shows figures, labels, confusions and the worst cell, and writes reports", async () => {
    const folder = makeFolder({ "t.jsonl": TRUTH });
    const reports = ["json", "csv", "xlsx", "md", "html"].map((extension) => join(folder, `r.${extension}`));
    const { code, stdout } = await celrec([
      ...["eval", "labels", "--truth", join(folder, "t.jsonl"), "--partial"],
      ...reports.flatMap((path) => ["--report", path]),
    ]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^4 labelled cells from 3 notebooks; 1 cell has none of the labels\.\n/);
    expect(stdout).toMatch(/^micro-f1 {29}0\.6667 {2}0\.0000 - 1\.0000$/m);
    expect(stdout).toMatch(/^train_model {7}1 {6}2 {6}0\.5000 \[0\.000, 1\.000\] {2}1\.0000/m);
    expect(stdout).toMatch(/^train_model for ingest_data {2}1$/m);
    expect(stdout).toMatch(/^n2:0: ingest_data missed, probability [\d.]+\n {4}model\.fit\(X, y\)\n/m);
    for (const path of reports) expect(existsSync(path)).toBe(true);
    const compared = await celrec(["eval", "compare", reports[0]!, reports[0]!]);
    expect(compared.stdout).toMatch(/^labels, 3 notebooks; the runs differ in nothing\n/);
    expect(compared.stdout).toContain("by micro-f1: 0 notebooks gained, 0 lost\n");
  });

  it("exits 5 below a threshold, and 2 for an unknown metric", async () => {
    const path = join(makeFolder({ "t.jsonl": TRUTH, "bad.jsonl": '{"source": "x"}\n' }), "t.jsonl");
    const run = (...words: string[]) => celrec(["eval", "labels", "--truth", path, ...words]);
    const [missed, reached, unknown, lower, broken, none] = await Promise.all([
      run("--fail-under", "micro-f1=0.9"),
      run("--fail-under", "micro-f1=0.6", "--fail-under", "exact-set=.75"),
      run("--fail-under", "precision@3=0.9"),
      run("--fail-under", "highest-label-ece=0.1"),
      celrec(["eval", "labels", "--truth", path.replace("t.jsonl", "bad.jsonl")]),
      celrec(["eval", "labels"]),
    ]);
    expect([missed, reached, unknown, lower, broken, none].map(({ code }) => code)).toEqual([5, 0, 2, 2, 2, 2]);
    expect(missed.stderr).toContain("micro-f1 is 0.6667, wanted 0.9");
    expect(broken.stderr).toContain("bad.jsonl, line 1: label: ");
  });
});

const FILE = join(sharedData, "labelled/cells.jsonl");
const available = requires("shared", existsSync(FILE), "../shared/data/labelled/cells.jsonl");

describe.skipIf(!available)("celrec eval labels on the labelled cells", () => {
  it("reaches the figures of the model card, with a margin", { timeout: 240_000 }, async () => {
    const out = join(makeFolder(), "r.json");
    const limits = ["micro-f1=0.92", "exact-set=0.83", "lowest-f1=0.85", "prefix-met=0.985"];
    const words = ["eval", "labels", "--truth", FILE, "--partial", "--report", out];
    const { code, stderr } = await celrec([...words, ...limits.flatMap((limit) => ["--fail-under", limit])]);
    expect([code, stderr.includes("wanted")]).toEqual([0, false]);
    const { counts, metrics, cells } = parseResult(readFileSync(out, "utf8"), out) as LabelsResult;
    expect(counts.cells).toBe(readFileSync(FILE, "utf8").trimEnd().split("\n").length);
    expect(new Set(cells.map(({ id }) => id)).size).toBe(counts.cells);
    expect(metrics["highest-label-ece"]).toBeLessThan(0.05);
    expect(metrics["prefix-kept"]).toBeLessThan(0.75);
  });
});
