import { type ChildProcess, spawn } from "node:child_process";
import { TargetFault } from "../../target.js";
import { excerpt } from "./exchange.js";
import type { Redact } from "./redact.js";

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

const LARGEST_OUTPUT = 64 * 1024 * 1024;

/** Runs a command to its end, whatever its exit code; a TargetFault where it could not run or took too long. */
export async function runCommand(request: CommandRequest, redact: Redact): Promise<CommandReply> {
  const { stdin, timeoutMs, label } = request;
  const start = performance.now();
  const child = launch(request);
  const output = collect(child.stdout!, LARGEST_OUTPUT);
  const errors = collect(child.stderr!, LARGEST_OUTPUT);
  // A program that does not read its input closes the pipe, and that is its right.
  child.stdin!.on("error", () => {});
  child.stdin!.end(stdin);
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      endGroup(child, "SIGKILL");
      // Whatever it has started may hold its output open, so that `close` never comes.
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

/** Starts a process in a group of its own, so that what it starts can be ended with it. */
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

/** Keeps the end of a stream, at most `most` characters of it. */
export function collect(stream: NodeJS.ReadableStream, most: number): () => string {
  const chunks: string[] = [];
  let size = 0;
  stream.setEncoding("utf8");
  stream.on("data", (chunk: string) => {
    chunks.push(chunk);
    size += chunk.length;
    while (chunks.length > 1 && size - chunks[0]!.length > most) size -= chunks.shift()!.length;
  });
  return () => chunks.join("").slice(-most);
}
