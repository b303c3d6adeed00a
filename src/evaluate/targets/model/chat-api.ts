import { createHash } from "node:crypto";
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { RecommenderError } from "../../../errors.js";
import { makeFolders } from "../../../notebook/file-system.js";
import { parseJsonLines } from "../../../notebook/json-text.js";
import { TargetFault } from "../../target.js";
import {
  createExchange,
  createRedact,
  type ExchangeReply,
  parseAnswer,
  type Redact,
  toFault,
} from "../file/exchange.js";
import { parseBaseUrl } from "../file/target-server.js";

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
export function createModelApi(options: ModelApiOptions): (body: object) => Promise<ModelAnswer> {
  const { api, key, timeoutMs, retryMs = RETRY_MS, signal } = options;
  const path = api === "chat" ? "/chat/completions" : "/completions";
  const url = modelUrl(options.url);
  const label = `POST ${url}${path}`;
  const redact = createRedact(key === undefined ? [] : [key]);
  // This loop does the retries.
  const exchange = createExchange(redact, 0);
  // A busy server delays all questions.
  let pausedUntil = 0;

  const pause = async () => {
    for (let wait = pausedUntil - Date.now(); wait > 0; wait = pausedUntil - Date.now()) {
      await sleep(wait, undefined, signal && { signal }).catch(() => {
        throw new TargetFault("errorsOther", `${label} was not asked again: interrupted`);
      });
    }
  };
  const askOnce = async (body: object): Promise<ModelAnswer | Retry> => {
    try {
      const reply = await exchange({
        method: "POST",
        url: `${url}${path}`,
        headers: { "content-type": "application/json", ...(key !== undefined && { authorization: `Bearer ${key}` }) },
        body: JSON.stringify(body),
        timeoutMs,
        label,
      });
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

  return async (body) => {
    for (let tries = 1; ; tries += 1) {
      await pause();
      const answer = await askOnce(body);
      if (!("fault" in answer)) return answer;
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
  if (!parsed.success) throw new TargetFault("junk", `${label} answered, but not as the OpenAI API does`);
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
  const text = existsSync(file) ? readFileSync(file, "utf8") : "";
  // A killed process may leave half a line. It is skipped but not removed, because another run may be appending.
  if (text !== "" && !text.endsWith("\n")) appendFileSync(file, "\n");
  const answers = new Map<string, ModelAnswer>();
  for (const line of parseJsonLines(text)) {
    const entry = "fault" in line ? undefined : entrySchema.safeParse(line.value).data;
    if (entry === undefined) continue;
    const { key, ...answer } = entry;
    answers.set(key, answer);
  }
  return {
    find: (key) => answers.get(key),
    add(key, answer) {
      answers.set(key, answer);
      appendFileSync(file, `${JSON.stringify({ key, ...answer })}\n`);
    },
  };
}
