// Run after a change to the service:
//   node dist/scripts/load.js INDEX [steady|bursts|upload|overload|memory|stop|workers]...
// INDEX is a folder made by `celrec index`; `--make CELLS` makes one of that size. Prints a table and writes
// load-results.json.
import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { printRows, type Row } from "./bench/table.js";
import { loadWithUpload, overload, stopUnderLoad, watchMemory } from "./load/faults.js";
import { fire, summarizeShots } from "./load/fire.js";
import { makeIndex, readQueries } from "./load/index-folder.js";
import { serve } from "./load/server.js";
import { loadInBursts, loadSteadily } from "./load/steady.js";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    make: { type: "string" },
    seconds: { type: "string", default: "10" },
    requests: { type: "string", default: "100000" },
  },
});
const [folder, ...parts] = positionals;
if (folder === undefined) throw new Error("name the folder of an index");
if (values.make !== undefined) await makeIndex(folder, Number(values.make));
const WARM_UP = 500;
const wanted = (part: string) => parts.length === 0 || parts.includes(part);
const queries = await readQueries(folder);
const seconds = Number(values.seconds);
const rows: Row[] = [];
const report = (more: readonly Row[]) => {
  printRows(more);
  rows.push(...more);
};

if (wanted("workers")) report(await compareWorkers(folder));
const served = await serve(folder);
try {
  const options = { served, queries, seconds };
  if (wanted("steady")) report(await loadSteadily(options));
  if (wanted("bursts")) report(await loadInBursts(options));
  if (wanted("upload")) report(await loadWithUpload(options));
  if (wanted("overload")) report(await overload(options));
  if (wanted("memory")) report(await watchMemory(served, queries, Number(values.requests)));
  report([{ group: "the service", name: "memory", value: served.memory(), unit: "MB" }]);
  if (wanted("stop")) report(await stopUnderLoad(options));
} finally {
  await served.stop();
}
writeFileSync("load-results.json", `${JSON.stringify({ rows }, null, 2)}\n`);

/** Compares the rate of one reading thread with one thread per core. */
async function compareWorkers(index: string): Promise<Row[]> {
  const measure = async (env: Record<string, string>) => {
    const one = await serve(index, env);
    await fire({ url: one.url, connections: 16, requests: WARM_UP, queries });
    const before = one.cpuMs();
    const shots = await fire({ url: one.url, connections: 16, seconds, queries });
    const cpu = (one.cpuMs() - before) / shots.times(200).length;
    await one.stop();
    return { rate: summarizeShots(shots).rate, cpu };
  };
  const group = "reading on all cores, 16 connections";
  const alone = await measure({ CELREC_WORKERS: "0" });
  const single = await measure({ CELREC_WORKERS: "1" });
  const all = await measure({});
  const toRows = (name: string, { rate, cpu }: { rate: number; cpu: number }): Row[] => [
    { group, name, value: rate, unit: "/s" },
    { group, name: `${name}, work per answer`, value: cpu, unit: "ms" },
  ];
  return [
    ...toRows("CELREC_WORKERS=0 (one core)", alone),
    ...toRows("CELREC_WORKERS=1", single),
    ...toRows("CELREC_WORKERS unset", all),
    { group, name: "unset / one core", value: all.rate / alone.rate, unit: "x", limit: { atLeast: 1.6 } },
  ];
}
