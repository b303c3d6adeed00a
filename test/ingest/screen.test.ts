import { describe, expect, it, onTestFinished } from "vitest";
import { openLedger } from "../../src/ingest/ledger.js";
import { hashFacts, isInShard, screen, takeShard } from "../../src/ingest/screen.js";
import type { CorpusItem, Entry, UnreadableEntry } from "../../src/notebook/corpus/entry.js";
import { notebookId } from "../../src/notebook/extract.js";
import { useStores } from "./fixtures.js";

const { newFolder } = useStores();
const FACTS = { location: "/a", votes: 1 };

const entry = (path: string, stamp: string | null, facts: Entry["facts"] = FACTS): Entry => ({
  source: "s",
  path,
  facts,
  stamp,
  size: null,
  named: false,
  read: () => Promise.reject(new Error("it need not be read")),
});
const refusal: UnreadableEntry = { source: "s", path: "r", rejected: { kind: "unreadable", reason: "no" } };

/** A ledger with an entry for `a`, and a store with these versions. */
function know(versions: Readonly<Record<string, string>>) {
  const ledger = openLedger(newFolder());
  onTestFinished(() => ledger.close());
  const memory = { stamp: "1", version: "v1", cells: 3, skipped: 2, facts: hashFacts(FACTS) };
  ledger.note(new Map([[notebookId("a", "s"), memory]]));
  const asked: string[][] = [];
  const store = {
    versions: async (ids: readonly string[]) => {
      asked.push([...ids]);
      return new Map(Object.entries(versions).map(([path, version]) => [notebookId(path, "s"), version]));
    },
  };
  return { ledger, store, asked };
}

describe("screening a corpus", () => {
  it("recognises a file that is unchanged in another commit", async () => {
    const { asked: _, ...deps } = know({ a: "v1" });
    const [same] = await screen([entry("a", "1", { ...FACTS, revision: "c0ffee" })], deps);
    expect(same).toMatchObject({ known: { name: "a", unchanged: true }, force: false });
  });

  it("recognises stored notebooks by stamp, version and facts, without reading them", async () => {
    const { asked, ...deps } = know({ a: "v1" });
    const found = [entry("a", "1"), entry("b", "1"), refusal];
    expect(await screen(found, deps)).toEqual([
      {
        found: found[0],
        known: {
          id: notebookId("a", "s"),
          source: "s",
          name: "a",
          cells: 3,
          new: 0,
          duplicate: 3,
          skipped: 2,
          replaced: false,
          unchanged: true,
          skips: {},
        },
        force: false,
      },
      { found: found[1], known: null, force: false },
      { found: refusal, known: null, force: false },
    ]);
    expect(asked).toEqual([[notebookId("a", "s")]]);
  });

  it.each([
    ["another stamp", entry("a", "2"), "v1", false],
    ["no stamp", entry("a", null), "v1", false],
    ["another version in the store", entry("a", "1"), "v2", false],
    ["a change of its facts, which must be written", entry("a", "1", { location: "/b" }), "v1", true],
  ])("requests that a notebook be read if there is %s", async (_why, found, version, force) => {
    const { asked: _, ...deps } = know({ a: version });
    expect(await screen([found], deps)).toEqual([{ found, known: null, force }]);
  });

  it("does not query the store if no stamp matches", async () => {
    const { asked, ...deps } = know({ a: "v1" });
    await screen([entry("a", "2"), entry("b", null)], deps);
    expect(asked).toEqual([]);
  });

  it("distinguishes facts, regardless of their order", () => {
    const one = { location: "/a", votes: 1 };
    const other = { votes: 1, location: "/a" };
    expect(hashFacts(one)).toBe(hashFacts(other));
    expect(hashFacts(one)).toMatch(/^[0-9a-f]{16}$/);
    expect(hashFacts({ ...one, location: "/b" })).not.toBe(hashFacts(one));
  });
});

describe("a shard", () => {
  it("finds an id by its first eight digits", () => {
    const id = `0000000b${"f".repeat(56)}`;
    expect([1, 2, 3, 4].map((index) => isInShard(id, { index, of: 4 }))).toEqual([false, false, false, true]);
    expect(isInShard(id, { index: 1, of: 1 })).toBe(true);
    expect([1, 2].map((index) => isInShard(`fffffffe${"1".repeat(56)}`, { index, of: 2 }))).toEqual([true, false]);
  });

  it("takes each notebook in one shard, and containers in every shard", async () => {
    const refusal = (path: string, isContainer?: true): CorpusItem => ({
      source: "s",
      path,
      rejected: { kind: "unreadable", reason: "no permission" },
      ...(isContainer && { isContainer }),
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
