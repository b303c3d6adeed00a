// Checks that a service survives `kill -9`:
//   node dist/scripts/kill-service.js [KILLS] [SEED]
// Four clients upload, replace and delete notebooks that share cells. After each kill the service is restarted. Every
// acknowledged upload and deletion must have survived.
import { createHash } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createRandom } from "../src/evaluate/statistics/bootstrap.js";
import { type Served, serve } from "./load/server.js";

const [kills = "20", seed = "1"] = process.argv.slice(2);
const CLIENTS = 4;
const NOTEBOOKS = 40;
const CELL_POOL = 300;
const MAX_CELLS = 60;
const MAX_RUN_MS = 2_500;
const SOURCE = "kill";

/** The cells of a notebook, or null if it is not stored. */
type Content = readonly string[] | null;

const random = createRandom(Number(seed));
const pool = Array.from(
  { length: CELL_POOL },
  (_, at) => `table_${at} = pd.read_csv("part_${at}.csv")\ntable_${at}.head()`,
);
const data = mkdtempSync(join(tmpdir(), "celrec-kill-service-"));
/** The allowed contents of each notebook: one, or two if the service died before it answered. */
const expected = new Map<string, readonly Content[]>();
let [acknowledged, wrong] = [0, 0];

try {
  for (let kill = 0; kill < Number(kills); kill += 1) {
    const served = await serve(data);
    wrong += await countWrong(served);
    const end = { isOver: false };
    const clients = Array.from({ length: CLIENTS }, (_, at) => runClient(served, at, end));
    await sleep(random() * MAX_RUN_MS);
    served.process.kill("SIGKILL");
    end.isOver = true;
    await Promise.all(clients);
  }
  const last = await serve(data);
  wrong += await countWrong(last);
  await last.stop();
  console.log(JSON.stringify({ kills: Number(kills), acknowledged, wrong }));
  process.exitCode = wrong === 0 ? 0 : 1;
} finally {
  rmSync(data, { recursive: true, force: true });
}

/** Each client has notebooks of its own, so its requests determine their contents. */
async function runClient({ url }: Served, client: number, end: { readonly isOver: boolean }): Promise<void> {
  while (!end.isOver) {
    const name = `${client + CLIENTS * Math.floor((random() * NOTEBOOKS) / CLIENTS)}.ipynb`;
    const content = random() < 0.3 ? null : drawCells();
    const before = expected.get(name) ?? [null];
    expected.set(name, [...before, content]);
    try {
      const { status } = await (content === null ? remove(url, name) : upload(url, name, content));
      if (status >= 300 && status !== 404) throw new Error(`${name} was answered with ${status}`);
      expected.set(name, [content]);
      acknowledged += 1;
    } catch (error) {
      if (!end.isOver) throw error;
    }
  }
}

function drawCells(): string[] {
  return Array.from({ length: 1 + Math.floor(random() * MAX_CELLS) }, () => pool[Math.floor(random() * CELL_POOL)]!);
}

function upload(url: string, name: string, cells: readonly string[]): Promise<Response> {
  const code = cells.map((source) => ({ cell_type: "code", source, metadata: {}, outputs: [], execution_count: null }));
  return fetch(`${url}/v1/notebooks?source=${SOURCE}&name=${name}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ nbformat: 4, nbformat_minor: 5, metadata: {}, cells: code }),
  });
}

function remove(url: string, name: string): Promise<Response> {
  return fetch(`${url}/v1/notebooks/${idOf(name)}`, { method: "DELETE" });
}

function idOf(name: string): string {
  return createHash("sha256").update(`${SOURCE}\n${name}`).digest("hex");
}

/** Counts notebooks that differ from the acknowledged content. The content that it finds is expected from then on. */
async function countWrong({ url }: Served): Promise<number> {
  let failures = 0;
  for (const [name, contents] of expected) {
    const found = await readContent(url, name);
    if (!contents.some((content) => JSON.stringify(content) === JSON.stringify(found))) {
      failures += 1;
      console.error(`${name}: differs from the acknowledged content`);
    }
    expected.set(name, [found]);
  }
  return failures;
}

async function readContent(url: string, name: string): Promise<Content> {
  const response = await fetch(`${url}/v1/notebooks/${idOf(name)}`);
  if (response.status === 404) return null;
  const { cells } = (await response.json()) as { cells: { code: string }[] };
  return cells.map(({ code }) => code);
}
