import { afterEach, describe, expect, it } from "vitest";
import type { VectorStore } from "../../../src/store/vector-store.js";
import { cell, expectSoon, IDENTITY, ids, type NotebookWrite, notebook, put } from "../contract/fixtures.js";
import { partsThatBreak } from "./parts.js";
import { hasMilvusLite, LITE_ADDRESS, type MilvusPlace, newPlace } from "./server.js";

/** So long a process without a sign of life is waited for here; a busy machine must not make one of the living. */
const PATIENCE_MS = 3_000;
const [KEPT, GONE, ADDED] = [cell("kept"), cell("gone", [0, 1, 0, 0]), cell("added", [0, 0, 1, 0])];
const OLD = notebook("one.ipynb", [KEPT!, GONE!]);
const NEW = notebook("one.ipynb", [ADDED!, KEPT!], "v2", 1);
const ALL = { vector: Float32Array.of(1, 1, 1, 1), k: 100, strong: true };

describe.runIf(await hasMilvusLite())("a process that ends in the middle", () => {
  const places: MilvusPlace[] = [];
  const stores: VectorStore[] = [];
  afterEach(async () => {
    for (const store of stores.splice(0)) await store.close();
    for (const place of places.splice(0)) await place.drop();
  });
  const fresh = async () => {
    const place = newPlace(LITE_ADDRESS);
    places.push(place);
    const store = place.open(IDENTITY, { patienceMs: PATIENCE_MS });
    stores.push(store);
    return { place, store };
  };

  it.each([0, 1, 2, 3, 4, 5])(
    "leaves the old notebook whole: a replacement that broke off after %i changes",
    async (steps) => {
      const { place, store } = await fresh();
      await put(store, [OLD]);
      const { connection, generations, writes } = partsThatBreak(place, steps);
      const generation = (await generations.find())!;
      const made = async () => NEW.cells;
      const outcome = await writes.put(generation, [NEW.notebook], made).then(
        () => "done",
        (error: Error) => error.message,
      );
      await connection.close();
      // The journal, the occurrences, the cells, the doubts, the heads.
      expect(outcome).toBe(steps < 5 ? "broke off" : "done");
      const now = steps < 5 ? OLD : NEW;
      expect(await store.notebook(OLD.notebook.id)).toEqual(now.notebook);
      expect(new Set(ids(await store.search(ALL)))).toEqual(new Set(ids(now.cells)));
      await put(store, [NEW]);
      await expectOnly(store, [NEW]);
    },
  );

  it.each([0, 1, 2, 3, 4, 5, 6])("is finished by others: a removal that broke off after %i changes", async (steps) => {
    const { place, store } = await fresh();
    await put(store, [OLD, notebook("two.ipynb", [KEPT!])]);
    const { connection, generations, writes, tidy } = partsThatBreak(place, steps);
    const generation = (await generations.find())!;
    await (async () => {
      const done = await writes.remove(generation, [OLD.notebook.id]);
      if ("write" in done) await tidy.end(generation, done.write, done.notebooks);
    })().catch((error: Error) => expect(error.message).toBe("broke off"));
    await connection.close();
    // The journal, the doubts, the head, the journal, the doubts again, the occurrences, the journal.
    const isGone = steps >= 3;
    expect(await store.notebook(OLD.notebook.id)).toEqual(isGone ? null : OLD.notebook);
    expect(new Set(ids(await store.search(ALL)))).toEqual(new Set(ids(isGone ? [KEPT!] : OLD.cells)));
    expect(await store.remove(OLD.notebook.id)).toBe(!isGone);
    await expectOnly(store, [notebook("two.ipynb", [KEPT!])]);
  });

  it.each([0, 1, 2, 3, 4])(
    "loses no cell that is taken up meanwhile: a collector that broke off after %i changes",
    async (steps) => {
      const { place, store } = await fresh();
      await put(store, [OLD]);
      // Taken away, and not collected: the store that does it is not given the time.
      const first = partsThatBreak(place, Number.POSITIVE_INFINITY);
      const generation = (await first.generations.find())!;
      const done = await first.writes.remove(generation, [OLD.notebook.id]);
      if ("write" in done) await first.tidy.end(generation, done.write, done.notebooks);
      const dying = partsThatBreak(place, steps);
      await (async () => {
        const lease = (await dying.leases.take({ what: "test", stops: false }, 5_000))!;
        try {
          await dying.collector.collect(generation, lease);
        } finally {
          await lease.stop();
        }
      })().catch((error: Error) => expect(error.message).toBe("broke off"));
      await Promise.all([first.connection.close(), dying.connection.close()]);
      const taken = notebook("three.ipynb", [GONE!]);
      await put(store, [taken]);
      expect(await store.missing([GONE!.id])).toEqual(new Set());
      expect(ids(await store.search(ALL))).toEqual([GONE!.id]);
      // Any change makes somebody collect.
      await put(store, [notebook("four.ipynb", [KEPT!])]);
      await store.remove(notebook("four.ipynb", []).notebook.id);
      await expectOnly(store, [taken]);
    },
  );
});

/** These notebooks are all there is, and all of them is there. */
async function expectOnly(store: VectorStore, writes: readonly NotebookWrite[]): Promise<void> {
  for (const { notebook } of writes) expect(await store.notebook(notebook.id)).toEqual(notebook);
  const cells = new Set(writes.flatMap((write) => ids(write.cells)));
  const occurrences = writes.reduce((sum, write) => sum + write.cells.length, 0);
  const labels = { load: 0, plot: 0, train: 0 };
  await expectSoon(store, store.counts, { cells: cells.size, notebooks: writes.length, occurrences, labels });
  expect(new Set(ids(await store.search(ALL)))).toEqual(cells);
}
