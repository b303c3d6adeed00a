import { expect, it } from "vitest";
import { createStages, HOSTILE_UNITS } from "../scripts/bench/hostile-text.js";
import { profileQuery } from "../src/recommend/features/query-profile.js";
import { createStepCounter } from "./step-counter.js";

/**
 * The work on a cell grows with its size, not with the square of its size. Work is measured by V8's counts of how often
 * each block of our code runs. These counts are the same in every run, so small texts suffice. `npm run bench --
 * growth` measures the time, including the time inside V8.
 */
const LONG = 4_000;
const SHORT = LONG / 4;
/** Maximum growth of the work for 4 times the text. Quadratic work would grow 16 times. */
const MAX_GROWTH = 5;

const steps = await createStepCounter();
const stages = await createStages();

it.each(Object.entries(stages))("takes steps in proportion to the size of hostile text: %s", async (_name, stage) => {
  const wrong: string[] = [];
  for (const unit of HOSTILE_UNITS) {
    const stepsFor = (length: number) => steps(() => stage(unit.repeat(length / unit.length)));
    const short = await stepsFor(SHORT);
    const long = await stepsFor(LONG);
    expect(short).toBeGreaterThan(0);
    if (long / short > MAX_GROWTH) wrong.push(`${JSON.stringify(unit)}: ${short} to ${long}`);
  }
  expect(wrong).toEqual([]);
});

it("reads a bounded part of the cells before and of the Markdown, however much there is", async () => {
  const cells = Array.from({ length: 500 }, () => "a = 1\n".repeat(1_000));
  const cost = (before: readonly string[], markdown: string) =>
    steps(() => profileQuery("df", { before, markdown }, () => 1));
  await cost(cells, "");
  expect(await cost(cells, "word ".repeat(100_000))).toBe(await cost(cells.slice(-5), "word ".repeat(1_000)));
});
