// Run by the benchmark. Each part has a process of its own, so that its memory can be measured.
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as after } from "node:timers/promises";
import { compose } from "../../src/app/compose.js";
import { parseConfig } from "../../src/config.js";
import { GRAPH, loadUsearch } from "../../src/store/embedded/usearch.js";
import { createEmbeddedStore } from "../../src/store/embedded.js";
import type { Hit, LabelFilter, VectorStore } from "../../src/store/vector-store.js";
import { serve as startService } from "../load/server.js";
import { toNotebooks } from "./corpus.js";
import { createNaiveBm25 } from "./naive-bm25.js";
import { post } from "./rest.js";
import { readCorpus } from "./scale-corpus.js";
import { embedQueries, scaleQueries, wordsOf } from "./scale-queries.js";
import { quantile } from "./table.js";

const BATCH = 1_000;
const QUERIES = 400;
const WARM_UP = 50;
const RECALL_QUERIES = 100;
const LABEL_QUERIES = 30;
const BM25_QUERIES = 60;

export type Figures = Record<string, number>;

const [part, folder, size, smallest] = process.argv.slice(2) as [string, string, string, string];
const parts: Record<string, () => Promise<Figures>> = {
  index: measureIndexing,
  exact: findExact,
  serve,
  search: measureSearch,
  bm25: measureBm25,
};
process.send!(await parts[part]!());

async function measureIndexing(): Promise<Figures> {
  const services = await compose(parseConfig({ CELREC_DATA: folder }), { activity: "benchmark", hold: "session" });
  const start = performance.now();
  let batch: string[] = [];
  let from = 0;
  const flush = async () => {
    const notebooks = toNotebooks(batch).map((each, at) => ({ ...each, name: `scale-${from + at}.ipynb` }));
    from += notebooks.length;
    await services.ingest(notebooks);
    batch = [];
  };
  for await (const code of readCorpus(Number(size))) {
    batch.push(code);
    if (batch.length === BATCH) await flush();
  }
  await flush();
  const written = performance.now();
  await services.workers.close();
  await services.store.settle();
  const settled = performance.now();
  const { cells } = await services.store.counts();
  await services.close();
  return {
    cells,
    "indexing: seconds": (settled - start) / 1000,
    "indexing: seconds of it for graph and files": (settled - written) / 1000,
    "indexing: cells per second": cells / ((settled - start) / 1000),
    "indexing: peak memory MB": process.resourceUsage().maxRSS / 1024,
    "disk: bytes per cell": diskUse() / cells,
  };
}

function diskUse(): number {
  return readdirSync(folder).reduce((sum, file) => sum + statSync(join(folder, file)).size, 0);
}

/** The exact answers, by scanning the stored vectors; `serve` compares its answers with them. */
async function findExact(): Promise<Figures> {
  const { embedder, identity, labels } = await openParts();
  const writer = { pid: process.pid, activity: "benchmark" };
  const store = createEmbeddedStore({
    folder,
    identity,
    writer,
    hold: "session",
    exactBelow: Number.POSITIVE_INFINITY,
  });
  const vectors = await embedQueries(embedder, await scaleQueries(Number(smallest), RECALL_QUERIES));
  const answers: Record<string, number[]> = { all: await lastScores(store, vectors) };
  for (const label of labels)
    answers[label] = await lastScores(store, vectors.slice(0, LABEL_QUERIES), labelFilter(label));
  writeFileSync(join(folder, "..", `exact-${size}.json`), JSON.stringify(answers));
  await store.close();
  return {};
}

function labelFilter(label: string): LabelFilter {
  return { field: "labels", any: [label], unlabelled: false };
}

/** The score of each query's tenth hit; hits with at least this score count as correct. */
async function lastScores(
  store: VectorStore,
  vectors: readonly Float32Array[],
  filter?: LabelFilter,
): Promise<number[]> {
  const scores: number[] = [];
  for (const vector of vectors) {
    const hits = await store.search({ vector, k: 10, ...(filter && { filter }) });
    scores.push(hits.at(-1)?.score ?? 1);
  }
  return scores;
}

async function openParts() {
  const services = await compose(parseConfig({ CELREC_DATA: folder }), { activity: "benchmark", hold: "call" });
  const { embedder, labeller } = services;
  const identity = {
    embedder: embedder.id,
    dimensions: embedder.dimensions,
    labeller: labeller.id,
    labels: labeller.labels,
  };
  return { services, embedder, identity, labels: labeller.labels };
}

/** Measures `celrec serve` with the requests of an editor. */
async function serve(): Promise<Figures> {
  const queries = await scaleQueries(Number(smallest), WARM_UP + QUERIES);
  const start = performance.now();
  const served = await startService(folder);
  const [ready] = await timed(() => untilReady(served.url));
  const opened = performance.now() - start;
  const first = await ask(0);
  const rest: number[] = [];
  let errors = first.status === 200 ? 0 : 1;
  for (const at of queries.keys()) {
    const { ms, status } = await ask(at);
    if (status !== 200) errors += 1;
    if (at >= WARM_UP) rest.push(ms);
  }
  const memory = served.memory();
  await served.stop();
  return {
    "start: ready s": opened / 1000,
    "start: /readyz ms": ready,
    "start: first question ms": first.ms,
    "service: memory MB": memory,
    "REST complete with context: p50 ms": quantile(rest, 0.5),
    "REST complete with context: p95 ms": quantile(rest, 0.95),
    "REST complete with context: p99 ms": quantile(rest, 0.99),
    "REST: answers other than 200": errors,
  };

  /** A completion after two cells and under Markdown. */
  function ask(at: number) {
    const before = [queries[(at + 1) % queries.length]!, queries[(at + 2) % queries.length]!];
    const context = { before, markdown: "Prepare the data and train a model" };
    return post(served.url, "/v1/recommendations", { code: queries[at], k: 3, mode: "complete", context });
  }
}

async function untilReady(url: string): Promise<void> {
  while ((await fetch(`${url}/readyz`)).status !== 200) await after(10);
}

/** The store alone: its speed, and its recall. */
async function measureSearch(): Promise<Figures> {
  const { services, embedder, labels } = await openParts();
  const { store } = services;
  const queries = await scaleQueries(Number(smallest), WARM_UP + QUERIES);
  const [opened] = await timed(() => store.open());
  const vectors = await embedQueries(embedder, queries.slice(0, RECALL_QUERIES));
  const nearest: number[] = [];
  for (const vector of vectors) nearest.push((await timed(() => store.search({ vector, k: 50 })))[0]);
  const lexical: number[] = [];
  for (const code of queries) lexical.push((await timed(() => store.lexical({ words: wordsOf(code), k: 50 })))[0]);
  const right = JSON.parse(readFileSync(join(folder, "..", `exact-${size}.json`), "utf8")) as Record<string, number[]>;
  const perLabel: number[] = [];
  for (const label of labels)
    perLabel.push(await measureRecall(store, vectors.slice(0, LABEL_QUERIES), right[label]!, labelFilter(label)));
  const figures = {
    "store: open s": opened / 1000,
    "vector search: p50 ms": quantile(nearest, 0.5),
    "vector search: p99 ms": quantile(nearest, 0.99),
    ...bareSearch(vectors),
    "word search: p50 ms": quantile(lexical, 0.5),
    "word search: p99 ms": quantile(lexical, 0.99),
    "recall@10": await measureRecall(store, vectors, right.all!),
    "recall@10, worst label": Math.min(...perLabel),
  };
  await services.close();
  return figures;
}

async function measureRecall(
  store: VectorStore,
  vectors: readonly Float32Array[],
  right: readonly number[],
  filter?: LabelFilter,
) {
  let found = 0;
  let wanted = 0;
  for (const [at, vector] of vectors.entries()) {
    const hits: readonly Hit[] = await store.search({ vector, k: 10, ...(filter && { filter }) });
    found += hits.filter(({ score }) => score >= right[at]! - 1e-9).length;
    wanted += hits.length;
  }
  return wanted === 0 ? 1 : found / wanted;
}

/** Searches the graph directly with usearch. Small indexes have no graph. */
function bareSearch(vectors: readonly Float32Array[]): Figures {
  const files = readdirSync(folder).filter((file) => /^graph-.*snapshot$/.test(file));
  if (files.length === 0) return {};
  const indexes = files.map((file) => {
    const index = new (loadUsearch()!.Index)({ dimensions: vectors[0]!.length, ...GRAPH });
    index.view(join(folder, file));
    return index;
  });
  const times = vectors.map((vector) => {
    const start = performance.now();
    for (const index of indexes) index.search(vector, 10, 1);
    return performance.now() - start;
  });
  return { "bare usearch: p50 ms": quantile(times, 0.5) };
}

/** Exact BM25 by full scan, and the recall of the store against it. */
async function measureBm25(): Promise<Figures> {
  const { services } = await openParts();
  const naive = createNaiveBm25();
  for await (const cells of services.store.scan()) for (const { code } of cells) naive.add(code);
  const times: number[] = [];
  let same = 0;
  let all = 0;
  for (const code of await scaleQueries(Number(smallest), BM25_QUERIES)) {
    const words = wordsOf(code);
    const start = performance.now();
    const expected = naive.search(words, 50);
    times.push(performance.now() - start);
    const hits = (await services.store.lexical({ words, k: 50 }))!;
    same += hits.filter(({ score }, at) => Math.abs(score - expected[at]!) < 1e-3).length;
    all += expected.length;
  }
  const memory = process.memoryUsage().rss / 2 ** 20;
  await services.close();
  return {
    "plain BM25: p50 ms": quantile(times, 0.5),
    "plain BM25: p99 ms": quantile(times, 0.99),
    "plain BM25 and the store: memory MB": memory,
    "word search: share of plain BM25's hits": same / all,
  };
}

async function timed(action: () => Promise<unknown>): Promise<[number]> {
  const start = performance.now();
  await action();
  return [performance.now() - start];
}
