import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { RANKING_METRICS } from "../../../../src/evaluate/metrics/index.js";
import type { ListMetric } from "../../../../src/evaluate/metrics/metric.js";
import { type CeilingQuery, ceilingOf } from "../../../../src/evaluate/suites/celrec/ceiling.js";

const LISTS = RANKING_METRICS.filter((metric): metric is ListMetric => metric.kind === "list");
const SEARCHED = LISTS.filter(({ ceiling }) => typeof ceiling === "string");

/** Tries every list of k of these cells and an unrelated one. */
function bestByForce(metric: ListMetric, k: number, queries: readonly CeilingQuery[]): number {
  const ids = [...new Set(queries.flatMap(({ relevant }) => [...relevant.keys()]))];
  const lists = (length: number): string[][] =>
    length === 0
      ? [[]]
      : lists(length - 1).flatMap((list) => [
          [...list, "unrelated"],
          ...ids.filter((id) => !list.includes(id)).map((id) => [...list, id]),
        ]);
  const score = (list: string[]) =>
    queries.reduce((sum, { relevant }) => {
      const ratings = list.map((id) => relevant.get(id) ?? 1);
      return sum + metric.of({ ratings, ideal: [...relevant.values()] }, k)!;
    }, 0);
  return Math.max(...lists(k).map(score)) / queries.length;
}

const cells = fc.uniqueArray(fc.constantFrom("a", "b", "c", "d", "e"), { minLength: 1, maxLength: 3 });
const group = fc.array(
  cells.map((ids): CeilingQuery => ({ group: "", relevant: new Map(ids.map((id, at) => [id, 5 - at])) })),
  { minLength: 1, maxLength: 4 },
);

describe("ceilingOf", () => {
  it.each(SEARCHED.map((metric) => [metric.name, metric] as const))(
    "finds the best list of small groups: %s",
    (_, metric) => {
      fc.assert(
        fc.property(group, fc.integer({ min: 1, max: 3 }), (queries, k) => {
          expect(ceilingOf(metric, k, queries)).toBeCloseTo(bestByForce(metric, k, queries), 12);
        }),
        { numRuns: 150 },
      );
    },
  );

  it("treats groups separately and weighs all queries equally", () => {
    const ask = (name: string, seed: string): CeilingQuery => ({ group: name, relevant: new Map([[seed, 5]]) });
    const mrr = LISTS.find(({ name }) => name === "mrr")!;
    const one = new Map([["s", 5]]);
    expect(ceilingOf(mrr, 3, [ask("p", "s"), ask("q", "t")])).toBe(1);
    expect(ceilingOf(mrr, 3, [ask("p", "s"), ask("p", "t")])).toBe(0.75);
    expect(ceilingOf(mrr, 3, [{ group: "p", relevant: one }, { group: "p", relevant: one }, ask("p", "t")])).toBe(
      2.5 / 3,
    );
  });

  it("stays fast for thousands of seeds with equal first lines", () => {
    const queries = Array.from({ length: 3_000 }, (_, seed): CeilingQuery => {
      const ratings = [5, 4, 3].map((rating) => [`${seed}-${rating}`, rating] as const);
      return { group: "import pandas as pd", relevant: new Map(ratings) };
    });
    const value = (name: string) => ceilingOf(LISTS.find((metric) => metric.name === name)!, 3, queries);
    expect(value("hit-rate")).toBe(3 / 3_000);
    expect(value("mrr")).toBeCloseTo((1 + 1 / 2 + 1 / 3) / 3_000, 12);
    expect(value("ap")).toBeCloseTo((1 + 1 / 2 + 1 / 3) / 3_000, 12);
    expect(value("precision")).toBeCloseTo(1 / 3_000, 12);
  });

  it("is null without queries and for diversity", () => {
    const diversity = LISTS.find(({ name }) => name === "diversity")!;
    expect(ceilingOf(diversity, 3, [{ group: "", relevant: new Map() }])).toBeNull();
    expect(ceilingOf(LISTS[0]!, 3, [])).toBeNull();
  });
});
