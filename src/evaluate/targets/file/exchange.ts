import { type ChildProcess, spawn } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { TargetFault } from "../../target.js";

export interface ExchangeRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | FormData | URLSearchParams;
  readonly timeoutMs: number;
  /** The name in messages, used instead of the URL, which may contain a secret. */
  readonly label: string;
}

export interface ExchangeReply {
  readonly status: number;
  readonly text: string;
  /** Milliseconds from sending the request to the last byte of the answer, without waits for retries. */
  readonly ms: number;
  /** Retry-After in milliseconds; null without one. */
  readonly wait: number | null;
}

export type Exchange = (request: ExchangeRequest) => Promise<ExchangeReply>;

const MAX_RETRIES = 3;
const MAX_WAIT_MS = 60_000;
const MAX_ANSWER = 64 * 1024 * 1024;

/**
 * Sends one HTTP request and reads its whole answer with any status; throws a TargetFault if there is none. 429 and 503
 * with Retry-After are retried a few times. If a server stays busy, later requests are not retried until it has
 * answered once.
 */
export function createExchange(redact: Redact, retries = MAX_RETRIES): Exchange {
  let patient = true;
  return async (request) => {
    for (let tries = 1; ; tries += 1) {
      const reply = await send(request, redact);
      const { wait } = reply;
      if (wait === null) patient = true;
      else if (patient && tries <= retries && wait <= MAX_WAIT_MS) {
        await sleep(wait);
        continue;
      } else patient = false;
      return reply;
    }
  };
}

/** The fault for an error status. */
export function toFault(
  label: string,
  { status, text }: Pick<ExchangeReply, "status" | "text">,
  redact: Redact,
): TargetFault {
  const said = excerpt(redact(text));
  return new TargetFault(
    status >= 500 ? "errors5xx" : "errorsOther",
    `${label} answered ${status}${said === "" ? "" : `: ${said}`}`,
  );
}

/** The answer as JSON; a fault of kind junk if it is not JSON. */
export function parseAnswer(label: string, text: string, redact: Redact): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    const said = text.trim() === "" ? "an empty answer" : `something that is not JSON: ${excerpt(redact(text))}`;
    throw new TargetFault("junk", `${label} gave ${said}`);
  }
}

/** The start of a text, on one line. */
export function excerpt(text: string): string {
  const line = text.replace(/[\x00-\x20\x7f]+/g, " ").trim();
  return line.length > 300 ? `${line.slice(0, 300)}...` : line;
}

async function send(request: ExchangeRequest, redact: Redact): Promise<ExchangeReply> {
  const { method, url, headers, body, timeoutMs } = request;
  const start = performance.now();
  try {
    const signal = AbortSignal.timeout(timeoutMs);
    const response = await fetch(url, { method, headers, signal, ...(body !== undefined && { body }) });
    const text = await readText(response);
    return { status: response.status, text, ms: performance.now() - start, wait: waitOf(response) };
  } catch (error) {
    throw toTransportFault(request, error, redact);
  }
}

async function readText(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  let size = 0;
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    size += chunk.byteLength;
    if (size > MAX_ANSWER) throw new TargetFault("junk", `gave more than ${MAX_ANSWER / 2 ** 20} MB and was cut off`);
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

/** The Retry-After header in milliseconds; null without one. */
function waitOf({ status, headers }: Response): number | null {
  const value = headers.get("retry-after");
  if (value === null || (status !== 429 && status !== 503)) return null;
  const wait = /^\d+$/.test(value.trim()) ? Number(value) * 1_000 : Date.parse(value) - Date.now();
  return Number.isNaN(wait) ? null : Math.max(0, wait);
}

// The error is not kept as a cause, because fetch quotes URLs and headers in it, which may contain secrets.
function toTransportFault({ label, timeoutMs }: ExchangeRequest, error: unknown, redact: Redact): TargetFault {
  if (error instanceof TargetFault) return new TargetFault(error.kind, `${label} ${error.message}`);
  const { name, message, cause } = error as Error & { cause?: { code?: string; message?: string } };
  if (name === "TimeoutError" || /^UND_ERR_(HEADERS|BODY|CONNECT)_TIMEOUT$/.test(cause?.code ?? "")) {
    return new TargetFault("timeouts", `${label} did not answer within ${timeoutMs / 1_000} s`);
  }
  const why = cause?.code === "ECONNREFUSED" ? "connection refused" : cause?.message || cause?.code || message;
  return new TargetFault("errorsOther", `${label} could not be reached: ${excerpt(redact(why))}`);
}

/** Removes secrets from a text that is shown to users. */
export type Redact = (text: string) => string;

/** Replaces every secret, including its JSON and URL encodings. `secrets` may grow later. */
export function createRedact(secrets: Iterable<string>): Redact {
  return (text) => {
    const forms = [...secrets].filter((secret) => secret !== "").flatMap(formsOf);
    // The longest secrets are replaced first, because a secret may contain another one.
    forms.sort((a, b) => b.length - a.length);
    return forms.reduce((rest, form) => rest.replaceAll(form, "***"), text);
  };
}

function formsOf(secret: string): string[] {
  const quote = (text: string) => JSON.stringify(text).slice(1, -1);
  // A server that echoes a request may have encoded it twice.
  return [secret, quote(secret), quote(quote(secret)), encodeURIComponent(secret.toWellFormed())];
}

export interface CommandRequest {
  /** A program and its arguments, or a line for the shell. */
  readonly command: readonly string[] | string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: string;
  readonly timeoutMs: number;
  readonly label: string;
}

export interface CommandReply {
  readonly status: number;
  readonly text: string;
  readonly errors: string;
  readonly ms: number;
}

const MAX_OUTPUT = 64 * 1024 * 1024;

/** Runs a command to its end, whatever its exit code; a TargetFault if it could not run or took too long. */
export async function runCommand(request: CommandRequest, redact: Redact): Promise<CommandReply> {
  const { stdin, timeoutMs, label } = request;
  const start = performance.now();
  const child = launch(request);
  const output = collect(child.stdout!, MAX_OUTPUT);
  const errors = collect(child.stderr!, MAX_OUTPUT);
  // A program may close its input without reading it.
  child.stdin!.on("error", () => {});
  child.stdin!.end(stdin);
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      endGroup(child, "SIGKILL");
      // Not `close`, which is never emitted if children of the command keep the output open.
      reject(new TargetFault("timeouts", `${label} did not end within ${timeoutMs / 1_000} s`));
    }, timeoutMs);
    child.once("error", (error) => {
      clearTimeout(timer);
      reject(new TargetFault("errorsOther", `${label} could not be run: ${excerpt(redact(error.message))}`));
    });
    child.once("close", (code, signal) => {
      clearTimeout(timer);
      if (code === null) reject(new TargetFault("errorsOther", `${label} was ended by ${signal}`));
      else resolve({ status: code, text: output(), errors: errors(), ms: performance.now() - start });
    });
  });
}

/** Starts a process in a group of its own, so its children can be ended with it. */
export function launch({ command, cwd, env }: Pick<CommandRequest, "command" | "cwd" | "env">): ChildProcess {
  const [program, args, shell] =
    typeof command === "string" ? [command, [], true] : [command[0]!, command.slice(1), false];
  return spawn(program, args, { cwd, env, shell, detached: process.platform !== "win32", windowsHide: true });
}

export function endGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    if (process.platform === "win32") child.kill(signal);
    else process.kill(-child.pid, signal);
  } catch (error) {
    // The whole group is gone already; macOS says EPERM then.
    if (!["ESRCH", "EPERM"].includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
  }
}

/** Keeps the last `max` characters of a stream. */
export function collect(stream: NodeJS.ReadableStream, max: number): () => string {
  const chunks: string[] = [];
  let size = 0;
  stream.setEncoding("utf8");
  stream.on("data", (chunk: string) => {
    chunks.push(chunk);
    size += chunk.length;
    while (chunks.length > 1 && size - chunks[0]!.length > max) size -= chunks.shift()!.length;
  });
  return () => chunks.join("").slice(-max);
}
