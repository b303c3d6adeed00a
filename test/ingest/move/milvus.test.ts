import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { compose, type Services } from "../../../src/app/compose.js";
import { parseConfig } from "../../../src/config.js";
import { ingestWhole } from "../../../src/ingest/ingest-corpus.js";
import { exportIndex } from "../../../src/ingest/move/export-index.js";
import { importIndex } from "../../../src/ingest/move/import-index.js";
import { createInlineWorkers } from "../../../src/ingest/workers.js";
import { openPaths } from "../../../src/notebook/corpus/open-paths.js";
import { ADDRESS, hasMilvus, newPlace } from "../../store/milvus/server.js";

const QUESTIONS = [
  "df = pd.read_csv(",
  "model.fit(X_train, y_train)",
  "plt.figure(figsize=(10, 5))",
  "import numpy as np",
];

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "celrec-move-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Ranks by cosine alone, because Milvus before 2.5 cannot search by words. */
async function open(settings: Record<string, string> = {}): Promise<Services> {
  const config = parseConfig({ CELREC_EMBEDDER: "lexical", CELREC_DATA: makeFolder(), ...settings });
  const services = await compose(config, { activity: "a test", hold: "call" }, 1);
  onTestFinished(() => services.close());
  return services;
}

const identityOf = ({ embedder, labeller }: Services) => ({
  embedder: embedder.id,
  dimensions: embedder.dimensions,
  labeller: labeller.id,
  labels: labeller.labels,
});

async function move(from: Services, to: Services): Promise<void> {
  const file = join(makeFolder(), "cells.parquet");
  const moved = await exportIndex(from.store, identityOf(from), file);
  expect(await importIndex(to.store, identityOf(to), file)).toEqual(moved);
}

async function answersOf({ recommend }: Services) {
  const asked = { k: 10, filter: "soft", mode: "similar", collapse: true, diversity: 0 } as const;
  const answers = await Promise.all(QUESTIONS.map((code) => recommend({ ...asked, code })));
  return answers.map(({ widened, recommendations }) => ({
    widened,
    hits: recommendations.map(({ score, ...hit }) => ({ ...hit, score: score.toFixed(6) })),
  }));
}

describe.runIf(await hasMilvus())("an index that is moved to Milvus and back", () => {
  it("recommends the same", { timeout: 120_000 }, async () => {
    const place = newPlace();
    onTestFinished(() => place.drop());
    const milvus = { CELREC_STORE: "milvus", CELREC_MILVUS_ADDRESS: ADDRESS, CELREC_MILVUS_PREFIX: place.prefix };
    const [first, there, back] = [await open(), await open(milvus), await open()];
    const { corpus } = await openPaths(["examples/notebooks"], { source: "samples" });
    await ingestWhole(corpus, { store: first.store, workers: createInlineWorkers(first) });
    const expected = await answersOf(first);
    expect(expected.map(({ hits }) => hits.length)).toEqual([10, 10, 10, 10]);
    await move(first, there);
    // Waits, because reads from Milvus may be as stale as the store declares.
    const timeout = there.store.stalenessMs + 20_000;
    await vi.waitFor(async () => expect(await answersOf(there)).toEqual(expected), { timeout, interval: 500 });
    await move(there, back);
    expect(await answersOf(back)).toEqual(expected);
    expect(await back.store.counts()).toEqual(await first.store.counts());
    expect(await back.store.sources()).toEqual(await first.store.sources());
  });
});
