// Run to see that `celrec index` survives `kill -9`: node dist/scripts/kill-index.js FOLDER [KILLS]. The same command goes on each time, and has to end where an undisturbed run ends.
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { assetPath } from "../src/assets.js";
import { compose } from "../src/compose.js";
import { parseConfig } from "../src/config.js";
import { createRandom } from "../src/evaluate/statistics/random.js";

const [folder = "examples/notebooks", kills = "20", seed = "1"] = process.argv.slice(2);
const PAGE = 200;

const random = createRandom(Number(seed));
const work = mkdtempSync(join(tmpdir(), "celrec-kill-"));
const [calm, disturbed] = [join(work, "calm"), join(work, "disturbed")];
try {
  const start = performance.now();
  await run(calm).ended;
  const calmMs = performance.now() - start;
  const stored: number[] = [];
  for (let kill = 0; kill < Number(kills); kill += 1) {
    const { child, ended } = run(disturbed);
    await Promise.race([sleep(random() * calmMs), ended]);
    child.kill("SIGKILL");
    await ended;
    stored.push(await count(disturbed));
  }
  await run(disturbed).ended;
  const [expected, found] = [await digest(calm), await digest(disturbed)];
  const lost = stored.some((cells, at) => at > 0 && cells < stored[at - 1]!);
  console.log(JSON.stringify({ kills: stored.length, storedAfterEach: stored, equal: expected === found, lost }));
  process.exitCode = expected === found && !lost ? 0 : 1;
} finally {
  rmSync(work, { recursive: true, force: true });
}

function run(data: string) {
  const child = spawn(process.execPath, [assetPath("dist/src/cli/main.js"), "index", folder, "--data", data], {
    stdio: "ignore",
  });
  return { child, ended: new Promise<void>((resolve) => child.on("close", () => resolve())) };
}

async function open(data: string) {
  return compose(parseConfig({ CELREC_DATA: data }), { activity: "look", hold: "call" });
}

async function count(data: string): Promise<number> {
  const { store, close } = await open(data);
  const { cells } = await store.counts();
  await close();
  return cells;
}

/** A hash of all notebooks with their cells, labels and vectors, and of the counts. */
async function digest(data: string): Promise<string> {
  const { store, close } = await open(data);
  const hash = createHash("sha256").update(JSON.stringify([await store.counts(), await store.sources()]));
  for (let after = ""; ; ) {
    const page = await store.notebooks({ after, limit: PAGE });
    for (const { id } of page) {
      const notebook = (await store.notebook(id))!;
      const ids = notebook.cells.map((cell) => cell.id);
      const vectors = await store.vectors(ids);
      hash.update(JSON.stringify([notebook, await store.cells(ids)]));
      for (const cell of ids) hash.update(vectors.get(cell)!);
    }
    if (page.length < PAGE) break;
    after = page.at(-1)!.id;
  }
  await close();
  return hash.digest("hex");
}
