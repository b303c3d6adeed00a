import { compose } from "../../src/app/compose.js";
import { parseConfig } from "../../src/config.js";
import { loadGrammar } from "../../src/python/grammar.js";
import { makeCorpus, makeQueries, toNotebooks } from "../bench/corpus.js";

const BATCH = 40;
const QUERIES = 5_000;
const CELLS_READ = 20_000;

/** Makes an index of `count` cells from real cells and, if these do not suffice, made ones. */
export async function makeIndex(folder: string, count: number): Promise<void> {
  await loadGrammar();
  const services = await compose(parseConfig({ CELREC_DATA: folder }), { activity: "load test", hold: "session" });
  const notebooks = toNotebooks(makeCorpus(count));
  for (let from = 0; from < notebooks.length; from += BATCH) await services.ingest(notebooks.slice(from, from + BATCH));
  await services.store.settle();
  await services.close();
}

/** Beginnings of stored cells, as half-typed queries. */
export async function readQueries(folder: string): Promise<string[]> {
  await loadGrammar();
  const role = { activity: "load test", hold: "call", create: false } as const;
  const { store, close } = await compose(parseConfig({ CELREC_DATA: folder }), role);
  const cells: string[] = [];
  for await (const batch of store.scan()) {
    cells.push(...batch.map(({ code }) => code));
    if (cells.length >= CELLS_READ) break;
  }
  await close();
  return makeQueries(cells, QUERIES);
}
