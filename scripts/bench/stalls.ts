import { on } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { setTimeout as after } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { compose } from "../../src/app/compose.js";
import type { WriterRole } from "../../src/app/parts.js";
import { openService } from "../../src/app/service.js";
import { type Config, parseConfig } from "../../src/config.js";
import { createApp } from "../../src/http/app.js";
import { makeCorpus, toNotebooks } from "./corpus.js";
import { listen, post, urlOf } from "./rest.js";
import type { Sent } from "./stalls-client.js";
import type { Row } from "./table.js";

const CELLS = 10_000;
const MAX_STALL_MS = 50;
/** A pause between requests, so leftover work of one does not slow down the next. */
const PAUSE_MS = 200;

/** Latency of other clients while the service works on its most expensive requests. */
export async function benchStalls(): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), "celrec-bench-"));
  const config = parseConfig({ CELREC_DATA: folder });
  const role = { activity: "benchmark", hold: "call" } as const;
  await fillIndex(config, role);
  const service = await openService(config, role);
  const logger = { info: () => {}, error: () => {} };
  const server = await listen(createServer(createApp({ ...service, config, logger })));
  await service.warm(new AbortController().signal);
  await service.warmWorkers();
  let asked = 0;
  const ask = async () => {
    asked += 1;
    return (await post(urlOf(server), "/v1/recommendations", { code: `import pandas as pd\nx = ${asked}\ndf` })).ms;
  };
  for (let at = 0; at < 20; at += 1) await ask();
  const stalls: Row[] = [];
  const waits: Row[] = [];
  const { port } = server.address() as AddressInfo;
  // The requests come from a separate thread, so that creating them does not block the clients.
  const client = new Worker(new URL("stalls-client.js", import.meta.url), { workerData: port });
  const delay = monitorEventLoopDelay({ resolution: 1 });
  let beside: ReturnType<typeof measureSlowest> | undefined;
  for await (const [sent] of on(client, "message", { close: ["exit"] }) as AsyncIterable<[Sent]>) {
    if ("status" in sent) {
      const longest = await beside!.stop();
      await after(PAUSE_MS);
      const name = `${sent.name} (${sent.status}, ${Math.round(sent.ms)} ms)`;
      const value = delay.max / 1e6;
      stalls.push({
        group: "longest time without an answer",
        name,
        value,
        unit: "ms",
        limit: { atMost: MAX_STALL_MS },
      });
      waits.push({ group: "slowest ordinary request during the stall", name, value: longest, unit: "ms" });
      delay.disable();
      continue;
    }
    await after(PAUSE_MS);
    delay.reset();
    delay.enable();
    beside = measureSlowest(ask);
    client.postMessage("go");
  }
  server.close();
  await service.close();
  rmSync(folder, { recursive: true });
  return [...stalls, ...waits];
}

async function fillIndex(config: Config, role: WriterRole): Promise<void> {
  const { ingest, close } = await compose(config, role);
  await ingest(toNotebooks(makeCorpus(CELLS)));
  await close();
}

/** Sends one request after another until stopped, and returns the latency of the slowest. */
function measureSlowest(ask: () => Promise<number>) {
  let isOver = false;
  const slowest = (async () => {
    let longest = 0;
    while (!isOver) longest = Math.max(longest, await ask());
    return longest;
  })();
  return {
    stop() {
      isOver = true;
      return slowest;
    },
  };
}
