import { describe, expect, it } from "vitest";
import { findWorst } from "../../../../src/evaluate/suites/labels/mistakes.js";

const cell = (id: string, labels: string[], code = "x") => ({ id, notebook: "n", code, labels });
const labelling = (given: string[], probabilities: Record<string, number>) => ({
  labels: given.map((label) => ({ label, probability: probabilities[label]! })),
  primary: given[0] ?? null,
  possible: given,
  probabilities,
});

describe("findWorst", () => {
  it("sorts mistakes by confidence: wrong labels by their probability, missed ones by its complement", () => {
    const cells = [cell("a", []), cell("b", ["x"]), cell("c", ["x"]), cell("d", ["x"])];
    const worst = findWorst(cells, [
      labelling(["x"], { x: 0.8, y: 0.1 }),
      labelling([], { x: 0.1, y: 0.1 }),
      labelling(["x"], { x: 0.9, y: 0.1 }),
      labelling(["y"], { x: 0.3, y: 0.6 }),
    ]);
    expect(worst.map(({ id, mistake, label, probability }) => [id, mistake, label, probability])).toEqual([
      ["b", "missed", "x", 0.1],
      ["a", "wrong", "x", 0.8],
      ["d", "missed", "x", 0.3],
    ]);
  });

  it("shows twenty cells, ties by name, and the first 2,000 characters of each", () => {
    const cells = Array.from({ length: 21 }, (_, at) =>
      cell(`c${String(20 - at).padStart(2, "0")}`, [], "x".repeat(2_001)),
    );
    const worst = findWorst(
      cells,
      cells.map(() => labelling(["x"], { x: 0.8 })),
    );
    expect(worst).toHaveLength(20);
    expect([worst[0]!.id, worst[19]!.id]).toEqual(["c00", "c19"]);
    expect(worst[0]!.code).toHaveLength(2_000);
  });
});
