import type { PredictionCase } from "../../predictions/run.js";
import { quantile } from "../../statistics/bootstrap.js";
import { createRandom } from "../../statistics/random.js";
import type { Step, Trajectory } from "./trajectory.js";

/** A step to be foretold from the earlier ones of its kernel. */
export interface StepCase extends PredictionCase {
  readonly step: Step;
  /** Nearest last. */
  readonly earlier: readonly Step[];
}

const LEAST_EARLIER = 5;
const LONGEST = 0.99;
/** As in the paper: 200 cases, nine of ten of usual length. */
export const PAPER_CASES = 200;
const OUTER = 0.05;
const SEED = 20_250_101;

/** Outputs that end with an exception. */
const EXCEPTION = /Traceback \(most recent call last\)|^\w*(?:Error|Exception|Interrupt)\b.*:/m;

/** The steps with at least five earlier ones, no empty and no very long ones, none that failed; `most` of them where there are more. */
export function selectCases(trajectories: readonly Trajectory[], most = PAPER_CASES): StepCase[] {
  const eachOuter = Math.round(OUTER * most);
  const all = trajectories.flatMap(({ kernel, steps }) =>
    steps.flatMap((step, at): StepCase[] => {
      if (at < LEAST_EARLIER || step.code.trim() === "" || EXCEPTION.test(step.output)) return [];
      const earlier = steps.slice(0, at);
      return [{ id: `${kernel}#${at}`, notebook: kernel, reference: step.code, step, earlier }];
    }),
  );
  if (all.length === 0) return [];
  const lengths = Float64Array.from(all, ({ reference }) => reference.length).sort();
  const [low, high, longest] = [0.25, 0.75, LONGEST].map((share) => quantile(lengths, share)) as [
    number,
    number,
    number,
  ];
  const fitting = all.filter(({ reference }) => reference.length <= longest);
  const random = createRandom(SEED);
  const chosen = new Set([
    ...draw(
      fitting.filter(({ reference: { length } }) => length >= low && length <= high),
      most - 2 * eachOuter,
      random,
    ),
    ...draw(
      fitting.filter(({ reference }) => reference.length < low),
      eachOuter,
      random,
    ),
    ...draw(
      fitting.filter(({ reference }) => reference.length > high),
      eachOuter,
      random,
    ),
  ]);
  return fitting.filter((each) => chosen.has(each));
}

function draw<T>(from: readonly T[], count: number, random: () => number): T[] {
  const left = [...from];
  const drawn: T[] = [];
  while (drawn.length < count && left.length > 0) drawn.push(...left.splice(Math.floor(random() * left.length), 1));
  return drawn;
}
