import { describe, expect, it } from "vitest";
import { forgetSource } from "../../src/ask/contents.js";
import { RecommenderError } from "../../src/errors.js";
import { createIngest } from "../../src/ingest/ingest.js";
import { createRetryingStore, openRetryingStore } from "../../src/ingest/retrying-store.js";
import type { VectorStore } from "../../src/store/vector-store.js";
import { embedder, labeller, notebook, useStores } from "./fixtures.js";

const { newStore } = useStores();

/** A store whose server is away for some of its writes. */
function awayFor(store: VectorStore, writes: number): VectorStore {
  let left = writes;
  return {
    ...store,
    async write(...parameters) {
      left -= 1;
      if (left >= 0) throw new RecommenderError("STORE_UNAVAILABLE", "Milvus does not answer.");
      return store.write(...parameters);
    },
  };
}

describe("a run whose store becomes unavailable", () => {
  it("resumes when the folder is back, and reports it once", async () => {
    const store = newStore();
    const told: string[] = [];
    const patient = createRetryingStore(awayFor(store, 3), {
      pauseMs: 1,
      onUnavailable: (message) => told.push(message),
    });
    const [report] = await createIngest({ embedder, labeller, store: patient })([notebook("a.ipynb", "a = 1")]);
    expect([report!.cells, report!.new, told]).toEqual([1, 1, ["Milvus does not answer."]]);
    expect((await store.counts()).notebooks).toBe(1);
  });

  it("waits for the store also while it removes a source", async () => {
    const store = newStore();
    await createIngest({ embedder, labeller, store })([notebook("a.ipynb", "a = 1")]);
    let left = 1;
    const away: VectorStore = {
      ...store,
      name: "milvus",
      async removeSource(...parameters) {
        left -= 1;
        if (left >= 0) throw new RecommenderError("STORE_UNAVAILABLE", "Milvus does not answer.");
        return store.removeSource(...parameters);
      },
    };
    const told: string[] = [];
    const patient = await openRetryingStore(away, new AbortController().signal, (message) => told.push(message));
    expect(await forgetSource(patient, "upload")).toEqual({ source: "upload", removed: 1 });
    expect(told).toEqual(["Milvus does not answer. Waiting for it."]);
    expect(await openRetryingStore(store, new AbortController().signal, () => {})).toBe(store);
  });

  it("throws the error if the store stays unavailable, or if it is another error", async () => {
    const ingest = (store: VectorStore) => createIngest({ embedder, labeller, store })([notebook("a.ipynb", "a = 1")]);
    const gone = createRetryingStore(awayFor(newStore(), 1_000), { pauseMs: 1, maxWaitMs: 20 });
    await expect(ingest(gone)).rejects.toMatchObject({ code: "STORE_UNAVAILABLE" });
    const full = { ...newStore(), write: () => Promise.reject(new RecommenderError("DISK_FULL", "full")) };
    await expect(ingest(createRetryingStore(full))).rejects.toMatchObject({ code: "DISK_FULL" });
  });
});
