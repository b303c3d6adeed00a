import { describe, expect, it } from "vitest";
import { decodeRanks } from "../../../src/store/milvus/search.js";
import { createRandom } from "../contract/fixtures.js";

const CONSTANT = 60;
const LIMIT = 64;

/** What a server returns for two rankings: the sum of the shares, in single precision. */
function fuse(near: readonly string[], worded: readonly string[]) {
  const share = (ranking: readonly string[], id: string) => {
    const rank = ranking.indexOf(id) + 1;
    return rank === 0 ? 0 : 1 / (CONSTANT + rank);
  };
  const score = (id: string) => 1 - (near.indexOf(id) === -1 ? 200 : near.indexOf(id)) / 300;
  return [...new Set([...near, ...worded])].map((id) => ({
    id,
    fused: Math.fround(share(near, id) + share(worded, id)),
    score: score(id),
  }));
}

describe("decodeRanks", () => {
  it("recovers both ranks of a row from their sum", () => {
    // The search by vector holds every row where there are fewer than its limit.
    const rows = fuse(["a", "b", "c", "d"], ["c", "d"]);
    const ranks = decodeRanks(rows, { limit: LIMIT, constant: CONSTANT });
    expect(ranks.map(({ id, near, worded }) => [id, near, worded])).toEqual([
      ["a", 1, null],
      ["b", 2, null],
      ["c", 3, 1],
      ["d", 4, 2],
    ]);
  });

  it("gives two full rankings of 64 rows back, however they overlap", () => {
    const random = createRandom(5);
    for (let round = 0; round < 20; round += 1) {
      const ids = Array.from({ length: 100 }, (_, at) => `${at}`);
      const shuffled = () =>
        ids
          .map((id) => [random(), id] as const)
          .sort()
          .map(([, id]) => id);
      const [near, worded] = [shuffled().slice(0, LIMIT), shuffled().slice(0, LIMIT)];
      const ranks = decodeRanks(fuse(near, worded), { limit: LIMIT, constant: CONSTANT });
      const inOrder = (which: "near" | "worded") =>
        ranks
          .filter((row) => row[which] !== null)
          .sort((one, other) => one[which]! - other[which]!)
          .map(({ id }) => id);
      expect(inOrder("near")).toEqual(near);
      expect(inOrder("worded")).toEqual(worded);
    }
  });
});
