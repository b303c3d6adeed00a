import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { openJournal } from "../../../../src/evaluate/runner/answer-journal.js";
import { runTyping, type TypingAnswer } from "../../../../src/evaluate/suites/typing/typing-suite.js";
import type { Target, TargetHit } from "../../../../src/evaluate/target.js";
import { cellId } from "../../../../src/notebook/extract.js";

const folder = mkdtempSync(join(tmpdir(), "celrec-typing-"));
afterAll(() => rmSync(folder, { recursive: true }));

const STORED = { index: 0, type: "code", source: "m.fit(x)\nm.predict(x)" } as const;
const INDEX = [{ name: "other.ipynb", notebook: { cells: [STORED] } }];
const toCase = (id: string, prefix: string, rest: string) => ({
  id,
  notebook: "n.ipynb",
  cell_index: 0,
  fraction: 0.5,
  prefix,
  rest,
  reference: `${prefix}\n${rest}`,
  preceding: [],
  markdown: "",
});
const CASES = [
  toCase("fits", "m = Ridge()", "m.fit(x)\nm.predict(x)"),
  toCase("assigns", "a = 1", "b = 2"),
  toCase("copy", "m.fit(x)  # learn", "m.predict(x)"),
];

/** Always returns the same two hits. The first makes the calls of two cases, and the second makes no calls. */
function createTarget(confidences: readonly (number | null)[]): Target & { asked: number } {
  const codes = [STORED.source, "df.head()"];
  const target = {
    name: "fake",
    settings: {},
    asked: 0,
    prepare: async () => {},
    add: async () => {},
    recommend: async () => {
      target.asked += 1;
      const hits = codes.map((code, at): TargetHit => ({ code, score: null, confidence: confidences[at]! }));
      return { hits, junk: 0, took: { total: 1 } };
    },
    close: async () => {},
  };
  return target;
}

const run = (target: Target, key: string) =>
  runTyping({
    cases: CASES,
    index: INDEX,
    target,
    k: 2,
    jobs: 1,
    journal: openJournal<TypingAnswer>(folder, key),
    config: {},
    manifest: { versions: {}, settings: {}, inputs: {} },
    signal: new AbortController().signal,
    onProgress: () => {},
  });

describe("runTyping", () => {
  it("keeps the confidence of every hit and whether the hit was useful", async () => {
    const { cases, confidence } = (await run(createTarget([0.75, 0.05]), "sure"))!;
    expect(cases[0]).toMatchObject({
      results: [cellId(STORED.source), cellId("df.head()")],
      confidences: [0.75, 0.05],
      useful: [true, false],
    });
    expect(cases[1]).toMatchObject({ confidences: [0.75, 0.05], useful: null });
    expect(confidence).toMatchObject({ hits: 4, withoutCopies: { hits: 2 } });
    // Two hits of .75 are useful and two of .05 are not.
    expect(confidence!.ece).toBeCloseTo((0.25 + 0.05) / 2, 12);
  });

  it("marks cases whose cleaned cell is in the index as copies", async () => {
    const { cases, counts } = (await run(createTarget([null, null]), "copies"))!;
    expect(cases.map(({ copy }) => copy)).toEqual([false, false, true]);
    expect(counts.copies).toBe(1);
  });

  it("has no confidences if the target gives none", async () => {
    const { cases, confidence } = (await run(createTarget([null, null]), "unsure"))!;
    expect(confidence).toBeNull();
    expect(cases[0]).toMatchObject({ confidences: [null, null], useful: [true, false] });
  });

  it("finds the confidences of answered cases in the journal", async () => {
    const first = createTarget([0.75, 0.05]);
    const result = await run(first, "again");
    const second = createTarget([0.1, 0.1]);
    expect(await run(second, "again")).toEqual(result);
    expect([first.asked, second.asked]).toEqual([3, 0]);
  });
});
