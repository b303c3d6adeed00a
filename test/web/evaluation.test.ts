import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { METRICS } from "../../src/evaluate/metrics/index.js";
import { cursorMetrics } from "../../src/evaluate/suites/cursor/cursor-figures.js";
import { labelMetrics } from "../../src/evaluate/suites/labels/labels-score.js";

describe("the page", () => {
  it("reverses the bars of metrics for which lower is better", () => {
    // The page is compiled for browsers, with types that Node does not have; so its list is read as text.
    const list = /LOWER_IS_BETTER[^[]*\[([^\]]*)\]/.exec(readFileSync("web/src/evaluation-view.ts", "utf8"))![1]!;
    const named = [...list.matchAll(/"([^"]+)"/g)].map(([, name]) => name!);
    const measured = [...METRICS, ...cursorMetrics(1), ...labelMetrics({ partial: true })];
    const lower = new Set(measured.filter(({ better }) => better === "lower").map(({ name }) => name));
    expect(named.toSorted()).toEqual([...lower].toSorted());
  });
});
