import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import express from "express";
import { compose, type Services } from "../../src/app/compose.js";
import { parseConfig } from "../../src/config.js";
import { cosine } from "../../src/embed/embedder.js";
import { createApp } from "../../src/http/app.js";
import { strip } from "../../src/python/strip.js";
import { createBareIndex } from "./bare-index.js";
import { makeCorpus, makeQueries, toNotebooks } from "./corpus.js";
import { listen, post, urlOf } from "./rest.js";
import { quantile, type Row } from "./table.js";

const QUERIES = 500;
const WARM_UP = 100;
const RECALL_QUERIES = 100;
const BATCH = 40;
/** Target for an answer while typing, in milliseconds, at 100,000 cells. */
const TARGET_MS: Readonly<Record<number, number>> = { 0.5: 4, 0.99: 15 };

/** Recommending over REST from an index of `size` cells, against an empty route and a bare usearch call of the same run. */
export async function benchRecommending(size: number): Promise<Row[]> {
  const group = `recommending, ${size.toLocaleString("en")} cells`;
  const folder = mkdtempSync(join(tmpdir(), "celrec-bench-"));
  const config = parseConfig({ CELREC_DATA: folder });
  const corpus = makeCorpus(size);
  await fillIndex(await compose(config, { activity: "benchmark", hold: "session" }), corpus);

  const opening = performance.now();
  const services = await compose(config, { activity: "benchmark", hold: "call" });
  await services.recommend({ code: "import pandas as pd", k: 3, filter: "soft", mode: "similar", collapse: true });
  const opened = (performance.now() - opening) / 1000;

  await services.warm(new AbortController().signal);
  const queries = makeQueries(corpus, WARM_UP + QUERIES);
  const vectors = await embedAll(services, corpus);
  const floors = await measureFloors(services, vectors, queries);
  const { rest, stages } = await measureRest(services, queries);
  const completing = await measureCompleting(services, queries);
  const recall = await measureRecall(services, vectors, corpus, queries.slice(0, RECALL_QUERIES));
  await services.close();
  rmSync(folder, { recursive: true });

  const floor = floors.route + floors.usearch;
  const stageRows = Object.entries(stages).flatMap(([stage, times]): Row[] =>
    [0.5, 0.95, 0.99].map((share) => ({
      group,
      name: `${stage} p${share * 100}`,
      value: quantile(times, share),
      unit: "ms",
    })),
  );
  return [
    { group, name: "open a closed index, first answer", value: opened, unit: "s", limit: { atMost: 2 } },
    { group, name: "empty Express route p50 (floor)", value: floors.route, unit: "ms" },
    { group, name: "bare usearch call p50 (floor)", value: floors.usearch, unit: "ms" },
    ...stageRows,
    {
      group,
      name: "total p50 / usearch",
      value: quantile(stages.total!, 0.5) / floors.usearch,
      unit: "x",
      ...(size >= 100_000 && { limit: { atMost: 10 } }),
    },
    ...[0.5, 0.95, 0.99].map(
      (share): Row => ({ group, name: `REST p${share * 100}`, value: quantile(rest, share), unit: "ms" }),
    ),
    {
      group,
      name: "REST p50 / (route + usearch)",
      value: quantile(rest, 0.5) / floor,
      unit: "x",
      ...(size >= 100_000 && { limit: { atMost: 5 } }),
    },
    ...[0.5, 0.95, 0.99].map(
      (share): Row => ({
        group,
        name: `complete, with context: total p${share * 100}`,
        value: quantile(completing, share),
        unit: "ms",
        ...(size >= 100_000 && TARGET_MS[share] !== undefined && { limit: { atMost: TARGET_MS[share] } }),
      }),
    ),
    { group, name: "recall@10 against the exact scan", value: recall, unit: "", limit: { atLeast: 0.99 } },
    { group, name: "memory", value: process.memoryUsage().rss / 2 ** 20, unit: "MB" },
  ];
}

async function fillIndex(services: Services, corpus: readonly string[]): Promise<void> {
  const notebooks = toNotebooks(corpus);
  for (let from = 0; from < notebooks.length; from += BATCH) await services.ingest(notebooks.slice(from, from + BATCH));
  await services.store.settle();
  await services.close();
}

async function embedAll({ embedder }: Services, corpus: readonly string[]): Promise<Float32Array[]> {
  const vectors = await embedder.embed(
    corpus.map((code) => strip(code).text),
    "cell",
  );
  return vectors.filter((vector) => vector !== null);
}

async function measureFloors({ embedder }: Services, vectors: readonly Float32Array[], queries: readonly string[]) {
  const index = createBareIndex(vectors);
  const asked = (
    await embedder.embed(
      queries.map((code) => strip(code).text),
      "query",
    )
  ).filter((vector) => vector !== null);
  const usearch = asked.map((vector) => timeOf(() => index.search(vector, 3, 1))).slice(WARM_UP);
  const app = express().post("/", (_request, response) => {
    response.json({});
  });
  const server = await listen(createServer(app));
  const route: number[] = [];
  for (const code of queries) route.push((await post(urlOf(server), "/", { code })).ms);
  server.close();
  return { route: quantile(route.slice(WARM_UP), 0.5), usearch: quantile(usearch, 0.5) };
}

async function measureRest(services: Services, queries: readonly string[]) {
  const logger = { info: () => {}, error: () => {} };
  const server = await listen(createServer(createApp({ ...services, logger })));
  const rest: number[] = [];
  const stages: Record<string, number[]> = {};
  for (const [at, code] of queries.entries()) {
    const { ms, body } = await post(urlOf(server), "/v1/recommendations", { code, k: 3 });
    if (at < WARM_UP) continue;
    rest.push(ms);
    const { took } = JSON.parse(body) as { took: Record<string, number> };
    for (const [stage, time] of Object.entries(took)) stages[stage] = [...(stages[stage] ?? []), time];
  }
  server.close();
  return { rest, stages };
}

/** A request like an editor's: a half-typed cell below two cells and Markdown. */
async function measureCompleting({ recommend }: Services, queries: readonly string[]): Promise<number[]> {
  const totals: number[] = [];
  for (const [at, code] of queries.entries()) {
    const before = [queries[(at + 1) % queries.length]!, queries[(at + 2) % queries.length]!];
    const context = { before, markdown: "Prepare the data and train a model" };
    const answer = await recommend({ code, k: 3, filter: "soft", mode: "complete", collapse: true, context });
    if (at >= WARM_UP) totals.push(answer.took.total!);
  }
  return totals;
}

/** Recall@10: the share of the ten nearest cells that the store finds. */
async function measureRecall(
  services: Services,
  vectors: readonly Float32Array[],
  corpus: readonly string[],
  queries: readonly string[],
) {
  let found = 0;
  let wanted = 0;
  const asked = await services.embedder.embed(
    queries.map((code) => strip(code).text),
    "query",
  );
  for (const vector of asked) {
    if (vector === null) continue;
    const scores = vectors.map((other) => cosine(vector, other)).sort((a, b) => b - a);
    const last = scores[9]! - 1e-9;
    const hits = await services.store.search({ vector, k: 10 });
    found += hits.filter(({ score }) => score >= last).length;
    wanted += Math.min(10, corpus.length);
  }
  return found / wanted;
}

function timeOf(action: () => unknown): number {
  const start = performance.now();
  action();
  return performance.now() - start;
}
