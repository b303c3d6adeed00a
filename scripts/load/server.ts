import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { createInterface } from "node:readline";

/** Milliseconds per clock tick of Linux. */
const TICK_MS = 10;

/** A service in a process of its own. */
export interface Served {
  readonly url: string;
  readonly process: ChildProcess;
  /** Current memory in megabytes. */
  memory(): number;
  /** CPU milliseconds over all cores; less affected by other work on the machine than a rate. */
  cpuMs(): number;
  /** A figure of `/metrics`. */
  metric(name: string): Promise<number>;
  /** Stops the service; returns the seconds until its end. */
  stop(): Promise<number>;
}

/**
 * Starts `celrec serve` on a free port, and waits until it listens, which is after its warm-up. `program` is the folder of
 * a built checkout.
 */
export async function serve(
  data: string,
  env: Readonly<Record<string, string>> = {},
  program = process.cwd(),
): Promise<Served> {
  const child = spawn(process.execPath, ["dist/src/cli/main.js", "serve", "--data", resolve(data), "--port", "0"], {
    cwd: program,
    stdio: ["ignore", "ignore", "pipe"],
    env: { ...process.env, ...env },
  });
  const lines = createInterface({ input: child.stderr! });
  const url = await new Promise<string>((listening, reject) => {
    child.once("exit", (code) => reject(new Error(`the service ended with ${code}`)));
    lines.on("line", (line) => {
      const found = /cells on (http:\S+)/.exec(line)?.[1];
      if (found !== undefined) listening(found);
    });
  });
  return {
    url,
    process: child,
    memory: () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, "utf8"))![1]) / 1024,
    cpuMs() {
      const fields = readFileSync(`/proc/${child.pid}/stat`, "utf8").split(") ")[1]!.split(" ");
      return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
    },
    async metric(name) {
      const text = await (await fetch(`${url}/metrics`)).text();
      return Number(new RegExp(`^${name} (\\S+)$`, "m").exec(text)?.[1]);
    },
    async stop() {
      const start = performance.now();
      const ended = child.exitCode === null ? once(child, "exit") : null;
      child.kill("SIGTERM");
      await ended;
      return (performance.now() - start) / 1000;
    },
  };
}
