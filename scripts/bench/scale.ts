import { fork } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Figures } from "./scale-child.js";
import { ensureCorpus } from "./scale-corpus.js";
import { renderScalePage } from "./scale-page.js";
import type { Row } from "./table.js";

/** The project's targets for a million cells on two cores. */
const LIMITS: Record<string, NonNullable<Row["limit"]>> = {
  "service: memory MB": { atMost: 1_434 },
  "start: ready s": { atMost: 6 },
  "start: first question ms": { atMost: 50 },
  "REST complete with context: p50 ms": { atMost: 6 },
  "REST complete with context: p99 ms": { atMost: 30 },
  "REST: answers other than 200": { atMost: 0 },
  "recall@10": { atLeast: 0.99 },
  "recall@10, worst label": { atLeast: 0.97 },
  "word search: share of plain BM25's hits": { atLeast: 1 },
};

/** Measures the same questions on indexes of several sizes. Also writes a page with curves. */
export async function benchScale(sizes: readonly number[], report: (rows: readonly Row[]) => void): Promise<void> {
  const smallest = Math.min(...sizes);
  await ensureCorpus(Math.max(...sizes));
  const root = mkdtempSync(join(tmpdir(), "celrec-scale-"));
  const measured: { size: number; figures: Figures }[] = [];
  try {
    for (const size of sizes) {
      const folder = join(root, `${size}`);
      const figures: Figures = {};
      for (const part of ["index", "exact", "serve", "search", "bm25"]) {
        Object.assign(figures, await runPart(part, folder, size, smallest));
      }
      measured.push({ size, figures });
      report(toRows(size, figures));
      rmSync(folder, { recursive: true });
      writeFileSync("bench-scale.html", renderScalePage(measured));
    }
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
  report(growth(measured));
}

function toRows(size: number, figures: Figures): Row[] {
  const group = `scale, ${size.toLocaleString("en")} cells`;
  return Object.entries(figures).map(([name, value]) => ({
    group,
    name,
    value,
    unit: "",
    ...(LIMITS[name] && { limit: LIMITS[name] }),
  }));
}

/** The ratio of the largest index to the smallest. */
function growth(measured: readonly { size: number; figures: Figures }[]): Row[] {
  const [first, last] = [measured[0]!, measured.at(-1)!];
  const group = `growth, ${first.size.toLocaleString("en")} to ${last.size.toLocaleString("en")} cells`;
  return Object.keys(first.figures)
    .filter((name) => / ms$| s$| MB$/.test(name))
    .map((name) => ({ group, name, value: last.figures[name]! / first.figures[name]!, unit: "x" }));
}

function runPart(part: string, folder: string, size: number, smallest: number): Promise<Figures> {
  const script = fileURLToPath(new URL("scale-child.js", import.meta.url));
  return new Promise((resolve, reject) => {
    const child = fork(script, [part, folder, `${size}`, `${smallest}`], { execArgv: ["--max-old-space-size=8192"] });
    let figures: Figures | undefined;
    child.on("message", (message) => {
      figures = message as Figures;
    });
    child.on("exit", (code) => (figures ? resolve(figures) : reject(new Error(`${part} ended with ${code}`))));
  });
}
