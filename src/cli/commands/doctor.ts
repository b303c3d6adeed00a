import { accessSync, constants, existsSync, statSync } from "node:fs";
import { createServer } from "node:net";
import { dirname, join, resolve } from "node:path";
import { Command } from "commander";
import type { Services } from "../../app/compose.js";
import { identityOf, openEmbedder, openLabeller } from "../../app/parts.js";
import type { Config } from "../../config.js";
import type { Embedder } from "../../embed/embedder.js";
import { RecommenderError } from "../../errors.js";
import { checkAccess } from "../../http/authorize.js";
import { CELLS } from "../../store/embedded/database.js";
import { type Examination, examineIndex, repairIndex } from "../../store/repair-embedded.js";
import type { IndexIdentity, VectorStore } from "../../store/vector-store.js";
import type { Context, Run } from "../context.js";
import { createProgress } from "../progress.js";

interface Check {
  readonly name: string;
  readonly ok: boolean;
  readonly detail: string;
}

const MIN_NODE = 20;
/** Maximum number of damaged notebooks in the output. */
const MAX_LISTED = 5;

export function doctorCommand(run: Run): Command {
  return new Command("doctor")
    .description("check Node, the model, the store, access and the port, and say how to fix problems")
    .option("--repair", "rebuild a damaged embedded index from all readable data; the damaged index is kept")
    .option("--deep", "also read every notebook and cell of an embedded index and verify its checksum")
    .action(
      run((context, { repair, deep }: { repair?: true; deep?: true }) =>
        repair ? runRepair(context) : examine(context, deep === true),
      ),
    );
}

async function runRepair({ config, output }: Context) {
  requireEmbedded(config, "--repair");
  const identity = identityOf({ embedder: await openEmbedder(config), labeller: await openLabeller(config) });
  const writer = { pid: process.pid, activity: "celrec doctor --repair" };
  const report = await repairIndex(config.data, identity, writer);
  output.document(report);
  const { notebooks, cells, incomplete, lost, kept } = report;
  output.line(`${cells} cells of ${notebooks} notebooks were recovered. The damaged index is kept in ${kept}.`);
  if (lost > 0) output.line(`${lost} notebooks could not be read at all.`);
  for (const { source, name } of incomplete) output.line(`Missing a cell: ${name} in ${source}`);
  if (lost + incomplete.length > 0) output.line("Run celrec index with the same paths to restore what is missing.");
  return 0;
}

function requireEmbedded({ store }: Config, flag: string): void {
  if (store !== "embedded")
    throw new RecommenderError("CONFIG_INVALID", `${flag} is for an embedded index; Milvus keeps its own copies.`);
}

async function examine({ config, output, open }: Context, isDeep: boolean) {
  if (isDeep) requireEmbedded(config, "--deep");
  const access = await runCheck("access", async () => checkAccess(config));
  const services = await checkServices(config, open, isDeep);
  const checks: Check[] = [checkNode(), ...services, access, await checkPort(config)];
  output.document({ ok: checks.every(({ ok }) => ok), checks });
  for (const { name, ok, detail } of checks) output.line(`${ok ? "ok  " : "FAIL"} ${name.padEnd(6)} ${detail}`);
  return checks.every(({ ok }) => ok) ? 0 : 1;
}

function checkNode(): Check {
  const ok = Number(process.versions.node.split(".")[0]) >= MIN_NODE;
  return { name: "node", ok, detail: `${process.version}${ok ? "" : `; celrec needs Node ${MIN_NODE} or newer`}` };
}

async function checkServices(config: Config, open: Context["open"], isDeep: boolean): Promise<Check[]> {
  let services: Services;
  try {
    services = await open({ activity: "celrec doctor", hold: "call", create: false });
  } catch (error) {
    return [{ name: "model", ok: false, detail: expectedMessage(error) }];
  }
  try {
    const checks = [await checkModel(services.embedder), await checkStore(services.store, config)];
    const hasCells = existsSync(join(config.data, CELLS));
    return isDeep && hasCells ? [...checks, await checkCells(config, identityOf(services))] : checks;
  } finally {
    await services.close();
  }
}

function checkModel(embedder: Embedder): Promise<Check> {
  return runCheck("model", async () => {
    await embedder.embed(["import pandas as pd"], "query");
    return `${embedder.id} (${embedder.dimensions} dimensions)`;
  });
}

async function checkStore(store: VectorStore, { data }: Config): Promise<Check> {
  try {
    const { cells, notebooks } = await store.counts();
    return { name: "store", ok: true, detail: `${store.name}: ${cells} cells of ${notebooks} notebooks` };
  } catch (error) {
    if (error instanceof RecommenderError && error.code === "NOT_FOUND") return checkFolder(data);
    return { name: "store", ok: false, detail: expectedMessage(error) };
  }
}

/** Verifies every cell against its checksum. */
function checkCells({ data }: Config, identity: IndexIdentity): Promise<Check> {
  return runCheck("cells", async () => {
    const progress = createProgress("notebooks read", null);
    try {
      const { notebooks, incomplete, lost } = examineIndex(data, identity, (done) => progress.update(done));
      if (incomplete.length + lost > 0)
        throw new RecommenderError("STORE_UNAVAILABLE", describeDamage(incomplete, lost));
      return `all cells of ${notebooks} notebooks are intact`;
    } finally {
      progress.end();
    }
  });
}

function describeDamage(incomplete: Examination["incomplete"], lost: number): string {
  const named = incomplete.slice(0, MAX_LISTED).map(({ source, name }) => `${name} in ${source}`);
  const more = incomplete.length > MAX_LISTED ? [`${incomplete.length - MAX_LISTED} more`] : [];
  return [
    ...(incomplete.length > 0 ? [`a cell is damaged in ${[...named, ...more].join(", ")}`] : []),
    ...(lost > 0 ? [`${lost} notebooks cannot be read at all`] : []),
    "celrec doctor --repair keeps everything else, and celrec index with the same paths restores what is missing",
  ].join("; ");
}

/** Whether an index could be created here; does not create it. */
function checkFolder(data: string): Check {
  let folder = resolve(data);
  while (!existsSync(folder)) folder = dirname(folder);
  try {
    accessSync(folder, constants.W_OK);
    if (statSync(folder).isDirectory())
      return { name: "store", ok: true, detail: `no index in ${data} yet; create it with celrec index PATHS` };
  } catch {
    // The failure is reported below.
  }
  return {
    name: "store",
    ok: false,
    detail: `no index can be created in ${data}; check that the folder ${folder} is writable`,
  };
}

async function checkPort({ host, port }: Config): Promise<Check> {
  const error = await new Promise<NodeJS.ErrnoException | null>((resolve) => {
    const probe = createServer().once("error", resolve);
    probe.listen(port, host, () => probe.close(() => resolve(null)));
  });
  const address = `${host}:${port}`;
  if (error === null) return { name: "port", ok: true, detail: `${address} is free` };
  if (error.code !== "EADDRINUSE") return { name: "port", ok: false, detail: `${address} ${error.message}` };
  return (await isCelrec(address))
    ? { name: "port", ok: true, detail: `${address} is in use by a running celrec` }
    : { name: "port", ok: false, detail: `${address} is in use by another program; choose another with CELREC_PORT` };
}

async function isCelrec(address: string): Promise<boolean> {
  try {
    const answer = await fetch(`http://${address}/healthz`, { signal: AbortSignal.timeout(2_000) });
    return answer.headers.has("x-request-id") && (await answer.text()) === '{"status":"ok"}';
  } catch {
    return false;
  }
}

async function runCheck(name: string, probe: () => Promise<string>): Promise<Check> {
  try {
    return { name, ok: true, detail: await probe() };
  } catch (error) {
    return { name, ok: false, detail: expectedMessage(error) };
  }
}

function expectedMessage(error: unknown): string {
  if (error instanceof RecommenderError) return error.message;
  throw error;
}
