import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { compose } from "../../src/app/compose.js";
import { parseConfig } from "../../src/config.js";
import { createRandom } from "../../src/evaluate/statistics/bootstrap.js";
import { viewPart } from "../../src/store/embedded/graph.js";
import { serveEmpty } from "../load/empty-route.js";
import { fire, summarizeShots } from "../load/fire.js";
import { makeIndex } from "../load/index-folder.js";
import { serve } from "../load/server.js";
import { post } from "./rest.js";
import { quantile, type Row } from "./table.js";

const CELLS = 100_000;
const QUESTIONS = 500;
const WARM_UP = 100;
const CONNECTIONS = 16;
const SECONDS = 10;
/**
 * Number of rounds. The empty route and the service are measured in turns, so other work on the machine slows down
 * both.
 */
const ROUNDS = 5;
const HISTORY = "docs/benchmarks.md";

interface Question {
  readonly code: string;
  readonly k: 3;
  readonly mode: "complete";
  readonly context: { readonly before: readonly string[] };
}

/** The recorded figures of a run: memory, and ratios instead of times, because machines differ. */
interface Figures {
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
  readonly toUsearch: number;
  readonly rate: number;
  readonly cpu: number;
  readonly memory: number;
}

interface AnswerBench {
  /** An index; without it, one of 100,000 cells is made. */
  readonly index?: string | undefined;
  /** A file with one request per line; without it, requests are made from the beginnings of stored cells. */
  readonly questions?: string | undefined;
  /**
   * A built checkout of another commit, with its own index of the same cells. Both are asked the same questions, in
   * turns.
   */
  readonly against?: string | undefined;
  readonly againstIndex?: string | undefined;
  /** Whether a line is added to the history. */
  readonly record: boolean;
}

/** Answers to half-typed cells with context over REST, as ratios to an empty route and to a bare usearch search of the same run. */
export async function benchAnswer({
  index: folder,
  record: isRecorded,
  against,
  againstIndex = folder,
  ...from
}: AnswerBench): Promise<Row[]> {
  const own = folder === undefined ? mkdtempSync(join(tmpdir(), "celrec-bench-")) : null;
  if (own !== null) await makeIndex(own, CELLS);
  const index = folder ?? own!;
  const questions = from.questions === undefined ? await readQuestions(index) : readLines(from.questions);
  const usearch = await timeUsearch(index, questions);
  const served = await serve(index);
  const other = against === undefined ? null : await serve(againstIndex ?? index, {}, against);
  const empty = await serveEmpty();
  try {
    for (const question of questions.slice(0, WARM_UP)) await ask(served.url, question);
    for (const question of questions.slice(0, WARM_UP)) await ask(empty.url, question);
    if (other !== null) for (const question of questions.slice(0, WARM_UP)) await ask(other.url, question);
    const cpuBefore = served.cpuMs();
    const otherBefore = other?.cpuMs() ?? 0;
    const times: number[] = [];
    const otherTimes: number[] = [];
    const floor: number[] = [];
    const round = Math.ceil(questions.length / ROUNDS);
    for (let from = 0; from < questions.length; from += round) {
      const part = questions.slice(from, from + round);
      for (const question of part) floor.push(await ask(empty.url, question));
      for (const question of part) times.push(await ask(served.url, question));
      if (other !== null) for (const question of part) otherTimes.push(await ask(other.url, question));
    }
    const cpu = (served.cpuMs() - cpuBefore) / times.length;
    const idle = served.memory();
    const load = { connections: CONNECTIONS, seconds: SECONDS, bodies: questions };
    const rate = summarizeShots(await fire({ url: served.url, ...load })).rate;
    const otherCpu = other === null ? 0 : (other.cpuMs() - otherBefore) / otherTimes.length;
    const otherRate = other === null ? 0 : summarizeShots(await fire({ url: other.url, ...load })).rate;
    const emptyRate = summarizeShots(await fire({ url: empty.url, ...load })).rate;
    const route = quantile(floor, 0.5);
    const figures: Figures = {
      p50: quantile(times, 0.5) / route,
      p95: quantile(times, 0.95) / route,
      p99: quantile(times, 0.99) / route,
      toUsearch: quantile(times, 0.5) / usearch,
      rate: rate / emptyRate,
      cpu,
      memory: served.memory(),
    };
    const last = lastRecorded();
    const group = "an answer over REST, with context";
    const ratio = (name: string, key: keyof Figures, unit: string): Row[] => [
      { group, name, value: figures[key], unit },
      ...(last === null ? [] : [{ group, name: `  last recorded (${last.commit})`, value: last.figures[key], unit }]),
    ];
    if (isRecorded) record(figures);
    const otherGroup = `${group}: ${against}`;
    const beside: Row[] = [
      { group: otherGroup, name: "p50", value: quantile(otherTimes, 0.5), unit: "ms" },
      { group: otherGroup, name: "p95", value: quantile(otherTimes, 0.95), unit: "ms" },
      { group: otherGroup, name: "p99", value: quantile(otherTimes, 0.99), unit: "ms" },
      { group: otherGroup, name: "work per answer, all threads", value: otherCpu, unit: "ms" },
      { group: otherGroup, name: `rate, ${CONNECTIONS} connections`, value: otherRate, unit: "/s" },
      { group: otherGroup, name: "our rate / its rate", value: rate / otherRate, unit: "x" },
      { group: otherGroup, name: "our work / its work", value: cpu / otherCpu, unit: "x" },
    ];
    return [
      { group, name: "empty route p50", value: route, unit: "ms" },
      { group, name: "bare usearch search p50", value: usearch, unit: "ms" },
      { group, name: "p50", value: quantile(times, 0.5), unit: "ms" },
      { group, name: "p95", value: quantile(times, 0.95), unit: "ms" },
      { group, name: "p99", value: quantile(times, 0.99), unit: "ms" },
      ...ratio("p50 / empty route", "p50", "x"),
      ...ratio("p95 / empty route", "p95", "x"),
      ...ratio("p99 / empty route", "p99", "x"),
      ...ratio("p50 / bare usearch", "toUsearch", "x"),
      { group, name: `rate, ${CONNECTIONS} connections`, value: rate, unit: "/s" },
      ...ratio("rate / rate of the empty route", "rate", "x"),
      ...ratio("work per answer, all threads", "cpu", "ms"),
      { group, name: "memory, one connection", value: idle, unit: "MB" },
      ...ratio("memory under load", "memory", "MB"),
      ...(other === null ? [] : beside),
    ];
  } finally {
    empty.stop();
    await served.stop();
    await other?.stop();
    if (own !== null) rmSync(own, { recursive: true });
  }
}

async function ask(url: string, question: Question): Promise<number> {
  const { ms, status } = await post(url, "/v1/recommendations", question);
  if (status !== 200) throw new Error(`the service answered ${status}`);
  return ms;
}

function readLines(file: string): Question[] {
  const lines = readFileSync(file, "utf8").split("\n");
  return lines.filter((line) => line !== "").map((line) => JSON.parse(line) as Question);
}

/** Cells of stored notebooks, cut somewhere in the middle, with the cells before them. */
async function readQuestions(folder: string): Promise<Question[]> {
  const role = { activity: "benchmark", hold: "call", create: false } as const;
  const { store, close } = await compose(parseConfig({ CELREC_DATA: folder }), role);
  const random = createRandom(5);
  const questions: Question[] = [];
  for (let after = ""; questions.length < QUESTIONS; ) {
    const page = await store.notebooks({ limit: 100, ...(after !== "" && { after }) });
    if (page.length === 0) break;
    after = page.at(-1)!.id;
    for (const { id } of page) {
      const ids = (await store.notebook(id))!.cells.map((cell) => cell.id);
      const at = 2 + Math.floor(random() * Math.max(1, ids.length - 2));
      const codes = (await store.cells(ids.slice(Math.max(0, at - 5), at + 1))).map(({ code }) => code);
      const code = codes.pop();
      if (code === undefined || codes.length === 0 || code.length < 20 || questions.length === QUESTIONS) continue;
      const typed = code.slice(0, Math.ceil(code.length * (0.2 + 0.6 * random())));
      questions.push({ code: typed, k: 3, mode: "complete", context: { before: codes } });
    }
  }
  await close();
  return questions;
}

/** The median time of a bare usearch search in the graph of the index. */
async function timeUsearch(folder: string, questions: readonly Question[]): Promise<number> {
  const file = readdirSync(folder).find((name) => name.startsWith("graph-"));
  if (file === undefined) throw new Error(`${folder} has no graph: an index of 50,000 cells or more has one`);
  const role = { activity: "benchmark", hold: "call", create: false } as const;
  const { embedder, close } = await compose(parseConfig({ CELREC_DATA: folder }), role);
  const vectors = await embedder.embed(
    questions.map(({ code }) => code),
    "query",
  );
  const index = viewPart(join(folder, file), embedder.dimensions)!;
  const times = vectors.flatMap((vector) => {
    if (vector === null) return [];
    const start = performance.now();
    index.search(vector, 50, 1);
    return performance.now() - start;
  });
  await close();
  return quantile(times.slice(WARM_UP), 0.5);
}

/** The last line of the table in the history; null if there is none. */
function lastRecorded(): { readonly commit: string; readonly figures: Figures } | null {
  if (!existsSync(HISTORY)) return null;
  const rows = readFileSync(HISTORY, "utf8").match(/^\| `[0-9a-f]+`.*\|$/gm) ?? [];
  const fields = rows
    .at(-1)
    ?.split("|")
    .map((field) => field.trim());
  if (fields === undefined) return null;
  const [, commit, , p50, p95, p99, toUsearch, rate, cpu, memory] = fields;
  const numbers = [p50, p95, p99, toUsearch, rate, cpu, memory].map(Number) as [number, ...number[]];
  const [a, b, c, d, e, f, g] = numbers as [number, number, number, number, number, number, number];
  const figures = { p50: a, p95: b, p99: c, toUsearch: d, rate: e, cpu: f, memory: g };
  return { commit: commit!.replaceAll("`", ""), figures };
}

function record({ p50, p95, p99, toUsearch, rate, cpu, memory }: Figures): void {
  const commit = execFileSync("git", ["rev-parse", "--short", "HEAD"], { encoding: "utf8" }).trim();
  const day = new Date().toISOString().slice(0, 10);
  const numbers = [...[p50, p95, p99, toUsearch].map((value) => value.toFixed(1)), rate.toFixed(4), cpu.toFixed(1)];
  const line = `| \`${commit}\` | ${day} | ${numbers.join(" | ")} | ${memory.toFixed(0)} |\n`;
  writeFileSync(HISTORY, readFileSync(HISTORY, "utf8").trimEnd().concat("\n", line));
}
