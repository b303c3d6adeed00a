// Run after a change to the service:
//   node dist/scripts/fuzz-service.js [REQUESTS] [SEED]
// Starts a service over an index of the samples and sends it malformed requests (100,000 by default). Fails if a
// request hangs, if an answer is neither 2xx nor 4xx with a problem document, or if the service takes more than 600 MB.
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { compose } from "../src/app/compose.js";
import { parseConfig } from "../src/config.js";
import { ingestWhole } from "../src/ingest/ingest-corpus.js";
import { openPaths } from "../src/notebook/corpus/open-paths.js";
import { fuzzService } from "./fuzz/fuzz-service.js";
import { serve } from "./load/server.js";

const MAX_MEMORY_MB = 600;
const [requests = "100000", seed = "1"] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), "celrec-fuzz-"));
cpSync("examples/notebooks", join(folder, "notebooks"), { recursive: true });
const data = join(folder, "index");
const services = await compose(parseConfig({ CELREC_DATA: data }), { activity: "fuzz", hold: "session" });
await ingestWhole((await openPaths([join(folder, "notebooks")])).corpus, services);
await services.close();

const served = await serve(data, { CELREC_FEEDBACK: "on" });
let max = served.memory();
try {
  const report = await fuzzService({
    port: Number(new URL(served.url).port),
    requests: Number(requests),
    seed: Number(seed),
    onProgress(done) {
      max = Math.max(max, served.memory());
      if (done % 10_000 === 0) process.stderr.write(`${done} requests, ${Math.round(served.memory())} MB\n`);
    },
  });
  const isAlive = (await fetch(`${served.url}/readyz`)).status === 200;
  process.stdout.write(`${JSON.stringify({ ...report, maxMemoryMb: Math.round(max), isAlive }, null, 2)}\n`);
  if (report.faults.length > 0 || max > MAX_MEMORY_MB || !isAlive) process.exitCode = 1;
} finally {
  await served.stop();
  rmSync(folder, { recursive: true });
}
