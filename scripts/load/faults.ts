import { Agent, request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { quantile, type Row } from "../bench/table.js";
import { fire } from "./fire.js";
import type { Served } from "./server.js";
import { type LoadOptions, rowsOf, wrong } from "./steady.js";

const CELLS = 5_000;

/** Requests while a notebook of the maximum size is uploaded. */
export async function loadWithUpload({ served, queries, seconds }: LoadOptions): Promise<Row[]> {
  let took = 0;
  const firing = fire({ url: served.url, connections: 16, seconds: Math.max(6, seconds), queries });
  await sleep(1_000);
  const start = performance.now();
  const uploads = await uploadLarge(served.url, queries);
  took = (performance.now() - start) / 1000;
  const group = "16 connections while a notebook of 5,000 cells is uploaded";
  return [
    ...rowsOf(group, await firing, { rate: 450, p99: 100 }),
    { group, name: "upload", value: took, unit: "s" },
    { group, name: "status of the upload", value: uploads, unit: "" },
  ];
}

async function uploadLarge(url: string, queries: readonly string[]): Promise<number> {
  const stamp = Date.now();
  const cells = Array.from({ length: CELLS }, (_, at) => ({
    cell_type: "code",
    source: `${queries[at % queries.length]}\nresult_${stamp}_${at} = compute(${at})`,
  }));
  const answer = await fetch(`${url}/v1/notebooks?source=load&name=large`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ nbformat: 4, cells }),
  });
  await answer.text();
  return answer.status;
}

/**
 * Opens far more connections than can be served, probes the health meanwhile, and measures the first question
 * afterwards.
 */
export async function overload({ served, queries, seconds }: LoadOptions): Promise<Row[]> {
  const group = "1,000 connections";
  const probes: number[] = [];
  let isOver = false;
  const probing = (async () => {
    while (!isOver) {
      const start = performance.now();
      const { status } = await fetch(`${served.url}/healthz`);
      if (status !== 200) throw new Error(`/healthz answers ${status}`);
      probes.push(performance.now() - start);
      await sleep(50);
    }
  })();
  const shots = await fire({ url: served.url, connections: 1_000, seconds, queries });
  const refused = shots.times(503);
  const start = performance.now();
  const { status } = await fetch(`${served.url}/v1/recommendations`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ code: queries[0] }),
  });
  const recovered = performance.now() - start;
  isOver = true;
  await probing;
  return [
    { group, name: "answered", value: shots.times(200).length / shots.seconds, unit: "/s" },
    { group, name: "answered p50", value: quantile(shots.times(200), 0.5), unit: "ms" },
    { group, name: "answered p99", value: quantile(shots.times(200), 0.99), unit: "ms", limit: { atMost: 1_000 } },
    { group, name: "refused", value: refused.length / shots.seconds, unit: "/s" },
    { group, name: "refused p50", value: quantile(refused, 0.5) ?? 0, unit: "ms" },
    { group, name: "refused p99", value: quantile(refused, 0.99) ?? 0, unit: "ms", limit: { atMost: 1_000 } },
    { group, name: "lost or wrong", value: wrong(shots), unit: "", limit: { atMost: 0 } },
    { group, name: "probe p50", value: quantile(probes, 0.5), unit: "ms" },
    { group, name: "slowest probe", value: Math.max(...probes), unit: "ms", limit: { atMost: 1_000 } },
    {
      group,
      name: `first question afterwards (${status})`,
      value: recovered,
      unit: "ms",
      limit: { atMost: 500 },
    },
  ];
}

/** SIGTERM under load: accepted requests are answered, and the process exits. */
export async function stopUnderLoad({ served, queries }: LoadOptions): Promise<Row[]> {
  const group = "SIGTERM under load, 16 connections";
  const asking = Array.from({ length: 16 }, (_, at) => askUntilRefused(served.url, queries, at));
  await sleep(2_000);
  const took = await served.stop();
  const counts = await Promise.all(asking);
  const sum = (what: keyof RequestCounts) => counts.reduce((total, each) => total + each[what], 0);
  return [
    { group, name: "answered", value: sum("answered"), unit: "" },
    { group, name: "refused with 503", value: sum("refused"), unit: "" },
    { group, name: "lost", value: sum("lost"), unit: "", limit: { atMost: 0 } },
    { group, name: "ends after", value: took, unit: "s", limit: { atMost: 11 } },
    { group, name: "exit code", value: served.process.exitCode ?? -1, unit: "", limit: { atMost: 0 } },
  ];
}

interface RequestCounts {
  answered: number;
  refused: number;
  /** Number of questions without an answer. */
  lost: number;
}

/** Sends requests over one connection until the service answers with Retry-After. */
async function askUntilRefused(url: string, queries: readonly string[], from: number): Promise<RequestCounts> {
  const asked: RequestCounts = { answered: 0, refused: 0, lost: 0 };
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  for (let at = from; ; at += 1) {
    const outcome = await askOnce(url, agent, JSON.stringify({ code: queries[at % queries.length] }));
    asked[outcome] += 1;
    if (outcome !== "answered") break;
  }
  agent.destroy();
  return asked;
}

function askOnce(url: string, agent: Agent, body: string): Promise<keyof RequestCounts> {
  return new Promise((resolve) => {
    const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(body) };
    const sent = request(`${url}/v1/recommendations`, { method: "POST", agent, headers }, (answer) => {
      answer.resume().on("end", () => resolve(answer.statusCode === 200 ? "answered" : "refused"));
    });
    sent.on("error", () => resolve("lost"));
    sent.end(body);
  });
}

/** Measures whether memory grows with the number of answers. */
export async function watchMemory(served: Served, queries: readonly string[], requests: number): Promise<Row[]> {
  const group = `memory over ${requests.toLocaleString("en")} requests`;
  const rows: Row[] = [];
  const part = Math.ceil(requests / 10);
  for (let done = 0; done < requests; done += part) {
    await fire({ url: served.url, connections: 16, requests: part, queries });
    rows.push({ group, name: `after ${(done + part).toLocaleString("en")}`, value: served.memory(), unit: "MB" });
  }
  const growth = rows.at(-1)!.value / rows[2]!.value;
  return [...rows, { group, name: "last / third", value: growth, unit: "x", limit: { atMost: 1.1 } }];
}
