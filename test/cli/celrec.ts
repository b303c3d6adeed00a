import { type ChildProcess, execFile, fork, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import type { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { compose, type Services } from "../../src/app/compose.js";
import { parseConfig } from "../../src/config.js";

export const ROOT = fileURLToPath(new URL("../..", import.meta.url));
export const MAIN = join(ROOT, "dist/src/cli/main.js");
export const TINY_MODEL = join(ROOT, "test/fixtures/tiny-roberta");
export const SAMPLES = join(ROOT, "examples/notebooks");

export interface Result {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

interface RunOptions {
  readonly input?: string;
  readonly env?: Record<string, string>;
  readonly cwd?: string;
}

/** The output on stderr without the progress lines that a slow command prints every ten seconds. */
export function withoutProgress(stderr: string): string {
  return stderr.replace(/^\d+(?:\/\d+)? [^,\n]+, [\d.]+\/s.*\n/gm, "");
}

/** A minimal environment, so settings of the machine do not affect the tests. */
function environment(env: Record<string, string> = {}): Record<string, string> {
  return { PATH: process.env.PATH ?? "", HOME: process.env.HOME ?? "", CELREC_EMBEDDER: "lexical", ...env };
}

/** Runs a command of the built program to its end, in a process that is reused for the next command. */
export function celrec(words: readonly string[], options: RunOptions = {}): Promise<Result> {
  const run = () => runWarm(words, options);
  const result = lastRun.then(run, run);
  lastRun = result;
  return result;
}

/** Runs the built program to its end, in a process of its own. */
export function celrecProcess(words: readonly string[], { input, env, cwd }: RunOptions = {}): Promise<Result> {
  return new Promise((resolve) => {
    const options = { env: environment(env), cwd: cwd ?? ROOT, maxBuffer: 2 ** 28 };
    const child = execFile(process.execPath, [MAIN, ...words], options, (_error, stdout, stderr) =>
      resolve({ code: child.exitCode, signal: child.signalCode, stdout, stderr }),
    );
    child.stdin?.on("error", () => {});
    child.stdin?.end(input ?? "");
  });
}

let runs = 0;
let warm: ChildProcess | null = null;
let lastRun: Promise<unknown> = Promise.resolve();

async function runWarm(words: readonly string[], { input = "", env, cwd = ROOT }: RunOptions): Promise<Result> {
  const child = startWarm();
  // Each run has its own marker, so that late output of an earlier command cannot be mistaken for its end.
  const end = `\0end ${++runs}\0`;
  const ended = new AbortController();
  const ends = once(child, "exit", { signal: ended.signal }).then(() => {
    throw new Error(`celrec ${words.join(" ")} ended the process that it shares with other tests.`);
  });
  const outputs = [readToEnd(child.stdout!, end), readToEnd(child.stderr!, end)] as const;
  const answered = once(child, "message") as Promise<[{ readonly code: number }]>;
  child.send({ words, env: environment(env), cwd, input, end });
  const [stdout, stderr, [{ code }]] = await Promise.race([Promise.all([...outputs, answered]), ends]);
  ended.abort();
  await ends.catch(() => {});
  return { code, signal: null, stdout, stderr };
}

function startWarm(): ChildProcess {
  if (warm !== null && warm.exitCode === null && warm.signalCode === null) return warm;
  const child = fork(join(ROOT, "test/cli/warm-program.js"), { stdio: ["ignore", "pipe", "pipe", "ipc"] });
  warm = child;
  process.once("exit", () => child.kill());
  return child;
}

/** The text before the marker. Rejects if a command still writes after its end, because it left work unfinished. */
function readToEnd(stream: Readable, end: string): Promise<string> {
  const chunks: Buffer[] = [];
  return new Promise((resolve, reject) => {
    const read = (chunk: Buffer) => {
      chunks.push(chunk);
      if (!Buffer.concat(chunks.slice(-2)).includes(end)) return;
      stream.off("data", read);
      const text = Buffer.concat(chunks).toString();
      const at = text.indexOf(end);
      if (text.length === at + end.length && !text.slice(0, at).includes("\0end ")) resolve(text.slice(0, at));
      else reject(new Error(`A command wrote after its end: ${JSON.stringify(text)}`));
    };
    stream.on("data", read);
  });
}

export interface Running {
  readonly child: ChildProcess;
  /** Everything on stdout and stderr so far. */
  output(): string;
  /** Resolves when the output matches. */
  until(pattern: RegExp): Promise<RegExpExecArray>;
  ended: Promise<Result>;
}

/** Starts the command line and leaves it running; it is killed when the test is over. */
export function start(words: readonly string[], { env, cwd }: RunOptions = {}): Running {
  return watch(spawn(process.execPath, [MAIN, ...words], { env: environment(env), cwd: cwd ?? ROOT }));
}

export function watch(child: ChildProcess): Running {
  let stdout = "";
  let stderr = "";
  child.stdout?.on("data", (chunk) => {
    stdout += chunk;
  });
  child.stderr?.on("data", (chunk) => {
    stderr += chunk;
  });
  const ended = new Promise<Result>((resolve) => {
    child.on("close", (code, signal) => resolve({ code, signal, stdout, stderr }));
  });
  onTestFinished(async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill("SIGKILL");
    await ended;
  });
  return {
    child,
    ended,
    output: () => stdout + stderr,
    async until(pattern) {
      for (let waited = 0; waited < 40_000; waited += 20) {
        const match = pattern.exec(stdout + stderr);
        if (match !== null) return match;
        if (child.exitCode !== null) break;
        await sleep(20);
      }
      throw new Error(`no ${pattern} in: ${stdout}${stderr}`);
    },
  };
}

/** Opens the index that the command line wrote. */
export async function openIndex(data: string): Promise<Services> {
  const config = parseConfig({ CELREC_DATA: data, CELREC_EMBEDDER: "lexical" });
  const services = await compose(config, { activity: "a test", hold: "call" });
  onTestFinished(() => services.close());
  return services;
}

export function makeFolder(files: Record<string, string> = {}): string {
  const folder = mkdtempSync(join(tmpdir(), "celrec-test-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(folder, dirname(name)), { recursive: true });
    writeFileSync(join(folder, dirname(name), basename(name)), text);
  }
  return folder;
}

/** The text of an ipynb with these code cells. */
export function ipynb(...cells: readonly string[]): string {
  return JSON.stringify({ nbformat: 4, metadata: {}, cells: cells.map((source) => ({ cell_type: "code", source })) });
}
