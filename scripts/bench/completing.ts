import { mkdtempSync, rmSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import express from "express";
import { compose } from "../../src/app/compose.js";
import { openService } from "../../src/app/service.js";
import { MODEL_FILE } from "../../src/complete/index-model.js";
import { parseConfig } from "../../src/config.js";
import { buildCursor } from "../../src/evaluate/suites/cursor/cursor-cases.js";
import { createApp } from "../../src/http/app.js";
import { makeCorpus, toNotebooks } from "./corpus.js";
import { listen, post, urlOf } from "./rest.js";
import { quantile, type Row } from "./table.js";

const QUESTIONS = 500;
const WARM_UP = 50;
const SHARES = [0.5, 0.95, 0.99];

/**
 * Times of completions over REST from an index of `size` cells, one connection, relative to an empty route in the same
 * run.
 */
export async function benchCompleting(size: number): Promise<Row[]> {
  const group = `completing, ${size.toLocaleString("en")} cells`;
  const folder = mkdtempSync(join(tmpdir(), "celrec-bench-"));
  const config = parseConfig({ CELREC_DATA: folder });
  const notebooks = toNotebooks(makeCorpus(size));
  const writer = await compose(config, { activity: "benchmark", hold: "session" });
  await writer.ingest(notebooks);
  const learning = performance.now();
  await writer.completion.update();
  const learnt = (performance.now() - learning) / 1000;
  await writer.close();

  const service = await openService(config, { activity: "benchmark", hold: "call" });
  const logger = { info: () => {}, error: () => {} };
  const server = await listen(createServer(createApp({ ...service, config, logger })));
  const empty = await listen(createServer(express().post("/", (_, response) => void response.json({}))));
  const cases = buildCursor(notebooks.slice(0, 400), 2).slice(0, WARM_UP + QUESTIONS);
  const routes: number[] = [];
  const first: number[] = [];
  const three: number[] = [];
  for (const [at, { prefix, preceding }] of cases.entries()) {
    const question = { prefix, context: { before: preceding } };
    const route = await post(urlOf(empty), "/", question);
    const one = await post(urlOf(server), "/v1/completions", { ...question, k: 1 });
    const more = await post(urlOf(server), "/v1/completions", { ...question, k: 3 });
    if (one.status !== 200 || more.status !== 200) throw new Error(`status ${one.status}: ${one.body}`);
    if (at < WARM_UP) continue;
    routes.push(route.ms);
    first.push(one.ms);
    three.push(more.ms);
  }
  server.close();
  empty.close();
  await service.close();
  const bytes = statSync(join(folder, MODEL_FILE)).size;
  rmSync(folder, { recursive: true });

  const floor = quantile(routes, 0.5);
  const rowsOf = (name: string, times: readonly number[]): Row[] =>
    SHARES.flatMap((share) => [
      { group, name: `${name} p${share * 100}`, value: quantile(times, share), unit: "ms" },
      { group, name: `${name} p${share * 100}, in empty routes`, value: quantile(times, share) / floor, unit: "x" },
    ]);
  return [
    { group, name: "empty Express route p50 (floor)", value: floor, unit: "ms" },
    ...rowsOf("one completion", first),
    ...rowsOf("three completions", three),
    { group, name: "learning from the index", value: learnt, unit: "s" },
    { group, name: "the model in memory", value: bytes / 1e6, unit: "MB" },
  ];
}
