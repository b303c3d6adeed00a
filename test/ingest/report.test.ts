import { expect, it } from "vitest";
import { addStep, type CorpusReport, NO_TOTALS, type RejectedEntry } from "../../src/ingest/report.js";

it("sums the results of all batches of a run", () => {
  const written: CorpusReport = {
    id: "1",
    source: "s",
    name: "a.ipynb",
    cells: 5,
    new: 3,
    duplicate: 2,
    skipped: 4,
    replaced: true,
    unchanged: false,
    skips: { empty: 1, "too long": 3 },
  };
  const known: CorpusReport = {
    ...written,
    cells: 7,
    new: 0,
    duplicate: 7,
    replaced: false,
    unchanged: true,
    skips: {},
  };
  const rejected: RejectedEntry = { source: "s", name: "b", kind: "not-json", reason: "no", isContainer: false };
  const step = { files: 4, reports: [written, known], rejected: [rejected], passedOver: [] };
  const expected = {
    files: 4,
    notebooks: 2,
    unchanged: 1,
    replaced: 1,
    cells: 12,
    new: 3,
    duplicate: 9,
    skipped: 8,
    skippedBecause: { empty: 1, "comments only": 0, "too long": 3, "no tokens": 0 },
    rejected: 1,
  };
  const once = addStep(NO_TOTALS, step);
  expect(once).toEqual(expected);
  const { skippedBecause, ...counts } = expected;
  expect(addStep(once, step)).toEqual({
    ...Object.fromEntries(Object.entries(counts).map(([name, count]) => [name, 2 * count])),
    skippedBecause: { ...skippedBecause, empty: 2, "too long": 6 },
  });
});
