import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MilvusClient } from "@zilliz/milvus2-sdk-node";
import { compose, type Services } from "../../src/app/compose.js";
import { parseConfig } from "../../src/config.js";
import { strip } from "../../src/python/strip.js";
import { makeCorpus, makeQueries, toNotebooks } from "./corpus.js";
import { quantile, type Row } from "./table.js";

const BATCH = 40;
/** Concurrent batches: a remote store answers late, and can work on others meanwhile. */
const AT_ONCE = 3;
const WARM_UP = 50;
const QUERIES = 300;
const BARE_K = 10;

/** The same cells in an embedded index and on the Milvus server of CELREC_MILVUS_ADDRESS, in one run. */
export async function benchMilvus(size: number): Promise<Row[]> {
  const group = `Milvus, ${size.toLocaleString("en")} cells`;
  const corpus = makeCorpus(size);
  const folder = mkdtempSync(join(tmpdir(), "celrec-bench-"));
  const embedded = await open({ CELREC_DATA: folder });
  const local = await fill(embedded, corpus);
  await embedded.close();
  rmSync(folder, { recursive: true });

  const prefix = `bench_${randomBytes(4).toString("hex")}`;
  const { CELREC_MILVUS_ADDRESS = "127.0.0.1:19530" } = process.env;
  const address = { CELREC_STORE: "milvus", CELREC_MILVUS_ADDRESS, CELREC_MILVUS_PREFIX: prefix };
  const services = await open(address);
  try {
    const remote = await fill(services, corpus);
    await services.warm(new AbortController().signal);
    const queries = makeQueries(corpus, WARM_UP + QUERIES);
    const bare = await measureBare(CELREC_MILVUS_ADDRESS, prefix, services, queries);
    const { total, stages } = await measureRecommend(services, queries);
    const p50 = quantile(total, 0.5);
    return [
      { group, name: "indexing, embedded", value: local, unit: "cells/s" },
      { group, name: "indexing, Milvus", value: remote, unit: "cells/s" },
      { group, name: "Milvus / embedded", value: remote / local, unit: "x", limit: { atLeast: 0.5 } },
      { group, name: "bare SDK search p50", value: bare, unit: "ms" },
      { group, name: "recommend p50", value: p50, unit: "ms" },
      { group, name: "recommend p95", value: quantile(total, 0.95), unit: "ms" },
      ...Object.entries(stages).map(
        ([stage, times]): Row => ({ group, name: `${stage} p50`, value: quantile(times, 0.5), unit: "ms" }),
      ),
      { group, name: "recommend / bare search", value: p50 / bare, unit: "x", limit: { atMost: 3 } },
    ];
  } finally {
    await services.store.destroy();
    await services.close();
  }
}

function open(env: NodeJS.ProcessEnv): Promise<Services> {
  return compose(parseConfig(env), { activity: "benchmark", hold: "session" });
}

/** Cells per second, until the index is settled. */
async function fill({ ingest, store }: Services, corpus: readonly string[]): Promise<number> {
  const notebooks = toNotebooks(corpus);
  const start = performance.now();
  let next = 0;
  const work = async () => {
    while (next < notebooks.length) {
      const from = next;
      next += BATCH;
      await ingest(notebooks.slice(from, from + BATCH));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  await store.settle();
  return corpus.length / ((performance.now() - start) / 1000);
}

/** The time of Milvus itself for a vector and ten ids. */
async function measureBare(address: string, prefix: string, { embedder }: Services, queries: readonly string[]) {
  const client = new MilvusClient({ address, logLevel: "error", telemetry: { enabled: false } });
  await client.connectPromise;
  const { data } = await client.listCollections();
  const { name } = data.find((each) => each.name.startsWith(`${prefix}_cells_`))!;
  const texts = queries.map((code) => strip(code).text);
  const times: number[] = [];
  for (const vector of await embedder.embed(texts, "query")) {
    if (vector === null) continue;
    const start = performance.now();
    await client.search({
      collection_name: name,
      anns_field: "vector",
      data: Array.from(vector),
      limit: BARE_K,
      params: { ef: 256 },
      output_fields: ["id"],
      consistency_level: "Bounded" as never,
    });
    times.push(performance.now() - start);
  }
  await client.closeConnection();
  return quantile(times.slice(WARM_UP), 0.5);
}

async function measureRecommend({ recommend }: Services, queries: readonly string[]) {
  const total: number[] = [];
  const stages: Record<string, number[]> = {};
  for (const [at, code] of queries.entries()) {
    const start = performance.now();
    const { took } = await recommend({ code, k: 3, filter: "soft", mode: "similar", collapse: true });
    if (at < WARM_UP) continue;
    total.push(performance.now() - start);
    for (const [stage, time] of Object.entries(took)) {
      stages[stage] ??= [];
      stages[stage].push(time);
    }
  }
  return { total, stages };
}
