// A process of the benchmark. Indexes the real notebooks, or does only the work that any indexer must do.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { compose } from "../../src/app/compose.js";
import { openEmbedder } from "../../src/app/parts.js";
import { parseConfig } from "../../src/config.js";
import { ingestCorpus } from "../../src/ingest/ingest-corpus.js";
import { openLedger } from "../../src/ingest/ledger.js";
import { openPaths, readNotebooks } from "../../src/notebook/corpus/open-paths.js";
import { extractCells } from "../../src/notebook/extract.js";
import { loadGrammar, parses } from "../../src/python/grammar.js";
import { strip } from "../../src/python/strip.js";
import { createBareIndex } from "./bare-index.js";
import { notebookFolder } from "./corpus.js";
import type { IndexingFigures } from "./indexing.js";

const folder = mkdtempSync(join(tmpdir(), "celrec-bench-"));
const figures = process.argv[2] === "floor" ? await measureFloor() : await measureIndexing();
rmSync(folder, { recursive: true });
process.send!({ ...figures, peakMegabytes: process.resourceUsage().maxRSS / 1024 } satisfies IndexingFigures);

async function measureIndexing() {
  const config = parseConfig({ CELREC_DATA: folder });
  const services = await compose(config, { activity: "benchmark", hold: "session" });
  const stages: Record<string, number> = {};
  const timed =
    <A extends unknown[], T>(stage: string, action: (...parameters: A) => Promise<T>) =>
    async (...parameters: A) => {
      const start = performance.now();
      const result = await action(...parameters);
      stages[stage] = (stages[stage] ?? 0) + (performance.now() - start) / 1000;
      return result;
    };
  const store = { ...services.store, write: timed("store", services.store.write) };
  const ledger = openLedger(folder);
  const { corpus } = await openPaths([notebookFolder()]);
  const goOver = async () => {
    const start = performance.now();
    let cells = 0;
    for await (const { reports } of ingestCorpus(corpus, { store, workers: services.workers, ledger })) {
      cells += reports.reduce((sum, report) => sum + report.cells + report.skipped, 0);
    }
    return { cells, seconds: (performance.now() - start) / 1000 };
  };
  const first = await goOver();
  await timed("settle", services.store.settle)();
  const again = await goOver();
  ledger.close();
  await services.close();
  return { seconds: first.seconds + stages.settle!, cells: first.cells, again: again.seconds, stages };
}

/** The lower bound: reads and parses (JSON, then Python) the same files, and adds a given vector per distinct cell. */
async function measureFloor() {
  await loadGrammar();
  const start = performance.now();
  const distinct = new Map<string, string>();
  let cells = 0;
  for await (const { parsed } of readNotebooks([notebookFolder()])) {
    if ("rejected" in parsed) continue;
    for (const { id, code } of extractCells(parsed.notebook)) {
      cells += 1;
      if (distinct.has(id)) continue;
      parses(code);
      distinct.set(id, code);
    }
  }
  const reading = performance.now() - start;
  const embedder = await openEmbedder(parseConfig({}));
  const texts = [...distinct.values()].map((code) => strip(code).text);
  const vectors = (await embedder.embed(texts, "cell")).filter((vector) => vector !== null);
  const adding = performance.now();
  createBareIndex(vectors);
  return { seconds: (reading + performance.now() - adding) / 1000, cells };
}
