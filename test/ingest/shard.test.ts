import { describe, expect, it } from "vitest";
import { isInShard, takeShard } from "../../src/ingest/shard.js";
import type { Found } from "../../src/notebook/corpus/entry.js";
import { notebookId } from "../../src/notebook/extract.js";

describe("a shard", () => {
  it("holds an id by its first eight digits", () => {
    const id = `0000000b${"f".repeat(56)}`;
    expect([1, 2, 3, 4].map((index) => isInShard(id, { index, of: 4 }))).toEqual([false, false, false, true]);
    expect(isInShard(id, { index: 1, of: 1 })).toBe(true);
    expect([1, 2].map((index) => isInShard(`fffffffe${"1".repeat(56)}`, { index, of: 2 }))).toEqual([true, false]);
  });

  it("takes each notebook once, and in every shard what may hide more of them", async () => {
    const refusal = (path: string, hides?: true): Found => ({
      source: "s",
      path,
      rejected: { kind: "unreadable", reason: "no permission" },
      ...(hides && { hides }),
    });
    const corpus = async function* () {
      for (let at = 0; at < 20; at += 1) yield refusal(`${at}.ipynb`);
      yield refusal("locked", true);
    };
    const taken: string[][] = [];
    for (const index of [1, 2, 3]) {
      const paths: string[] = [];
      for await (const { path } of takeShard(corpus(), { index, of: 3 })) paths.push(path);
      expect(paths.pop()).toBe("locked");
      expect(paths.every((path) => isInShard(notebookId(path, "s"), { index, of: 3 }))).toBe(true);
      taken.push(paths);
    }
    expect(taken.flat().toSorted()).toEqual(Array.from({ length: 20 }, (_, at) => `${at}.ipynb`).toSorted());
    expect(taken.every((paths) => paths.length > 0)).toBe(true);
  });
});
