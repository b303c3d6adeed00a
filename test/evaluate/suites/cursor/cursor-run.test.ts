import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { openJournal } from "../../../../src/evaluate/runner/answer-journal.js";
import type { CursorCase } from "../../../../src/evaluate/suites/cursor/cursor-cases.js";
import { type CursorAnswer, type CursorRun, runCursor } from "../../../../src/evaluate/suites/cursor/cursor-run.js";
import { type CursorQuery, type Target, type TargetCompletion, TargetFault } from "../../../../src/evaluate/target.js";

const folder = mkdtempSync(join(tmpdir(), "celrec-cursor-"));
afterAll(() => rmSync(folder, { recursive: true }));

const STORED = { index: 0, type: "code", source: "df.head()\ndf.tail()" } as const;
const INDEX = [{ name: "other.ipynb", notebook: { cells: [STORED] } }];
const toCase = (id: string, notebook: string, kind: string, prefix: string, rest: string, suffix = ""): CursorCase => ({
  ...{ id, notebook, kind, prefix, rest, suffix },
  cell_index: 0,
  preceding: ["df = load()"],
  markdown: "",
});
const CASES = [
  toCase("a:inside", "a.ipynb", "dot", "df.", "head()", "\ndf.tail()"),
  toCase("a:line", "a.ipynb", "line", "df.head()\n", "df.tail()"),
  toCase("b:inside", "b.ipynb", "bracket", "df.head(", "5)"),
];

/** Completes the first case correctly and the third almost correctly. The other cases get nothing. */
const ANSWERS: Record<string, TargetCompletion[]> = {
  "df.": [
    { text: "head()", confidence: 0.75 },
    { text: "info()", confidence: 0.25 },
  ],
  "df.head(": [{ text: "3)", confidence: 0.5 }],
};

function createTarget(answers: (query: CursorQuery) => TargetCompletion[] = ({ prefix }) => ANSWERS[prefix] ?? []) {
  const asked: CursorQuery[] = [];
  const target: Target = {
    name: "fake",
    settings: {},
    prepare: async () => {},
    add: async () => {},
    recommend: async () => {
      const hit = { code: "df.head()", insert: "head()", score: 1, confidence: 0.9 };
      return { hits: [hit], junk: 0, took: {} };
    },
    async complete(query) {
      asked.push(query);
      return { completions: answers(query), junk: 0, took: { total: 2 } };
    },
    close: async () => {},
  };
  return { target, asked };
}

const run = (target: Target, key: string, more: Partial<CursorRun> = {}) =>
  runCursor({
    cases: CASES,
    index: INDEX,
    target,
    k: 2,
    jobs: 1,
    withSuffix: false,
    typistCells: 1,
    jedi: null,
    journal: openJournal<CursorAnswer>(folder, key),
    config: {},
    manifest: { versions: {}, settings: {}, inputs: {} },
    signal: new AbortController().signal,
    onProgress: () => {},
    ...more,
  });

describe("runCursor", () => {
  it("measures cuts inside lines and at line boundaries by themselves, with and without copies", async () => {
    const { target } = createTarget();
    const { counts, metrics, withoutCopies, byKind, ...result } = (await run(target, "measure"))!;
    expect(counts).toEqual({
      cases: 3,
      insideCases: 2,
      lineCases: 1,
      notebooks: 2,
      copies: 2,
      indexedCells: 1,
      typedCells: 1,
      typistQuestions: 9,
    });
    expect(metrics).toMatchObject({
      "inside-exact@1": 0.5,
      "inside-exact@2": 0.5,
      "inside-lenient@1": 1,
      "inside-next@1": 0.5,
      "line-exact@1": 0,
      "line-next@1": 0,
      answered: 2 / 3,
      "undefined-names": 0,
      "broken-tokens": 0,
      "empty-calls": 0,
      // The completion with confidence .75 was right. Those with .25 and .5 were wrong.
      ece: (0.25 + 0.25 + 0.5) / 3,
      // Of `df.head()` and `df.tail()` with 18 characters, `head()` was accepted with one key.
      saved: 5 / 18,
    });
    expect(withoutCopies.metrics).toMatchObject({ "inside-exact@1": 0, "line-exact@1": null, ece: 0.5, saved: null });
    expect(byKind.map(({ kind, cases, metrics: of }) => [kind, cases, of["exact@1"]])).toEqual([
      ["bracket", 1, 0],
      ["dot", 1, 1],
      ["line", 1, 0],
    ]);
    expect(result.curve.map(({ threshold, saved, shown, right }) => [threshold, saved, shown, right])).toEqual([
      ...Array.from({ length: 16 }, (_, at) => [at / 20, 5 / 18, 1, 1]),
      ...Array.from({ length: 4 }, (_, at) => [(at + 16) / 20, 0, 0, null]),
    ]);
    expect(result.latency.total).toMatchObject({ mean: 2 });
    expect(result.cases[0]).toMatchObject({
      id: "a:inside",
      line: false,
      copy: true,
      completions: [
        { text: "head()", confidence: 0.75, right: true },
        { text: "info()", confidence: 0.25, right: false },
      ],
    });
  });

  it("is compared with baselines; slow baselines do not type", async () => {
    const { target } = createTarget();
    const { baselines } = (await run(target, "baselines"))!;
    expect(Object.keys(baselines)).toEqual(["ngram", "notebook-cache", "best-cell"]);
    expect(baselines.ngram!.metrics["inside-exact@1"]).toBe(0.5);
    expect(baselines["best-cell"]!.metrics["inside-exact@1"]).toBe(0.5);
    expect(baselines.ngram!.curve).toHaveLength(20);
    expect(baselines["best-cell"]!.curve).toEqual([]);
  });

  it("sends the text after the cursor only with --with-suffix, and the cells above always", async () => {
    const without = createTarget();
    await run(without.target, "without", { typistCells: 0 });
    expect(without.asked[0]).toEqual({ prefix: "df.", k: 2, context: { before: ["df = load()"], markdown: "" } });
    const told = createTarget();
    await run(told.target, "with", { typistCells: 0, withSuffix: true });
    expect(told.asked[0]!.suffix).toBe("\ndf.tail()");
  });

  it("resumes an interrupted run, and repeats failed questions", async () => {
    const stop = new AbortController();
    const first = createTarget(({ prefix }) => {
      if (prefix === "df.head()\n") stop.abort();
      return ANSWERS[prefix] ?? [];
    });
    expect(await run(first.target, "resume", { signal: stop.signal })).toBe(null);
    const second = createTarget();
    expect((await run(second.target, "resume", { typistCells: 0 }))!.metrics["inside-exact@1"]).toBe(0.5);
    expect(second.asked.map(({ prefix }) => prefix)).toEqual(["df.head("]);
  });

  it("counts failures, and fails if there was no answer at all", async () => {
    const { target } = createTarget(({ prefix }) => {
      if (prefix === "df.") throw new TargetFault("timeouts", "too slow");
      return ANSWERS[prefix] ?? [];
    });
    const { problems, metrics } = (await run(target, "failures", { typistCells: 0 }))!;
    expect(problems.target.timeouts).toBe(1);
    expect(metrics["inside-exact@1"]).toBe(0);
    const dead = createTarget(() => {
      throw new TargetFault("timeouts", "too slow");
    });
    await expect(run(dead.target, "dead")).rejects.toThrow("no usable answer to any of 3 questions");
  });

  it("refuses a target that cannot complete", async () => {
    const { complete: _, ...target } = createTarget().target;
    await expect(run(target, "cannot")).rejects.toThrow("The target fake cannot complete at a cursor");
  });
});
