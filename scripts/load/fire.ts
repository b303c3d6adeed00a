import autocannon from "autocannon";
import { quantile } from "../bench/table.js";

export interface Shots {
  readonly seconds: number;
  /** Milliseconds of the answers with this status, unordered. */
  times(status: number): readonly number[];
  /** Requests that got no answer. */
  readonly lost: number;
  readonly statuses: readonly number[];
}

interface FireOptions {
  readonly url: string;
  readonly connections: number;
  /** How long to run, or how many requests to send. */
  readonly seconds?: number;
  readonly requests?: number;
  /** The questions, asked in turn, so no two connections ask the same one at the same time. */
  readonly queries?: readonly string[];
  /** Complete requests, instead of questions. */
  readonly bodies?: readonly unknown[];
}

/** Asks for recommendations over many connections, each without pauses. */
export async function fire(options: FireOptions): Promise<Shots> {
  const { url, connections, seconds, requests, queries = [] } = options;
  const bodies = options.bodies ?? queries.map((code) => ({ code, k: 3 }));
  const times = new Map<number, number[]>();
  let next = 0;
  const start = performance.now();
  const gun = autocannon({
    url,
    connections,
    ...(seconds !== undefined && { duration: seconds }),
    ...(requests !== undefined && { amount: requests }),
    timeout: 30,
    requests: [
      {
        method: "POST",
        path: "/v1/recommendations",
        headers: { "content-type": "application/json" },
        setupRequest: (request) => {
          next += 1;
          return { ...request, body: JSON.stringify(bodies[next % bodies.length]) };
        },
      },
    ],
  });
  gun.on("response", (_client, status, _bytes, ms) => {
    const list = times.get(status) ?? [];
    list.push(ms);
    times.set(status, list);
  });
  const { errors, timeouts } = await gun;
  return {
    seconds: (performance.now() - start) / 1000,
    times: (status) => times.get(status) ?? [],
    lost: errors + timeouts,
    statuses: [...times.keys()].sort(),
  };
}

/** Rate and latencies of the answered requests. */
export function summarizeShots(shots: Shots): { rate: number; p50: number; p99: number; max: number } {
  const answered = shots.times(200);
  return {
    rate: answered.length / shots.seconds,
    p50: quantile(answered, 0.5),
    p99: quantile(answered, 0.99),
    // Spreading 100,000 arguments would exceed the stack.
    max: answered.reduce((highest, ms) => Math.max(highest, ms), 0),
  };
}
