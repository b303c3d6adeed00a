import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createContextIndex, MAX_ORDER, sortContexts } from "../../src/complete/context-index.js";
import { findRanges } from "../../src/complete/predict.js";

const WRAP = 99;

/** The tokens after each occurrence of the end of `context`, found by a scan of the stream. */
function countByScan(stream: readonly number[], wrapped: readonly number[], context: readonly number[], order: number) {
  const counts = new Map<number, number>();
  const end = context.slice(-order);
  for (let at = order; at < stream.length; at += 1) {
    if (!end.every((token, index) => stream[at - order + index] === token)) continue;
    counts.set(stream[at]!, (counts.get(stream[at]!) ?? 0) + 1);
    if (wrapped.includes(at)) counts.set(WRAP, (counts.get(WRAP) ?? 0) + 1);
  }
  return counts;
}

describe("the index of contexts", () => {
  it("finds the same as a scan of the stream, for every context length", () => {
    const tokens = fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 60 });
    fc.assert(
      fc.property(
        tokens,
        fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 12 }),
        (stream, context) => {
          const wrapped = stream.flatMap((_, at) => (at % 7 === 3 ? [at] : []));
          const ids = Int32Array.from(stream);
          const index = createContextIndex(sortContexts(ids, 5, Int32Array.from(wrapped)), WRAP);
          const ranges = findRanges(index, context);
          for (let order = 1; order <= Math.min(context.length, MAX_ORDER); order += 1) {
            const expected = countByScan(stream, wrapped, context, order);
            const range = ranges[order - 1];
            const found = range === undefined ? null : index.continuations(range);
            const counts = new Map(found === null ? [] : [...found.ids].map((id, at) => [id, found.counts[at]!]));
            expect(counts).toEqual(expected);
          }
        },
      ),
    );
  });

  it("samples the positions of a very frequent context evenly", () => {
    const stream = Int32Array.from({ length: 200_000 }, (_, at) => (at % 2 === 0 ? 1 : at % 8 === 1 ? 3 : 2));
    const index = createContextIndex(sortContexts(stream, 4, new Int32Array(0)), WRAP);
    const { total, ids, counts } = index.continuations(findRanges(index, [1])[0]!);
    expect([...ids]).toEqual([2, 3]);
    expect(total).toBeLessThan(20_000);
    expect(counts[0]! / total).toBeCloseTo(0.75, 2);
  });

  it("lists the most frequent continuation first", () => {
    const stream = Int32Array.from([1, 2, 1, 3, 1, 3]);
    const index = createContextIndex(sortContexts(stream, 4, new Int32Array(0)), WRAP);
    expect([...index.continuations(findRanges(index, [1])[0]!).ids]).toEqual([3, 2]);
  });
});
