import { createStages, HOSTILE_UNITS } from "./hostile-text.js";
import type { Row } from "./table.js";

const LONG_LENGTH = 120_000;
const SHORT_LENGTH = LONG_LENGTH / 4;
const MAX_TRIES = 6;
/** Times below this many milliseconds are ignored: the compiler and the garbage collector would dominate. */
const NEGLIGIBLE = 60;

/**
 * For each stage, the ratio of its times for a text and for one four times as long; 16 would mean quadratic time.
 * Measures CPU time, the minimum of several runs, and reports the worst text.
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
 * The ratio of the two times; 0 if even the long text takes almost no time. Returns the smallest ratio of several
 * attempts: on a busy machine, only quadratic code is always slow.
 */
async function minGrowth(work: (code: string) => unknown, unit: string): Promise<number> {
  let short = Number.POSITIVE_INFINITY;
  let long = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < MAX_TRIES; attempt += 1) {
    long = Math.min(long, await cpuTime(work, unit.repeat(LONG_LENGTH / unit.length)));
    if (long < NEGLIGIBLE) return 0;
    short = Math.min(short, await cpuTime(work, unit.repeat(SHORT_LENGTH / unit.length)));
    if (long / short <= 6) break;
  }
  return long / short;
}

async function cpuTime(work: (code: string) => unknown, code: string): Promise<number> {
  const { user } = process.cpuUsage();
  await work(code);
  return (process.cpuUsage().user - user) / 1000;
}
