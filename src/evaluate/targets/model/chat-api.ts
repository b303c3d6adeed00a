import { type ChildProcess, fork } from "node:child_process";
import { createHash } from "node:crypto";
import {
  appendFileSync,
  closeSync,
  existsSync,
  fstatSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { assetPath } from "../../../config.js";
import { RecommenderError } from "../../../errors.js";
import { makeFolders } from "../../../notebook/file-system.js";
import { parseJsonLines } from "../../../notebook/json-text.js";
import { TargetFault } from "../../target.js";
import { createRedact, type ExchangeReply, parseAnswer, type Redact, toFault } from "../file/exchange.js";
import { parseBaseUrl } from "../file/target-server.js";
import type { RequestMessage, RequestResult } from "./request-process.js";

export const MODEL_APIS = ["chat", "completions"] as const;
export type ModelApi = (typeof MODEL_APIS)[number];

export interface ModelApiOptions {
  /** Base URL of the API, such as `http://localhost:8000/v1`. */
  readonly url: string;
  readonly api: ModelApi;
  readonly key?: string;
  readonly timeoutMs: number;
  /** The first wait before a question is asked again; it doubles with every try. */
  readonly retryMs?: number;
  /** Ends the waits between retries, but not a running request, which costs money anyway. */
  readonly signal?: AbortSignal;
}

export const OPENAI_URL = "https://api.openai.com/v1";

const MAX_TRIES = 6;
const RETRY_MS = 500;
const MAX_WAIT_MS = 5 * 60_000;

const choiceSchema = z.object({
  message: z.object({ content: z.string().nullish() }).nullish(),
  delta: z.object({ content: z.string().nullish() }).nullish(),
  text: z.string().nullish(),
  finish_reason: z.string().nullish(),
});
const replySchema = z.object({
  choices: z.array(choiceSchema),
  usage: z.object({ prompt_tokens: z.number().nullish(), completion_tokens: z.number().nullish() }).nullish(),
});
type Reply = z.infer<typeof replySchema>;

/** A client of the OpenAI API. Retries busy and failing servers with growing waits. */
export function createModelApi(
  options: ModelApiOptions,
  sender: RequestSender,
  cache: Pick<AnswerCache, "reread">,
): (body: object, key: string) => Promise<ModelAnswer> {
  const { api, key, timeoutMs, retryMs = RETRY_MS, signal } = options;
  const path = api === "chat" ? "/chat/completions" : "/completions";
  const url = modelUrl(options.url);
  const label = `POST ${url}${path}`;
  const redact = createRedact(key === undefined ? [] : [key]);
  // The time until which all questions wait, because the server is busy.
  let pausedUntil = 0;

  const pause = async () => {
    for (let wait = pausedUntil - Date.now(); wait > 0; wait = pausedUntil - Date.now()) {
      await sleep(wait, undefined, signal && { signal }).catch(() => {
        throw new TargetFault("errorsOther", `${label} was not asked again: interrupted`);
      });
    }
  };
  const askOnce = async (body: object, name: string): Promise<ModelAnswer | Retry> => {
    try {
      const isAnswered = () => cache.reread(name) !== undefined;
      const reply = await sender.send(name, isAnswered, key === undefined ? [] : [key], {
        method: "POST",
        url: `${url}${path}`,
        headers: { "content-type": "application/json", ...(key !== undefined && { authorization: `Bearer ${key}` }) },
        body: JSON.stringify(body),
        timeoutMs,
        label,
      });
      if (reply === null) return cache.reread(name) ?? askOnce(body, name);
      if (reply.status >= 200 && reply.status < 300) return readAnswer(label, reply, redact);
      requireAccess(url, reply, redact);
      const fault = toFault(label, reply, redact);
      if (reply.status < 500 && reply.status !== 429 && reply.status !== 408) throw fault;
      return { fault, wait: reply.wait };
    } catch (error) {
      // Retry after a broken connection, a timeout or a truncated answer.
      if (error instanceof TargetFault && !/ answered 4\d\d/.test(error.message)) return { fault: error, wait: null };
      throw error;
    }
  };

  return async (body, name) => {
    for (let tries = 1; ; tries += 1) {
      await pause();
      const answer = await askOnce(body, name).catch((error: unknown) => {
        sender.forget(name);
        throw error;
      });
      if (!("fault" in answer)) return answer;
      sender.forget(name);
      const wait = answer.wait ?? retryMs * 2 ** (tries - 1) * (1 + Math.random());
      if (tries >= MAX_TRIES || wait > MAX_WAIT_MS) throw answer.fault;
      pausedUntil = Math.max(pausedUntil, Date.now() + wait);
    }
  };
}

interface Retry {
  readonly fault: TargetFault;
  readonly wait: number | null;
}

/** Sends requests from another process, which finishes the running requests even if this process is killed. */
interface RequestSender {
  /**
   * Returns the reply to a question. A killed run with the same key may already have received it. Null if another run
   * got the reply. `isAnswered` tells whether another run has stored the answer in the cache.
   */
  send(
    key: string,
    isAnswered: () => boolean,
    secrets: readonly string[],
    request: RequestMessage["request"],
  ): Promise<ExchangeReply | null>;
  /** Deletes the file of a question whose reply is already stored elsewhere, or is of no use. */
  forget(key: string): void;
  close(): void;
}

/** Milliseconds between two looks for the reply to a question that another process asks. */
const POLL_MS = 50;
/** If a process exceeds its timeout by more than this, it has ended, and its id belongs to another process. */
const MAX_LATE_MS = 5_000;

/** `folder` contains a file for every question in progress. */
export function createRequestSender(folder: string): RequestSender {
  const open = new Map<number, { resolve(result: RequestResult): void; reject(error: Error): void }>();
  let child: ChildProcess | null = null;
  let last = 0;

  const start = (): ChildProcess => {
    makeFolders(folder);
    const started = fork(assetPath("dist/src/evaluate/targets/model/request-process.js"), {
      // In a process group of its own, so that Ctrl-C does not end it.
      detached: true,
      stdio: ["ignore", "ignore", "ignore", "ipc"],
      execArgv: [],
    });
    started.on("message", (result: RequestResult) => {
      open.get(result.id)?.resolve(result);
      open.delete(result.id);
      if (open.size === 0) started.channel?.unref();
    });
    started.once("exit", (code, signal) => {
      if (child !== started) return;
      child = null;
      for (const { reject } of open.values())
        reject(new TargetFault("errorsOther", `the process that sends requests ended with ${signal ?? code}`));
      open.clear();
    });
    started.unref();
    return started;
  };
  const ask = (process: ChildProcess, message: Omit<RequestMessage, "id">): Promise<RequestResult> =>
    new Promise((resolve, reject) => {
      process.channel?.ref();
      last += 1;
      open.set(last, { resolve, reject });
      process.send({ id: last, ...message } satisfies RequestMessage);
    });
  const fileOf = (key: string) => join(folder, key);

  return {
    async send(key, isAnswered, secrets, request) {
      const file = fileOf(key);
      const until = Date.now() + request.timeoutMs + MAX_LATE_MS;
      for (;;) {
        child ??= start();
        if (!claim(file, child)) {
          const reply = await waitForOther(file, until);
          if (reply !== "ended") return reply;
          continue;
        }
        // Another run may have received the answer after this run looked into the cache.
        if (isAnswered()) {
          rmSync(file, { force: true });
          return null;
        }
        const result = await ask(child, { file, request, secrets });
        if ("reply" in result) return result.reply;
        if ("fault" in result) throw new TargetFault(result.fault.kind, result.fault.message);
        throw new Error(result.error);
      }
    },
    forget: (key) => rmSync(fileOf(key), { force: true }),
    close() {
      if (child?.connected) child.disconnect();
      child = null;
    },
  };
}

/** Creates the file of a question, with the process that will send it. False if another process has created it. */
function claim(file: string, { pid }: ChildProcess): boolean {
  try {
    writeFileSync(file, String(pid), { flag: "wx" });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

/**
 * Waits for the reply that another process will receive. Null if another run took the reply; "ended" if that process
 * ended without one.
 */
async function waitForOther(file: string, until: number): Promise<ExchangeReply | null | "ended"> {
  for (;;) {
    const state = readState(file);
    if (state === undefined) return null;
    if (typeof state === "object") return state;
    if (!isRunning(state) || Date.now() > until) {
      rmSync(file, { force: true });
      return "ended";
    }
    await sleep(POLL_MS);
  }
}

/** The reply in the file of a question, else the id of the process that asks it; undefined without a file. */
function readState(file: string): ExchangeReply | number | undefined {
  try {
    return JSON.parse(readFileSync(file, "utf8") || "0") as ExchangeReply | number;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

/** Whether a process exists. The id 0 stands for the unknown writer of an empty file, which counts as running. */
function isRunning(pid: number): boolean {
  try {
    return pid === 0 || process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** The address of the API; a server without a path has it under `/v1`. */
export function modelUrl(text: string): string {
  const url = parseBaseUrl(text);
  if (url === null)
    throw new RecommenderError(
      "INPUT_INVALID",
      // The URL is not quoted: it may contain a password.
      "The URL of --target-url must be like http://localhost:8000/v1, without user, password, query and fragment; a key goes into CELREC_OPENAI_KEY.",
    );
  return new URL(url).pathname === "/" ? `${url}/v1` : url;
}

/** TARGET_FAILED if no question can be answered: a missing key or an unknown model. */
function requireAccess(url: string, { status, text }: ExchangeReply, redact: Redact): void {
  const advice = {
    401: "Give the key in CELREC_OPENAI_KEY or OPENAI_API_KEY.",
    403: "Is the key allowed to use this model?",
    404: "Is the model's name right, and is --target-url the address of the API, such as http://localhost:8000/v1?",
  }[status];
  if (advice === undefined) return;
  const { message } = toFault("it", { status, text }, redact);
  throw new RecommenderError("TARGET_FAILED", `The target ${url}: ${message}. ${advice}`);
}

function readAnswer(label: string, { text, ms }: ExchangeReply, redact: Redact): ModelAnswer {
  const parts = text.trimStart().startsWith("data:")
    ? readStream(label, text, redact)
    : [readReply(label, parseAnswer(label, text, redact))];
  const choices = parts.flatMap((part) => part.choices.slice(0, 1));
  const usage = parts.findLast((part) => part.usage != null)?.usage;
  if (choices.length === 0) throw new TargetFault("junk", `${label} answered without choices`);
  return {
    text: choices.map(({ message, delta, text: own }) => message?.content ?? delta?.content ?? own ?? "").join(""),
    tokensIn: usage?.prompt_tokens ?? 0,
    tokensOut: usage?.completion_tokens ?? 0,
    truncated: choices.some(({ finish_reason }) => finish_reason === "length"),
    ms,
  };
}

/** Server-sent events, from a server that streams although it was not asked to. */
function readStream(label: string, text: string, redact: Redact): Reply[] {
  const events = text.split("\n").flatMap((line) => /^data:\s*(.+)$/.exec(line.trimEnd())?.[1] ?? []);
  const parts = events
    .filter((event) => event !== "[DONE]")
    .map((event) => readReply(label, parseAnswer(label, event, redact)));
  const isWhole = events.at(-1) === "[DONE]" || parts.some(({ choices }) => choices.some((one) => one.finish_reason));
  if (!isWhole) throw new TargetFault("junk", `${label} ended its stream in the middle of the answer`);
  return parts;
}

function readReply(label: string, json: unknown): Reply {
  const parsed = replySchema.safeParse(json);
  if (!parsed.success) throw new TargetFault("junk", `${label} gave an answer that does not follow the OpenAI API`);
  return parsed.data;
}

/** A model's answer, with its token usage. */
const answerSchema = z.object({
  text: z.string(),
  tokensIn: z.number(),
  tokensOut: z.number(),
  /** Whether the answer was cut off at the token limit. */
  truncated: z.boolean(),
  ms: z.number(),
});
const entrySchema = answerSchema.extend({ key: z.string() });

export type ModelAnswer = Readonly<z.infer<typeof answerSchema>>;

/** Caches answers on disk, so no question is paid for twice. */
export interface AnswerCache {
  find(key: string): ModelAnswer | undefined;
  add(key: string, answer: ModelAnswer): void;
  /** Reads the answers that other runs have added, and returns the one of this key. */
  reread(key: string): ModelAnswer | undefined;
}

/** The key of a question: the address and everything that is sent to it. */
export function questionKey(url: string, body: object): string {
  return createHash("sha256")
    .update(JSON.stringify([url, body]))
    .digest("hex");
}

/** One file of JSON lines per address and model. Lines are only appended, so several runs may write at once. */
export function openAnswerCache(folder: string, name: string): AnswerCache {
  const file = join(folder, `${createHash("sha256").update(name).digest("hex").slice(0, 16)}.jsonl`);
  makeFolders(folder);
  const answers = new Map<string, ModelAnswer>();
  let readBytes = 0;
  /** Reads the whole lines that were appended since the last call. */
  const readNew = () => {
    const appended = readFrom(file, readBytes);
    const lines = appended.subarray(0, appended.lastIndexOf("\n") + 1);
    readBytes += lines.length;
    for (const line of parseJsonLines(lines.toString())) {
      const entry = "fault" in line ? undefined : entrySchema.safeParse(line.value).data;
      if (entry === undefined) continue;
      const { key, ...answer } = entry;
      answers.set(key, answer);
    }
  };
  readNew();
  // A killed process may leave half a line. It is skipped but not removed, because another run may be appending.
  if (readFrom(file, readBytes).length > 0) appendFileSync(file, "\n");
  return {
    find: (key) => answers.get(key),
    add(key, answer) {
      answers.set(key, answer);
      appendFileSync(file, `${JSON.stringify({ key, ...answer })}\n`);
    },
    reread(key) {
      readNew();
      return answers.get(key);
    },
  };
}

/** The bytes of a file from a position; none if the file does not exist. */
function readFrom(file: string, position: number): Buffer {
  if (!existsSync(file)) return Buffer.alloc(0);
  const descriptor = openSync(file, "r");
  try {
    const bytes = Buffer.alloc(Math.max(0, fstatSync(descriptor).size - position));
    return bytes.subarray(0, readSync(descriptor, bytes, 0, bytes.length, position));
  } finally {
    closeSync(descriptor);
  }
}
