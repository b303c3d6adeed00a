import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";

/** A service in a process of its own. */
export interface Served {
  readonly url: string;
  readonly process: ChildProcess;
  /** Megabytes that it holds in memory now. */
  memory(): number;
  /** A figure of `/metrics`. */
  metric(name: string): Promise<number>;
  /** Asks it to stop; the seconds that it takes. */
  stop(): Promise<number>;
}

/** Starts `celrec serve` on a port of the system's choice, and waits until it is warm. */
export async function serve(data: string, env: Readonly<Record<string, string>> = {}): Promise<Served> {
  const child = spawn(
    process.execPath,
    ["dist/src/cli/main.js", "serve", "--data", data, "--port", "0", "--log-level", "info"],
    {
      stdio: ["ignore", "ignore", "pipe"],
      env: { ...process.env, ...env },
    },
  );
  const lines = createInterface({ input: child.stderr! });
  let url = "";
  await new Promise<void>((resolve, reject) => {
    child.once("exit", (code) => reject(new Error(`the service ended with ${code}`)));
    lines.on("line", (line) => {
      url ||= /cells on (http:\S+)/.exec(line)?.[1] ?? "";
      if (line.includes("warmed up")) resolve();
    });
  });
  return {
    url,
    process: child,
    memory: () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, "utf8"))![1]) / 1024,
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
