import { on } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { setTimeout as after } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { compose } from "../../src/compose.js";
import { parseConfig } from "../../src/config.js";
import { createApp } from "../../src/http/app.js";
import { makeCorpus, toNotebooks } from "./corpus.js";
import { listen, post } from "./rest.js";
import type { Sent } from "./stalls-client.js";
import type { Row } from "./table.js";

const CELLS = 10_000;
const LONGEST_MS = 50;
/** What is left over of one request is not counted against the next. */
const PAUSE_MS = 200;

/** How long the service answers nobody at all while it works on the dearest requests that it takes. */
export async function benchStalls(): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), "celrec-bench-"));
  const services = await compose(parseConfig({ CELREC_DATA: folder }), { activity: "benchmark", hold: "call" });
  await services.ingest(toNotebooks(makeCorpus(CELLS)));
  await services.workers.warm();
  const server = await listen(createServer(createApp({ ...services, logger: { info: () => {}, error: () => {} } })));
  for (let at = 0; at < 20; at += 1) await post(server, "/v1/recommendations", { code: "import pandas as pd\ndf" });
  const rows: Row[] = [];
  const { port } = server.address() as AddressInfo;
  // The requests come from a thread of their own, so that making them blocks nobody.
  const client = new Worker(new URL("stalls-client.js", import.meta.url), { workerData: port });
  const delay = monitorEventLoopDelay({ resolution: 1 });
  for await (const [sent] of on(client, "message", { close: ["exit"] }) as AsyncIterable<[Sent]>) {
    if ("status" in sent) {
      await after(PAUSE_MS);
      const name = `${sent.name} (${sent.status}, ${Math.round(sent.ms)} ms)`;
      const value = delay.max / 1e6;
      rows.push({ group: "how long everybody else waits", name, value, unit: "ms", limit: { atMost: LONGEST_MS } });
      delay.disable();
      continue;
    }
    await after(PAUSE_MS);
    delay.reset();
    delay.enable();
    client.postMessage("go");
  }
  server.close();
  await services.close();
  rmSync(folder, { recursive: true });
  return rows;
}
