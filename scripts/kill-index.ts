// Checks that `celrec index` survives `kill -9`:
//   node dist/scripts/kill-index.js FOLDER [KILLS]
// Repeats the killed command until it finishes. The result must equal that of an uninterrupted run.
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { compose } from "../src/app/compose.js";
import { assetPath, parseConfig } from "../src/config.js";
import { createRandom } from "../src/evaluate/statistics/bootstrap.js";
import type { VectorStore } from "../src/store/vector-store.js";

const [folder = "examples/notebooks", kills = "20", seed = "1"] = process.argv.slice(2);
const PAGE = 200;

const random = createRandom(Number(seed));
const work = mkdtempSync(join(tmpdir(), "celrec-kill-"));
try {
  const calm = join(work, "calm");
  const start = performance.now();
  await startIndexing(calm).ended;
  const calmMs = performance.now() - start;
  const expected = await hashIndex(calm);
  const stored: number[] = [];
  let [equal, lost] = [0, 0];
  for (let kill = 0; kill < Number(kills); kill += 1) {
    const data = join(work, `killed-${kill}`);
    const { child, ended } = startIndexing(data);
    await Promise.race([sleep(random() * calmMs), ended]);
    child.kill("SIGKILL");
    await ended;
    const before = await idsOf(data);
    stored.push(before.size);
    await startIndexing(data).ended;
    if ((await hashIndex(data)) === expected) equal += 1;
    const after = await idsOf(data);
    if ([...before].some((id) => !after.has(id))) lost += 1;
    rmSync(data, { recursive: true });
  }
  console.log(JSON.stringify({ kills: stored.length, notebooksAtTheKill: stored, equal, lost }));
  process.exitCode = equal === stored.length && lost === 0 ? 0 : 1;
} finally {
  rmSync(work, { recursive: true, force: true });
}

function startIndexing(data: string) {
  const child = spawn(process.execPath, [assetPath("dist/src/cli/main.js"), "index", folder, "--data", data], {
    stdio: "ignore",
  });
  return { child, ended: new Promise<void>((resolve) => child.on("close", () => resolve())) };
}

async function open(data: string) {
  return compose(parseConfig({ CELREC_DATA: data }), { activity: "look", hold: "call" });
}

/** Ids of the stored notebooks; empty if the run was killed before the index was created. */
async function idsOf(data: string): Promise<Set<string>> {
  const { store, close } = await open(data);
  const ids = new Set<string>();
  for await (const id of listIds(store)) ids.add(id);
  await close();
  return ids;
}

/** A hash of all notebooks with their cells, labels and vectors, and of the counts. */
async function hashIndex(data: string): Promise<string> {
  const { store, close } = await open(data);
  const hash = createHash("sha256").update(JSON.stringify([await store.counts(), await store.sources()]));
  for await (const id of listIds(store)) {
    const notebook = (await store.notebook(id))!;
    const ids = notebook.cells.map((cell) => cell.id);
    const vectors = await store.vectors(ids);
    hash.update(JSON.stringify([notebook, await store.cells(ids)]));
    for (const cell of ids) hash.update(vectors.get(cell)!);
  }
  await close();
  return hash.digest("hex");
}

async function* listIds(store: VectorStore): AsyncGenerator<string> {
  for (let after = ""; ; ) {
    const page = await store.notebooks({ after, limit: PAGE });
    for (const { id } of page) yield id;
    if (page.length < PAGE) return;
    after = page.at(-1)!.id;
  }
}
