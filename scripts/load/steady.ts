import { quantile, type Row } from "../bench/table.js";
import { serveEmpty } from "./empty-route.js";
import { fire, type Shots, summarizeShots } from "./fire.js";
import type { Served } from "./server.js";

export interface LoadOptions {
  readonly served: Served;
  readonly queries: readonly string[];
  readonly seconds: number;
}

/** Compares one connection with an empty route, then increases the number of connections. */
export async function loadSteadily({ served, queries, seconds }: LoadOptions): Promise<Row[]> {
  const { url } = served;
  const empty = await serveEmpty();
  const floor = summarizeShots(await fire({ url: empty.url, connections: 1, seconds, queries }));
  empty.stop();
  const one = summarizeShots(await fire({ url, connections: 1, seconds, queries }));
  await served.metric("nodejs_eventloop_lag_p99_seconds");
  const sixteen = await fire({ url, connections: 16, seconds, queries });
  const delay = 1000 * (await served.metric("nodejs_eventloop_lag_p99_seconds"));
  const hundred = await fire({ url, connections: 100, seconds, queries });
  return [
    { group: "one connection", name: "empty route p50 (floor)", value: floor.p50, unit: "ms" },
    { group: "one connection", name: "p50", value: one.p50, unit: "ms" },
    { group: "one connection", name: "p50 / empty route", value: one.p50 / floor.p50, unit: "x", limit: { atMost: 6 } },
    ...rowsOf("16 connections", sixteen, { rate: 450, p99: 100 }),
    { group: "16 connections", name: "event-loop delay p99", value: delay, unit: "ms", limit: { atMost: 50 } },
    ...rowsOf("100 connections", hundred, {}),
  ];
}

/** Sends bursts of requests with pauses in between. */
export async function loadInBursts({ served, queries }: LoadOptions): Promise<Row[]> {
  const times: number[] = [];
  let refused = 0;
  for (let burst = 0; burst < 5; burst += 1) {
    const shots = await fire({ url: served.url, connections: 100, requests: 200, queries });
    times.push(...shots.times(200));
    refused += shots.times(503).length;
  }
  const group = "bursts of 200 requests over 100 connections";
  return [
    { group, name: "p50", value: quantile(times, 0.5), unit: "ms" },
    { group, name: "slowest answer", value: Math.max(...times), unit: "ms", limit: { atMost: 1_000 } },
    { group, name: "refused", value: refused, unit: "" },
  ];
}

export function rowsOf(group: string, shots: Shots, { rate, p99 }: { rate?: number; p99?: number }): Row[] {
  const figures = summarizeShots(shots);
  return [
    {
      group,
      name: "rate",
      value: figures.rate,
      unit: "/s",
      ...(rate !== undefined && { limit: { atLeast: rate } }),
    },
    { group, name: "p50", value: figures.p50, unit: "ms" },
    { group, name: "p99", value: figures.p99, unit: "ms", ...(p99 !== undefined && { limit: { atMost: p99 } }) },
    { group, name: "slowest answer", value: figures.max, unit: "ms" },
    { group, name: "refused", value: shots.times(503).length, unit: "" },
    { group, name: "lost or wrong", value: wrong(shots), unit: "", limit: { atMost: 0 } },
  ];
}

/** Requests without an answer, and answers other than success and overload. */
export function wrong(shots: Shots): number {
  const others = shots.statuses.filter((status) => status !== 200 && status !== 503);
  return others.reduce((sum, status) => sum + shots.times(status).length, shots.lost);
}
