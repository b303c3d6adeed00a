import { describe, expect, it } from "vitest";
import { bestPoint, type Suggest, savingCurve, typeCell } from "../../../../src/evaluate/suites/cursor/typist.js";

const from =
  (answers: Record<string, { text: string; confidence: number | null }>): Suggest =>
  async (prefix) =>
    answers[prefix] ?? null;

describe("typeCell", () => {
  it("accepts a suggestion up to the last correct token, one key each", async () => {
    // `df.head(5)` has 10 characters in 6 tokens: `.head(` is right (6 characters, one key), the rest is typed.
    const typed = await typeCell("df.head(5)", from({ df: { text: ".head(10)", confidence: 0.8 } }), {
      thresholds: [0.5],
    });
    expect(typed).toEqual([{ threshold: 0.5, characters: 10, accepted: 6, acceptances: 1, shown: 1, right: 0 }]);
  });

  it("counts a suggestion that is completely right", async () => {
    const typed = await typeCell("df.head(5)", from({ "df.": { text: "head(", confidence: 0.8 } }), {
      thresholds: [0],
    });
    expect(typed).toEqual([{ threshold: 0, characters: 10, accepted: 5, acceptances: 1, shown: 1, right: 1 }]);
  });

  it("shows nothing below the threshold, and continues after a wrong suggestion", async () => {
    const suggest = from({
      df: { text: " = 3", confidence: 0.9 },
      "df.": { text: "head(5)", confidence: 0.4 },
    });
    expect(await typeCell("df.head(5)", suggest, { thresholds: [0.3, 0.5, 0.95] })).toEqual([
      { threshold: 0.3, characters: 10, accepted: 7, acceptances: 1, shown: 2, right: 1 },
      { threshold: 0.5, characters: 10, accepted: 0, acceptances: 0, shown: 1, right: 0 },
      { threshold: 0.95, characters: 10, accepted: 0, acceptances: 0, shown: 0, right: 0 },
    ]);
  });

  it("asks at the start of every line of code except the first, and counts no comments, blanks or line breaks", async () => {
    const asked: string[] = [];
    const suggest: Suggest = async (prefix) => {
      asked.push(prefix);
      return prefix.endsWith("\n") ? { text: "    b = 2", confidence: null } : null;
    };
    const typed = await typeCell("# top\nif a:\n    # why\n    b = 2  # two", suggest, { thresholds: [0] });
    expect(asked).toEqual(["# top\nif", "# top\nif a", "# top\nif a:\n    # why\n"]);
    expect(typed).toEqual([{ threshold: 0, characters: 10, accepted: 5, acceptances: 1, shown: 1, right: 1 }]);
  });

  it("asks again for a higher threshold, because a shorter text may be likelier", async () => {
    const asked: [string, number][] = [];
    const suggest: Suggest = async (prefix, minConfidence) => {
      asked.push([prefix, minConfidence]);
      if (prefix !== "df") return null;
      return minConfidence <= 0.2 ? { text: ".tail()", confidence: 0.2 } : { text: ".head", confidence: 0.6 };
    };
    const thresholds = [0.1, 0.2, 0.5, 0.6];
    const saved = (await typeCell("df.head()", suggest, { thresholds })).map(({ accepted, right }) => [
      accepted,
      right,
    ]);
    expect(saved).toEqual([
      [1, 0],
      [1, 0],
      [5, 1],
      [5, 1],
    ]);
    expect(asked.filter(([prefix]) => prefix === "df")).toEqual([
      ["df", 0.1],
      ["df", 0.5],
    ]);
    asked.length = 0;
    await typeCell("df.head()", suggest, { thresholds, ignoresThreshold: true });
    expect(asked.filter(([prefix]) => prefix === "df")).toEqual([["df", 0.1]]);
  });

  it("asks once for all thresholds if there is nothing to suggest", async () => {
    let asked = 0;
    const suggest: Suggest = async () => {
      asked += 1;
      return null;
    };
    await typeCell("a.b", suggest, { thresholds: [0, 0.5] });
    expect(asked).toBe(2);
  });
});

describe("savingCurve", () => {
  const cell = { threshold: 0, characters: 10, accepted: 6, acceptances: 1, shown: 4, right: 1 };

  it("adds up the cells", () => {
    const other = { ...cell, characters: 30, accepted: 10, acceptances: 2, shown: 0, right: 0 };
    expect(savingCurve([[cell], [other]])).toEqual([{ threshold: 0, saved: 13 / 40, shown: 4, right: 0.25 }]);
    expect(savingCurve([])).toEqual([]);
  });

  it("is best if at least half of what is shown is right", () => {
    const curve = [
      { threshold: 0, saved: 0.3, shown: 9, right: 0.3 },
      { threshold: 0.5, saved: 0.2, shown: 5, right: 0.5 },
      { threshold: 0.9, saved: 0.1, shown: 1, right: 1 },
      { threshold: 0.95, saved: 0, shown: 0, right: null },
    ];
    expect(bestPoint(curve)).toEqual(curve[1]);
    expect(bestPoint(curve.slice(0, 1))).toBe(null);
  });
});
