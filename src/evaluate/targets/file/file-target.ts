import { resolve } from "node:path";
import { RecommenderError } from "../../../errors.js";
import {
  type CompletionsAnswer,
  type CursorQuery,
  type Target,
  type TargetAnswer,
  TargetFault,
  type TargetQuery,
} from "../../target.js";
import {
  type CommandReply,
  createExchange,
  createRedact,
  type Exchange,
  type ExchangeReply,
  excerpt,
  parseAnswer,
  type Redact,
  runCommand,
  toFault,
} from "./exchange.js";
import { findHits, readHits } from "./hits.js";
import {
  cursorValues,
  queryValues,
  renderRequest,
  renderText,
  renderUrl,
  uploadRounds,
  type Values,
} from "./placeholders.js";
import { type ReadTarget, readTargetFile } from "./read-target-file.js";
import {
  type CommandStep,
  type HttpStep,
  isCommand,
  pick,
  pickOne,
  type Section,
  type Step,
  type TargetFile,
} from "./target-schema.js";
import { findFreePort, pollUntil, type StartedServer, startServer } from "./target-server.js";

export interface FileTargetOptions {
  /** Whether the target may be emptied. */
  readonly reset: boolean;
  /** The environment for placeholders and for the commands of the file. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Default timeout of a step. */
  readonly timeoutMs?: number;
}

/** Default time limit for the server to become ready, and for each of the requests that check it. */
const READY_TIMEOUT_MS = 30_000;
const MAX_POLL_TIMEOUT_MS = 5_000;
/** Minimum length of a saved value that may be a secret token; shorter ones are counts and names. */
const TOKEN_LENGTH = 8;

/** A recommender that a YAML or JSON file describes. INPUT_INVALID if the file is wrong; nothing is started yet. */
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

  /** A failure of a required step ends the run. */
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
      const readyTimeout = timeout === undefined ? READY_TIMEOUT_MS : timeout * 1_000;
      const polling = {
        ...deps,
        exchange: createExchange(redact, 0),
        timeoutMs: Math.min(readyTimeout, MAX_POLL_TIMEOUT_MS),
      };
      const ask = () => runStep(step, `ready (${describe(step)})`, values, polling);
      await pollUntil(ask, readyTimeout, () => server?.check());
    }
    const before = await run("prepare");
    values = before.values;
    for (const [key, value] of values)
      if (key.startsWith("saved.") && typeof value === "string" && value.length >= TOKEN_LENGTH) secrets.add(value);
  }

  /** The number of cells of the target; null if the file has no count. */
  async function countCells(): Promise<number | null> {
    if (file.count === undefined) return null;
    const { text, label } = await run("count");
    const found = pickOne(parseAnswer(label, text, redact), file.count.value);
    const count = Array.isArray(found) ? found.length : found;
    if (typeof count === "number") return count;
    throw new TargetFault("junk", `${label} has no number at count.value in its answer`);
  }

  async function makeEmpty(): Promise<void> {
    if (reset && file.reset !== undefined) await run("reset");
    const cells = await countCells();
    if (cells === 0 || file.upload === undefined) return;
    // A server that was just started and has no reset is empty.
    if (cells === null && (reset || file.reset === undefined)) return;
    throw new RecommenderError("TARGET_FAILED", notEmptyMessage(read, cells, reset));
  }

  const createPredictOutput =
    ({ text: at }: NonNullable<TargetFile["output"]>) =>
    async (query: TargetQuery): Promise<TargetAnswer> => {
      queries += 1;
      const { text, label, ms } = await run("output", queryValues(query, queries));
      const found = at === undefined ? text : pickOne(parseAnswer(label, text, redact), at);
      if (typeof found !== "string")
        throw new TargetFault("junk", `${label} gave an answer without a text at output.text`);
      return { hits: [{ code: found, score: null, confidence: null }], junk: 0, took: { total: ms } };
    };

  const createComplete =
    ({ completions, text: code = [], confidence }: NonNullable<TargetFile["complete"]>) =>
    async (query: CursorQuery): Promise<CompletionsAnswer> => {
      queries += 1;
      const { text, label, ms } = await run("complete", cursorValues(query, queries));
      const took = { total: ms };
      // Programs end their output with a line break; empty output is a valid answer.
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
    takesVariables: /context\.(?:variables|trajectory)/.test(JSON.stringify([file.recommend, file.output])),
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
    ...(file.output && { predictOutput: createPredictOutput(file.output) }),
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

function notEmptyMessage({ file, name }: ReadTarget, cells: number | null, reset: boolean): string {
  if (cells === null) {
    return `Whether the target ${name} is empty is not known, because its file has no count. Add one, or use --reset-target to run its reset first.`;
  }
  const holds = `The target ${name} contains ${cells} cells; an evaluation needs an empty one.`;
  if (file.reset === undefined) return `${holds} Its file has no reset: add one, or empty it yourself.`;
  return reset
    ? `${holds} Its reset was run, but did not remove them.`
    : `${holds} Give --reset-target to run its reset first.`;
}

interface StepDeps {
  readonly exchange: Exchange;
  readonly redact: Redact;
  readonly url: string;
  /** The folder that relative paths start from. */
  readonly folder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly timeoutMs: number;
}

interface StepsOutcome {
  /** The answer of the last step, as text. */
  readonly text: string;
  /** The name of the last step, for messages. */
  readonly label: string;
  /** The placeholder values, including those saved by the steps. */
  readonly values: Values;
  /** Milliseconds of all steps. */
  readonly ms: number;
}

/** Runs the steps in order; the first failure throws a TargetFault. */
async function runSteps(steps: readonly Step[], at: string, values: Values, deps: StepDeps): Promise<StepsOutcome> {
  const known = new Map(values);
  let outcome: StepsOutcome = { text: "", label: at, values: known, ms: 0 };
  for (const [index, step] of steps.entries()) {
    const label = `${at}.steps[${index}] (${describe(step)})`;
    const { text, ms } = await runStep(step, label, known, deps);
    saveValues(step, label, text, known, deps.redact);
    outcome = { text, label, values: known, ms: outcome.ms + ms };
  }
  return outcome;
}

async function runStep(step: Step, label: string, values: Values, deps: StepDeps) {
  return isCommand(step) ? runCommandStep(step, label, values, deps) : runHttpStep(step, label, values, deps);
}

/** The fields of a step, or of `start`, that `launch` needs. */
function renderCommand(
  { command, shell, cwd = ".", env = {} }: Pick<CommandStep, "command" | "shell" | "cwd" | "env">,
  values: Values,
  deps: Pick<StepDeps, "folder" | "env">,
) {
  const own = Object.entries(env).map(([name, text]) => [name, renderText(text, values)]);
  return {
    command: shell ?? command!.map((text) => renderText(text, values)),
    cwd: resolve(deps.folder, renderText(cwd, values)),
    env: { ...deps.env, ...Object.fromEntries(own) } as StepDeps["env"],
  };
}

/** Names a step by its template, because filled-in values may be secret. */
function describe(step: Pick<HttpStep, "method" | "path" | "url"> | CommandStep): string {
  if (isCommand(step)) return excerpt(step.shell ?? step.command!.join(" "));
  return `${step.method} ${step.path ?? step.url}`;
}

async function runHttpStep(step: HttpStep, label: string, values: Values, deps: StepDeps): Promise<ExchangeReply> {
  const request = renderRequest(step, values, deps.url);
  const reply = await deps.exchange({ ...request, timeoutMs: toMs(step, deps), label });
  const isFine = step.expect?.includes(reply.status) ?? (reply.status >= 200 && reply.status < 300);
  if (!isFine) throw toFault(label, reply, deps.redact);
  return reply;
}

async function runCommandStep(step: CommandStep, label: string, values: Values, deps: StepDeps): Promise<CommandReply> {
  const request = {
    ...renderCommand(step, values, deps),
    stdin: renderText(step.stdin ?? "", values),
    timeoutMs: toMs(step, deps),
    label,
  };
  const reply = await runCommand(request, deps.redact);
  if ((step.expect ?? [0]).includes(reply.status)) return reply;
  const said = excerpt(deps.redact(reply.errors || reply.text).slice(-300));
  throw new TargetFault(
    "errorsOther",
    `${label} ended with exit code ${reply.status}${said === "" ? "" : `: ${said}`}`,
  );
}

function saveValues(
  { save = {} }: Step,
  label: string,
  text: string,
  known: Map<string, unknown>,
  redact: Redact,
): void {
  const entries = Object.entries(save);
  if (entries.length === 0) return;
  const answer = parseAnswer(label, text, redact);
  for (const [name, path] of entries) {
    const found = pick(answer, path);
    if (found.length === 0) throw new TargetFault("junk", `${label} did not return the value at save.${name}`);
    known.set(`saved.${name}`, path.includes(null) ? found : found[0]);
  }
}

function toMs({ timeout }: { timeout?: number | undefined }, { timeoutMs }: StepDeps): number {
  return timeout === undefined ? timeoutMs : timeout * 1_000;
}
