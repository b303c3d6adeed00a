import { describe, expect, it, onTestFinished } from "vitest";
import { ingestCorpus, ingestWhole } from "../../src/ingest/ingest-corpus.js";
import { openLedger } from "../../src/ingest/ledger.js";
import { hashFacts } from "../../src/ingest/screen.js";
import { createInlineWorkers } from "../../src/ingest/workers.js";
import type { CorpusItem, Entry } from "../../src/notebook/corpus/entry.js";
import { notebookId } from "../../src/notebook/extract.js";
import { embedder, labeller, useStores } from "./fixtures.js";

const { newFolder, newStore } = useStores();
const workers = createInlineWorkers({ embedder, labeller });
const bytes = (...sources: string[]) =>
  Buffer.from(JSON.stringify({ nbformat: 4, cells: sources.map((source) => ({ cell_type: "code", source })) }));

/** A notebook of a corpus that notes when it is read. */
function entry(path: string, content: Buffer, reads: string[], more: Partial<Entry> = {}): Entry {
  const read = async () => {
    reads.push(path);
    return { format: "ipynb" as const, bytes: content };
  };
  return { source: "s", path, facts: {}, stamp: "1", size: null, named: false, ...more, read };
}

describe("a corpus that is indexed again", () => {
  it("is read only if something may have changed, and written only if content or facts changed", async () => {
    const [store, ledger, reads] = [newStore(), openLedger(newFolder()), [] as string[]];
    onTestFinished(() => ledger.close());
    const run = async (...entries: CorpusItem[]) => {
      reads.length = 0;
      const corpus = async function* () {
        yield* entries;
      };
      const steps = [];
      for await (const step of ingestCorpus(corpus(), { store, workers, ledger })) steps.push(step);
      return steps.flatMap(({ reports }) =>
        reports.map(({ name, cells, new: added, duplicate, skipped, unchanged, replaced }) => ({
          name,
          figures: [cells, added, duplicate, skipped],
          unchanged,
          replaced,
        })),
      );
    };
    const a = entry("a", bytes("x = 1", "# nothing"), reads);
    const b = entry("b", bytes("y = 2"), reads, { stamp: null });
    expect(await run(a, b)).toEqual([
      { name: "a", figures: [1, 1, 0, 1], unchanged: false, replaced: false },
      { name: "b", figures: [1, 1, 0, 0], unchanged: false, replaced: false },
    ]);
    expect(reads).toEqual(["a", "b"]);
    const version = (await store.versions([notebookId("a", "s")])).get(notebookId("a", "s"))!;
    const known = ledger.recall([notebookId("a", "s"), notebookId("b", "s")]);
    const memory = { stamp: "1", version, cells: 1, skipped: 1, facts: hashFacts({}) };
    expect(known.get(notebookId("a", "s"))).toEqual(memory);
    expect(known.get(notebookId("b", "s"))).toMatchObject({ stamp: "", cells: 1, skipped: 0 });

    // Notebooks without a stamp are read again; both are already stored unchanged.
    expect((await run(a, b)).map(({ name, unchanged }) => [name, unchanged])).toEqual([
      ["a", true],
      ["b", true],
    ]);
    expect(reads).toEqual(["b"]);

    // The facts differ, so the notebook is read and written although its content is the same.
    const voted = entry("a", bytes("x = 1", "# nothing"), reads, { facts: { votes: 3 } });
    expect(await run(voted)).toEqual([{ name: "a", figures: [1, 0, 1, 1], unchanged: false, replaced: true }]);
    expect((await store.notebook(notebookId("a", "s")))!.facts).toEqual({ votes: 3 });

    // Content and stamp differ.
    const newer = entry("a", bytes("z = 3"), reads, { facts: { votes: 3 }, stamp: "2" });
    expect(await run(newer)).toEqual([{ name: "a", figures: [1, 1, 0, 0], unchanged: false, replaced: true }]);
    expect(reads).toEqual(["a"]);

    // After removal from the store, the ledger entry alone does not make the notebook known.
    await store.remove(notebookId("a", "s"));
    expect(await run(newer)).toEqual([{ name: "a", figures: [1, 1, 0, 0], unchanged: false, replaced: false }]);
    expect(reads).toEqual(["a"]);
  });

  it("reports the totals of the whole corpus", async () => {
    const reads: string[] = [];
    const corpus = async function* (): AsyncGenerator<CorpusItem> {
      yield entry("a", bytes("x = 1", "x = 1", ""), reads);
      yield { source: "s", path: "r", rejected: { kind: "unreadable", reason: "no permission" }, isContainer: true };
    };
    expect(await ingestWhole(corpus(), { store: newStore(), workers })).toMatchObject({
      files: 2,
      notebooks: 1,
      cells: 2,
      new: 1,
      duplicate: 1,
      skipped: 1,
      skippedBecause: { empty: 1 },
      rejected: 1,
    });
  });
});
