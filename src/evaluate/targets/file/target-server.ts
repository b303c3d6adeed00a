import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { TargetFault } from "../../target.js";
import { type CommandRequest, collect, endGroup, excerpt, launch, type Redact } from "./exchange.js";

/** A server that was started for this run. */
export interface StartedServer {
  /** Throws an error with the last output of the server if the server has ended. */
  check(): void;
  stop(): Promise<void>;
}

const GRACE_MS = 5_000;
const POLL_MS = 100;
const MAX_KEPT_OUTPUT = 4_000;

/** Starts a server, which runs in the background until it is stopped or this process ends. */
export function startServer(
  request: Pick<CommandRequest, "command" | "cwd" | "env" | "label">,
  redact: Redact,
): StartedServer {
  const child = launch(request);
  child.stdin!.on("error", () => {});
  child.stdin!.end();
  const outputs = [collect(child.stdout!, MAX_KEPT_OUTPUT), collect(child.stderr!, MAX_KEPT_OUTPUT)];
  let failure: string | null = null;
  child.once("error", (error) => {
    failure = `could not be run: ${excerpt(redact(error.message))}`;
  });
  const kill = () => endGroup(child, "SIGKILL");
  process.once("exit", kill);
  return {
    check() {
      const ended = failure ?? describeEnd(child);
      if (ended === null) return;
      const said = excerpt(redact(outputs.map((output) => output()).join(" ")).slice(-300));
      throw new TargetFault("errorsOther", `${request.label} ${ended}${said === "" ? "" : `: ${said}`}`);
    },
    async stop() {
      process.off("exit", kill);
      if (failure === null && describeEnd(child) === null) {
        const closed = once(child, "exit");
        endGroup(child, "SIGTERM");
        await Promise.race([closed, sleep(GRACE_MS, undefined, { ref: false })]);
      }
      // Children of the server may still be running.
      kill();
    },
  };
}

/** Retries an action until it succeeds; throws the last failure after the time limit. */
export async function pollUntil(ask: () => Promise<unknown>, timeoutMs: number, check: () => void): Promise<void> {
  const end = performance.now() + timeoutMs;
  for (;;) {
    check();
    try {
      await ask();
      return;
    } catch (error) {
      if (!(error instanceof TargetFault)) throw error;
      check();
      if (performance.now() > end) throw error;
      await sleep(POLL_MS);
    }
  }
}

/** A free port. */
export async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, "close");
  return port;
}

function describeEnd({ exitCode, signalCode }: ChildProcess): string | null {
  if (exitCode !== null) return `ended with exit code ${exitCode}`;
  return signalCode === null ? null : `was ended by ${signalCode}`;
}

/** The URL of a server without a trailing slash; null if it is not a URL, or has a query or a fragment. */
export function parseBaseUrl(text: string): string | null {
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) return null;
  const { username, password, search, hash, href } = new URL(text);
  // fetch rejects a URL with a password, and reports would show it.
  return username + password + search + hash === "" ? href.replace(/\/+$/, "") : null;
}
