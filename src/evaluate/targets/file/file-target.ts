import { RecommenderError } from "../../../errors.js";
import { type CompletionsAnswer, type CursorQuery, type Target, TargetFault } from "../../target.js";
import { createExchange, createRedact, parseAnswer } from "./exchange.js";
import { findHits, readHits } from "./hits.js";
import { renderUrl, type Values } from "./placeholders.js";
import { type ReadTarget, readTargetFile } from "./read-target-file.js";
import { describe, renderCommand, runStep, runSteps, type StepDeps } from "./run-steps.js";
import { findFreePort, pollUntil, type StartedServer, startServer } from "./server.js";
import { pickOne, type Section, type TargetFile } from "./target-schema.js";
import { cursorValues, queryValues, uploadRounds } from "./values.js";

export interface FileTargetOptions {
  /** Whether it may be emptied. */
  readonly reset: boolean;
  /** For placeholders, and for the commands of the file. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Default timeout of a step. */
  readonly timeoutMs?: number;
}

const READY_MS = 30_000;
const POLLED_MS = 5_000;
/** A saved value this long may be a token; shorter ones are counts and names. */
const TOKEN_LENGTH = 8;

/** A recommender that a YAML or JSON file describes. INPUT_INVALID where the file is wrong; nothing is started yet. */
export function createFileTarget(path: string, { reset, env, timeoutMs = 30_000 }: FileTargetOptions): Target {
  const read = readTargetFile(path, env);
  const { file, name, folder, hash } = read;
  const secrets = new Set(read.env.values());
  const redact = createRedact(secrets);
  let server: StartedServer | null = null;
  let values: Values = new Map();
  let deps: StepDeps;
  let uploads = 0;
  let queries = 0;

  const run = (section: Section, more: Readonly<Record<string, unknown>> = {}) =>
    runSteps(file[section]?.steps ?? [], section, new Map([...values, ...Object.entries(more)]), deps);

  /** A fault of the steps that a run depends on ends it. */
  const orFail = async <T>(action: () => Promise<T>): Promise<T> => {
    try {
      return await action();
    } catch (error) {
      if (!(error instanceof TargetFault)) throw error;
      throw new RecommenderError("TARGET_FAILED", `The target ${name} (${path}) failed: ${error.message}.`);
    }
  };

  async function begin(): Promise<void> {
    values = new Map([["port", await findFreePort()], ...envValues(read)]);
    const url = file.url === undefined ? "" : renderUrl(file.url, values);
    const millis = file.timeout === undefined ? timeoutMs : file.timeout * 1_000;
    deps = { exchange: createExchange(redact), redact, url, folder, env, timeoutMs: millis };
    const { start, ready } = file;
    if (start !== undefined) {
      const command = start.shell ?? start.command!.join(" ");
      server = startServer({ ...renderCommand(start, values, deps), label: `start (${command})` }, redact);
    }
    if (ready !== undefined) {
      const { timeout, ...step } = ready;
      const patience = timeout === undefined ? READY_MS : timeout * 1_000;
      const polling = { ...deps, exchange: createExchange(redact, 0), timeoutMs: Math.min(patience, POLLED_MS) };
      const ask = () => runStep(step, `ready (${describe(step)})`, values, polling);
      await pollUntil(ask, patience, () => server?.check());
    }
    const before = await run("prepare");
    values = before.values;
    for (const [key, value] of values)
      if (key.startsWith("saved.") && typeof value === "string" && value.length >= TOKEN_LENGTH) secrets.add(value);
  }

  /** How many cells it holds; null where the file does not say how to count them. */
  async function countCells(): Promise<number | null> {
    if (file.count === undefined) return null;
    const { text, label } = await run("count");
    const found = pickOne(parseAnswer(label, text, redact), file.count.value);
    const count = Array.isArray(found) ? found.length : found;
    if (typeof count === "number") return count;
    throw new TargetFault("junk", `${label} answered without the number that count.value names`);
  }

  async function makeEmpty(): Promise<void> {
    if (reset && file.reset !== undefined) await run("reset");
    const cells = await countCells();
    if (cells === 0 || file.upload === undefined) return;
    // Freshly started and without a way to be emptied: it keeps nothing.
    if (cells === null && (reset || file.reset === undefined)) return;
    throw new RecommenderError("TARGET_FAILED", refusal(read, cells, reset));
  }

  const createComplete =
    ({ completions, text: code = [], confidence }: NonNullable<TargetFile["complete"]>) =>
    async (query: CursorQuery): Promise<CompletionsAnswer> => {
      queries += 1;
      const { text, label, ms } = await run("complete", cursorValues(query, queries));
      const took = { total: ms };
      // A program ends what it prints with a line break; silence is an answer.
      if (completions === undefined && text.trim() === "") return { completions: [], junk: 0, took };
      const entries =
        completions === undefined
          ? [{ code: text.replace(/\r?\n$/, "") }]
          : findHits(
              parseAnswer(label, text, redact),
              { code, confidence },
              completions,
              label,
              "complete.completions",
            );
      const { hits, junk } = readHits(entries, query.k);
      return { completions: hits.map((hit) => ({ text: hit.code, confidence: hit.confidence })), junk, took };
    };

  return {
    name,
    settings: { target: name, url: file.url ?? null, each: file.upload?.each ?? null, targetFileSha256: hash },
    async prepare() {
      try {
        await orFail(begin);
        await orFail(makeEmpty);
      } catch (error) {
        await server?.stop();
        server = null;
        throw error;
      }
    },
    takesVariables: JSON.stringify(file.recommend ?? {}).includes("context.variables"),
    canRecommend: file.recommend !== undefined,
    givesOne: file.recommend?.hits === undefined,
    async add(notebooks) {
      // A text generator needs no upload.
      if (file.upload === undefined) return;
      const rounds = uploadRounds(file.upload.each, notebooks, uploads + 1);
      uploads += rounds.length;
      for (const round of rounds) await orFail(() => run("upload", round));
    },
    async recommend(query) {
      const { recommend } = file;
      if (recommend === undefined) throw new TargetFault("errorsOther", `${path} has no recommend`);
      queries += 1;
      const { text, label, ms } = await run("recommend", queryValues(query, queries));
      const { hits } = recommend;
      const entries =
        hits === undefined ? [{ code: text }] : findHits(parseAnswer(label, text, redact), recommend, hits, label);
      return { ...readHits(entries, query.k), took: { total: ms } };
    },
    ...(file.complete && { complete: createComplete(file.complete) }),
    async close() {
      await server?.stop();
      server = null;
    },
  };
}

function envValues({ env }: ReadTarget): [string, unknown][] {
  return [...env].map(([name, value]) => [`env.${name}`, value]);
}

function refusal({ file, name }: ReadTarget, cells: number | null, reset: boolean): string {
  if (cells === null) {
    return `Whether the target ${name} is empty is not known, because its file has no count; add one, or give --reset-target to run its reset first.`;
  }
  const holds = `The target ${name} holds ${cells} cells; an evaluation needs an empty one.`;
  if (file.reset === undefined) return `${holds} Its file has no reset: add one, or empty it yourself.`;
  return reset ? `${holds} Its reset was run and left them.` : `${holds} Give --reset-target to run its reset first.`;
}
