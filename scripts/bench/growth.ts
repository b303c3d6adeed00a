import { createStages, HOSTILE_UNITS } from "./hostile-text.js";
import type { Row } from "./table.js";

const LONG = 120_000;
const SHORT = LONG / 4;
const TRIES = 6;
/** Times below this many milliseconds are ignored: the compiler and the garbage collector would dominate. */
const NEGLIGIBLE = 60;

/**
 * The highest ratio of each stage's time for 4 times the text; quadratic time would give 16. CPU time, minimum of
 * several runs.
 */
export async function benchGrowth(): Promise<Row[]> {
  const rows: Row[] = [];
  for (const [name, stage] of Object.entries(await createStages())) {
    let worst = 0;
    for (const unit of HOSTILE_UNITS) worst = Math.max(worst, await minGrowth(stage, unit));
    rows.push({ group: "4 times the text", name, value: worst, unit: "x", limit: { atMost: 9 } });
  }
  return rows;
}

/**
 * The ratio; 0 if even the long text takes almost no time. Repeated on a noisy machine, because only quadratic code is
 * always slow.
 */
async function minGrowth(work: (code: string) => unknown, unit: string): Promise<number> {
  let short = Number.POSITIVE_INFINITY;
  let long = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < TRIES; attempt += 1) {
    long = Math.min(long, await cost(work, unit.repeat(LONG / unit.length)));
    if (long < NEGLIGIBLE) return 0;
    short = Math.min(short, await cost(work, unit.repeat(SHORT / unit.length)));
    if (long / short <= 6) break;
  }
  return long / short;
}

async function cost(work: (code: string) => unknown, code: string): Promise<number> {
  const { user } = process.cpuUsage();
  await work(code);
  return (process.cpuUsage().user - user) / 1000;
}
