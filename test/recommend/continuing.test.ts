import { describe, expect, it } from "vitest";
import { profileCell } from "../../src/python/profile.js";
import { createContinuingCheck, rankContinuing } from "../../src/recommend/continuing.js";
import type { RankedCandidate } from "../../src/recommend/rerank.js";
import { packProfile } from "../../src/store/profile-pack.js";
import type { VectorStore } from "../../src/store/vector-store.js";

/** Ids are the code; a call never continues `df.`. */
const CELLS = ["a = 1", "df.head()", "show(df)", "df.tail()", "df.drop(1)"];

/** The profile of `df.head()` passes the quick check, but the cell does not continue the line. */
function rank(codes: readonly string[], minConfidence: number, keepsContinuing: boolean, unfiltered: string[] = []) {
  const ranked = codes.map(
    (id, at): RankedCandidate => ({ id, score: 10 - at, confidence: (9 - 2 * at) / 10, why: () => ({}) }),
  );
  const read: string[][] = [];
  const cells = async (ids: readonly string[]) => {
    read.push([...ids]);
    return ids.map((id) => ({ id, code: id, clean: id, labels: [], primary: null }));
  };
  const check = { ...createContinuingCheck("df.", (code) => code !== "df.head()"), bonus: 2 };
  const profiles = new Map(codes.map((code) => [code, packProfile(profileCell(code))]));
  const options = { minConfidence, keepsContinuing, unfiltered: new Set(unfiltered), profiles };
  return { ranking: rankContinuing({ cells } as unknown as VectorStore, ranked, check, options), read };
}

const show = (hits: readonly RankedCandidate[]) => hits.map(({ id, score }) => [id, score]);

describe("rankContinuing", () => {
  it("reads only cells that may continue the line and would be among the first", async () => {
    const { ranking, read } = rank(CELLS, 0, true);
    expect(show(await ranking.first(1))).toEqual([["a = 1", 10]]);
    expect(read).toEqual([["df.head()"]]);
    const three = [["a = 1", 10], ["df.head()", 9], ["df.tail()", 9]]; // biome-ignore format: a table
    expect(show(await ranking.first(3))).toEqual(three);
    expect(read).toEqual([["df.head()"], ["df.tail()"]]);
    expect(show(await ranking.first(9)).slice(3)).toEqual([
      ["df.drop(1)", 8],
      ["show(df)", 8],
    ]);
    expect(await ranking.isCutOff()).toBe(false);
  });

  it("leaves out hits below the confidence, except cells that continue the line if they are kept", async () => {
    const kept = rank(CELLS, 0.6, true);
    expect(show(await kept.ranking.first(9))).toEqual([
      ["a = 1", 10],
      ["df.head()", 9],
      ["df.tail()", 9],
      ["df.drop(1)", 8],
    ]);
    expect(await kept.ranking.isCutOff()).toBe(true);
    const strict = rank(CELLS, 0.6, false);
    expect(show(await strict.ranking.first(9))).toEqual([
      ["a = 1", 10],
      ["df.head()", 9],
    ]);
    expect(strict.read).toEqual([["df.head()"]]);
  });

  it("keeps a cell that the label filter excludes only if it continues the line", async () => {
    const { ranking } = rank(CELLS, 0, true, ["a = 1", "df.head()", "df.drop(1)"]);
    expect((await ranking.first(9)).map(({ id }) => id)).toEqual(["df.tail()", "df.drop(1)", "show(df)"]);
    const strict = rank(CELLS, 0.6, false, ["df.drop(1)"]);
    expect((await strict.ranking.first(9)).map(({ id }) => id)).toEqual(["a = 1", "df.head()"]);
  });

  it("reads enough to know whether a hit fell below the minimum confidence", async () => {
    const cut = rank(["a = 1", "b = 2", "c = 3", "d = 4", "df.head()"], 0.2, true);
    expect(await cut.ranking.isCutOff()).toBe(true);
    expect(cut.read).toEqual([["df.head()"]]);
    const kept = rank(["a = 1", "b = 2", "c = 3", "d = 4", "df.tail()"], 0.2, true);
    expect(await kept.ranking.isCutOff()).toBe(false);
  });
});
