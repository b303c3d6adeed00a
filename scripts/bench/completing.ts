import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import express from "express";
import { compose } from "../../src/app/compose.js";
import { openService } from "../../src/app/service.js";
import { createIndexModel } from "../../src/complete/index-model.js";
import { openShippedModel } from "../../src/complete/shipped-model.js";
import { assetPath, parseConfig } from "../../src/config.js";
import { buildCursor, type CursorCase } from "../../src/evaluate/suites/cursor/cursor-cases.js";
import { createApp } from "../../src/http/app.js";
import type { NamedNotebook } from "../../src/notebook/notebook.js";
import { makeNotebooks } from "./corpus.js";
import { listen, post, urlOf } from "./rest.js";
import { quantile, type Row } from "./table.js";

const QUESTIONS = 500;
const WARM_UP = 50;
const SHARES = [0.5, 0.95, 0.99];
/** Number of questions from each notebook. */
const PER_NOTEBOOK = 2;

/**
 * Measures completions over REST on one connection, compared with an empty route in the same run. `given` is the data
 * folder of an index whose completion model is already trained; without it, an index of `size` cells is made. Questions
 * come from the notebooks of the index. Each is first asked without its last character, so the service has to read the
 * notebook, and then in full, as at the next keystroke.
 */
export async function benchCompleting(size: number, given?: string): Promise<Row[]> {
  const group = `completing, ${given ?? `${size.toLocaleString("en")} cells`}`;
  const folder = given ?? mkdtempSync(join(tmpdir(), "celrec-bench-"));
  const config = parseConfig({ CELREC_DATA: folder });
  const learnt = given === undefined ? await makeIndex(folder, size) : null;
  const memory = await measureMemory(folder);
  const cases = await casesOf(folder);

  const service = await openService(config, { activity: "benchmark", hold: "call" });
  const logger = { info: () => {}, error: () => {} };
  const server = await listen(createServer(createApp({ ...service, config, logger })));
  const empty = await listen(createServer(express().post("/", (_, response) => void response.json({}))));
  const times = { route: [] as number[], notebook: [] as number[], key: [] as number[], three: [] as number[] };
  const ask = async (question: object) => {
    const { ms, status, body } = await post(urlOf(server), "/v1/completions", question);
    if (status !== 200) throw new Error(`status ${status}: ${body}`);
    return ms;
  };
  for (const [at, { prefix, preceding }] of cases.entries()) {
    const question = { prefix, context: { before: preceding } };
    const route = await post(urlOf(empty), "/", question);
    const notebook = await ask({ ...question, prefix: prefix.slice(0, -1), k: 1 });
    const key = await ask({ ...question, k: 1 });
    const three = await ask({ ...question, k: 3 });
    if (at < WARM_UP) continue;
    times.route.push(route.ms);
    times.notebook.push(notebook);
    times.key.push(key);
    times.three.push(three);
  }
  server.close();
  empty.close();
  await service.close();
  if (given === undefined) rmSync(folder, { recursive: true });

  const rowsOf = (name: string, values: readonly number[]): Row[] =>
    SHARES.map((share) => ({ group, name: `${name} p${share * 100}`, value: quantile(values, share), unit: "ms" }));
  return [
    { group, name: "empty Express route p50 (floor)", value: quantile(times.route, 0.5), unit: "ms" },
    ...rowsOf("one completion, next key", times.key),
    ...rowsOf("one completion, other notebook", times.notebook),
    ...rowsOf("three completions", times.three),
    ...(learnt === null ? [] : [{ group, name: "learning from the index", value: learnt, unit: "s" }]),
    { group, name: "tokens learnt", value: memory.tokens / 1e6, unit: "million" },
    { group, name: "the model in memory", value: memory.megabytes, unit: "MB" },
  ];
}

/** Makes an index and returns the seconds that its completion model took. */
async function makeIndex(folder: string, size: number): Promise<number> {
  const writer = await compose(parseConfig({ CELREC_DATA: folder }), { activity: "benchmark", hold: "session" });
  await writer.ingest(makeNotebooks(size).notebooks);
  const started = performance.now();
  await writer.completion.update();
  await writer.close();
  return (performance.now() - started) / 1000;
}

/** The memory that the opened model adds to the heap and the buffers of the process; run with --expose-gc. */
async function measureMemory(folder: string): Promise<{ readonly megabytes: number; readonly tokens: number }> {
  const used = () => {
    globalThis.gc?.();
    globalThis.gc?.();
    const { heapUsed, external } = process.memoryUsage();
    return heapUsed + external;
  };
  const shipped = await openShippedModel(assetPath("models/complete"));
  const model = createIndexModel({ shipped, folder });
  const before = used();
  await model.load();
  const megabytes = (used() - before) / 1e6;
  return { megabytes, tokens: model.stats().tokens };
}

/** Cursor positions in notebooks that are spread over the index. */
async function casesOf(folder: string): Promise<CursorCase[]> {
  const { store, close } = await compose(parseConfig({ CELREC_DATA: folder }), { activity: "benchmark", hold: "call" });
  const ids: string[] = [];
  for (let page = await store.notebooks({ limit: 1_000 }); page.length > 0; ) {
    for (const { id } of page) ids.push(id);
    page = await store.notebooks({ limit: 1_000, after: ids.at(-1)! });
  }
  const wanted = (WARM_UP + QUESTIONS) / PER_NOTEBOOK;
  const step = Math.max(1, Math.floor(ids.length / wanted));
  const notebooks: NamedNotebook[] = [];
  for (const id of ids.filter((_, at) => at % step === 0)) {
    const { cells = [] } = (await store.notebook(id)) ?? {};
    const codes = new Map(
      (await store.cells([...new Set(cells.map((cell) => cell.id))])).map(({ id, code }) => [id, code]),
    );
    const sources = cells.map((cell) => codes.get(cell.id) ?? "");
    const made = sources.map((source, index) => ({ index, type: "code" as const, source }));
    notebooks.push({ name: id, notebook: { cells: made } } as NamedNotebook);
  }
  await close();
  return buildCursor(notebooks, PER_NOTEBOOK).slice(0, WARM_UP + QUESTIONS);
}
