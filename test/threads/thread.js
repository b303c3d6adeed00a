// Run as a thread by the tests of the pool.
import { writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { workerData } from "node:worker_threads";
import { serveThread } from "../../dist/src/threads/serve-thread.js";
import { transfer } from "../../dist/src/threads/thread-protocol.js";

let calls = 0;
let aborted = 0;
const handlers = {
  sleep: (ms) => sleep(ms),
  count: () => {
    calls += 1;
    return calls;
  },
  untilAborted: (_, { signal }) =>
    new Promise((resolve) =>
      signal.addEventListener("abort", () => {
        aborted += 1;
        resolve();
      }),
    ),
  aborted: () => aborted,
  join: (separator, { chunks }) => chunks.map((bytes) => new TextDecoder().decode(bytes)).join(separator),
  countTo: (end, { report }) => {
    for (let value = 1; value <= end; value += 1) report(value);
    return end;
  },
  json: (value) => {
    const bytes = new TextEncoder().encode(JSON.stringify(value));
    const whole = bytes.buffer.slice(0, bytes.length);
    return transfer(whole, [whole]);
  },
  uncloneable: () => () => {},
  die: () => process.exit(1),
};
await serveThread(() => ({
  facts: { name: "test" },
  handlers,
  close: () => workerData?.closed && writeFileSync(workerData.closed, "closed"),
}));
