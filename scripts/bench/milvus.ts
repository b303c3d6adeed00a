import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MilvusClient } from "@zilliz/milvus2-sdk-node";
import { compose, type Services } from "../../src/app/compose.js";
import { parseConfig } from "../../src/config.js";
import { extractCells } from "../../src/notebook/extract.js";
import type { NamedNotebook } from "../../src/notebook/notebook.js";
import { strip } from "../../src/python/strip.js";
import { makeNotebooks, makeQueries } from "./corpus.js";
import { quantile, type Row } from "./table.js";

const BATCH = 40;
/** Number of concurrent batches, because a remote store can process several at once. */
const CONCURRENT_BATCHES = 3;
const WARM_UP = 50;
const QUERIES = 200;
const BARE_K = 10;
const COMPARED_HITS = 5;
const MODES = ["similar", "complete"] as const;
/** The source that is removed at the end; half of the notebooks if there are few. */
const FORGOTTEN = { source: "forgotten", notebooks: 1_000 };
/** Minimum number of questions during the removal, which may take less time than a few answers. */
const MIN_READS = 50;

type Mode = (typeof MODES)[number];

/** Compares an embedded index and the Milvus server of CELREC_MILVUS_ADDRESS with the same cells, in one run. */
export async function benchMilvus(size: number): Promise<Row[]> {
  const group = `Milvus, ${size.toLocaleString("en")} cells`;
  const { notebooks: all, cells } = makeNotebooks(size);
  const isForgotten = (at: number) => at >= all.length - Math.min(FORGOTTEN.notebooks, all.length / 2);
  const notebooks = all.map((each, at) => (isForgotten(at) ? { ...each, source: FORGOTTEN.source } : each));
  const codes = notebooks.flatMap(({ notebook }) => extractCells(notebook).map(({ code }) => code));
  const queries = makeQueries([...new Set(codes)], WARM_UP + QUERIES);
  const folder = mkdtempSync(join(tmpdir(), "celrec-bench-"));
  const prefix = `bench_${randomBytes(4).toString("hex")}`;
  const { CELREC_MILVUS_ADDRESS: address = "127.0.0.1:19530" } = process.env;
  const callsSoFar = countCalls();
  const embedded = await openServices({ CELREC_DATA: folder });
  const services = await openServices({
    CELREC_DATA: join(folder, "milvus"),
    CELREC_STORE: "milvus",
    CELREC_MILVUS_ADDRESS: address,
    CELREC_MILVUS_PREFIX: prefix,
  });
  try {
    const local = await measureFill(embedded, notebooks, cells);
    const remote = await measureFill(services, notebooks, cells);
    await services.warm(new AbortController().signal);
    const rows: Row[] = [
      { group, name: "indexing, embedded", value: local, unit: "cells/s" },
      { group, name: "indexing, Milvus", value: remote, unit: "cells/s" },
      { group, name: "Milvus / embedded", value: remote / local, unit: "x", limit: { atLeast: 0.6 } },
    ];
    const bare = await openBare(address, prefix, services, queries);
    for (const mode of MODES) {
      const { floor, total, calls, stages, answers } = await measureLatency(
        services,
        mode,
        queries,
        callsSoFar,
        bare.search,
      );
      const expected = (await measureLatency(embedded, mode, queries, callsSoFar)).answers;
      const same = answers.filter((answer, at) => answer === expected[at]).length;
      const sameFirst = answers.filter((answer, at) => answer.split(",")[0] === expected[at]!.split(",")[0]).length;
      const p50 = quantile(total, 0.5);
      const of = (name: string, value: number, unit: string, limit?: Row["limit"]): Row => ({
        group,
        name: `${mode}: ${name}`,
        value,
        unit,
        ...(limit && { limit }),
      });
      rows.push(
        of("bare SDK search p50", quantile(floor, 0.5), "ms"),
        of("recommend p50", p50, "ms"),
        of("recommend p95", quantile(total, 0.95), "ms"),
        ...Object.entries(stages).map(([stage, times]) => of(`${stage} p50`, quantile(times, 0.5), "ms")),
        of("recommend / bare search", p50 / quantile(floor, 0.5), "x", { atMost: 2 }),
        of("calls per question, mean", calls.reduce((sum, each) => sum + each, 0) / calls.length, "calls", {
          atMost: 1.2,
        }),
        of("calls per question, maximum", Math.max(...calls), "calls", { atMost: 2 }),
        of(`same ${COMPARED_HITS} answers as embedded`, same, `of ${QUERIES}`),
        of("same first answer as embedded", sameFirst, `of ${QUERIES}`),
      );
    }
    bare.close();
    rows.push(...(await measureForgetting(services, queries)).map((row) => ({ group, ...row })));
    return rows;
  } finally {
    await embedded.close();
    await services.store.destroy();
    await services.close();
    rmSync(folder, { recursive: true });
  }
}

function openServices(env: NodeJS.ProcessEnv): Promise<Services> {
  return compose(parseConfig(env), { activity: "benchmark", hold: "session" });
}

/** Indexing speed in cells per second, until the index is settled. */
async function measureFill(
  { ingest, store }: Services,
  notebooks: readonly NamedNotebook[],
  cells: number,
): Promise<number> {
  const start = performance.now();
  let next = 0;
  const work = async () => {
    while (next < notebooks.length) {
      const from = next;
      next += BATCH;
      await ingest(notebooks.slice(from, from + BATCH));
    }
  };
  await Promise.all(Array.from({ length: CONCURRENT_BATCHES }, work));
  await store.settle();
  return cells / ((performance.now() - start) / 1000);
}

/** The time of a bare Milvus search for ten ids by the vector of each question. */
async function openBare(address: string, prefix: string, { embedder }: Services, queries: readonly string[]) {
  const client = new MilvusClient({ address, logLevel: "error", telemetry: { enabled: false } });
  await client.connectPromise;
  const { data } = await client.listCollections();
  const { name } = data.find((each) => each.name.startsWith(`${prefix}_cells_`))!;
  const texts = queries.map((code) => strip(code).text);
  const vectors = await embedder.embed(texts, "query");
  return {
    async search(at: number) {
      await client.search({
        collection_name: name,
        anns_field: "vector",
        data: Array.from(vectors[at] ?? vectors[0]!),
        limit: BARE_K,
        params: { ef: 256 },
        output_fields: ["id"],
        consistency_level: "Bounded" as never,
      });
    },
    close: () => client.closeConnection(),
  };
}

/** Measures the bare search and the whole recommendation in turns, so other work on the machine slows down both. */
async function measureLatency(
  { recommend }: Services,
  mode: Mode,
  queries: readonly string[],
  callsSoFar: () => number,
  bare: (at: number) => Promise<void> = async () => {},
) {
  const [floor, total, calls, answers]: [number[], number[], number[], string[]] = [[], [], [], []];
  const stages: Record<string, number[]> = {};
  for (const [at, code] of queries.entries()) {
    const before = performance.now();
    await bare(at);
    const start = performance.now();
    const callsBefore = callsSoFar();
    const { took, recommendations } = await recommend({ code, k: COMPARED_HITS, filter: "soft", mode, collapse: true });
    const count = callsSoFar() - callsBefore;
    if (at < WARM_UP) continue;
    floor.push(start - before);
    total.push(performance.now() - start);
    calls.push(count);
    answers.push(recommendations.map(({ id }) => id).join());
    for (const [stage, time] of Object.entries(took)) {
      stages[stage] ??= [];
      stages[stage].push(time);
    }
  }
  return { floor, total, calls, stages, answers };
}

/** Counts the reads of all clients that this process opens from now on. */
function countCalls(): () => number {
  const { prototype } = MilvusClient as unknown as { prototype: Record<string, (...args: unknown[]) => unknown> };
  let count = 0;
  // `hybridSearch` is derived from `search` when a client is opened.
  for (const name of ["search", "query"]) {
    const original = prototype[name]!;
    prototype[name] = function (this: unknown, ...args: unknown[]) {
      count += 1;
      return original.apply(this, args);
    };
  }
  return () => count;
}

/** The latency of readers while a source is removed, and directly afterwards. */
async function measureForgetting({ recommend, store }: Services, queries: readonly string[]) {
  const ask = async (at: number) => {
    const start = performance.now();
    const code = queries[at % queries.length]!;
    await recommend({ code, k: COMPARED_HITS, filter: "soft", mode: "similar", collapse: true });
    return performance.now() - start;
  };
  const before: number[] = [];
  for (let at = 0; at < QUERIES; at += 1) before.push(await ask(at));
  const start = performance.now();
  let took = 0;
  const going = store.removeSource(FORGOTTEN.source).then((removed) => {
    took = performance.now() - start;
    return removed;
  });
  const during: number[] = [];
  for (let at = 0; took === 0 || at < MIN_READS; at += 1) during.push(await ask(at));
  const removed = await going;
  const usual = quantile(before, 0.5);
  return [
    { name: "notebooks of a removed source", value: removed, unit: "" },
    { name: "removing them", value: took, unit: "ms" },
    { name: "p50 of readers before", value: usual, unit: "ms" },
    { name: "p50 of readers meanwhile", value: quantile(during, 0.5), unit: "ms" },
    {
      name: "meanwhile / before",
      value: quantile(during, 0.5) / usual,
      unit: "x",
      limit: { atMost: 1.5 },
    },
  ];
}
