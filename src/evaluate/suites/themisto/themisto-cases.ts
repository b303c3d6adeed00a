import { RecommenderError } from "../../../errors.js";
import type { PredictionCase } from "../../predictions/prediction-run.js";
import { createRandom, quantile } from "../../statistics/bootstrap.js";
import type { TargetQuery } from "../../target.js";
import type { Step, Trajectory } from "./themisto-steps.js";

/** INPUT_INVALID if no case is left. */
export function requireCases<T>(cases: readonly T[], from: string): readonly T[] {
  if (cases.length > 0) return cases;
  throw new RecommenderError(
    "INPUT_INVALID",
    `${from} has no step that follows at least five others; record some with: celrec record`,
  );
}

/** A step that is predicted from the earlier steps of its kernel. */
export interface StepCase extends PredictionCase {
  readonly step: Step;
  /** The executed steps before this one, nearest last. */
  readonly earlier: readonly Step[];
}

const MIN_EARLIER = 5;
const MAX_LENGTH_QUANTILE = 0.99;
/** As in the paper: 200 cases, nine of ten of typical length. */
export const PAPER_CASES = 200;
const OUTER = 0.05;
const SEED = 20_250_101;

/** Matches outputs that end with an exception. */
const EXCEPTION = /Traceback \(most recent call last\)|^\w*(?:Error|Exception|Interrupt)\b.*:/m;

/** The text of a step to predict. */
export type Task = "code" | "output";

/**
 * Selects at most `max` steps that follow at least five others and succeeded, and whose predicted text is neither empty
 * nor very long. Each task has its own quantiles of length.
 */
export function selectCases(trajectories: readonly Trajectory[], max = PAPER_CASES, task: Task = "code"): StepCase[] {
  const eachOuter = Math.round(OUTER * max);
  const all = trajectories.flatMap(({ kernel, steps }) =>
    steps.flatMap((step, at): StepCase[] => {
      if (at < MIN_EARLIER || step.code.trim() === "" || EXCEPTION.test(step.output)) return [];
      const earlier = steps.slice(0, at);
      return [{ id: `${kernel}#${at}`, notebook: kernel, reference: step[task], step, earlier }];
    }),
  );
  const filled = all.filter(({ reference }) => reference.trim() !== "");
  if (filled.length === 0) return [];
  const lengths = Float64Array.from(filled, ({ reference }) => reference.length).sort();
  const [low, high, longest] = [0.25, 0.75, MAX_LENGTH_QUANTILE].map((share) => quantile(lengths, share)) as [
    number,
    number,
    number,
  ];
  const fitting = filled.filter(({ reference }) => reference.length <= longest);
  const random = createRandom(SEED);
  const ofLength = (isWanted: (length: number) => boolean) =>
    fitting.filter(({ reference }) => isWanted(reference.length));
  const chosen = new Set([
    ...drawRandom(
      ofLength((length) => length >= low && length <= high),
      max - 2 * eachOuter,
      random,
    ),
    ...drawRandom(
      ofLength((length) => length < low),
      eachOuter,
      random,
    ),
    ...drawRandom(
      ofLength((length) => length > high),
      eachOuter,
      random,
    ),
  ]);
  return fitting.filter((each) => chosen.has(each));
}

function drawRandom<T>(from: readonly T[], count: number, random: () => number): T[] {
  const left = [...from];
  const drawn: T[] = [];
  while (drawn.length < count && left.length > 0) drawn.push(...left.splice(Math.floor(random() * left.length), 1));
  return drawn;
}

const MAX_BEFORE = 5;

/** The question about a step: the next cell, or the output of `code`. */
export function toQuery({ earlier, step }: StepCase, k: number, code = ""): TargetQuery {
  const variables = earlier.at(-1)?.runtime_variables ?? {};
  return {
    code,
    k,
    context: {
      before: earlier.slice(-MAX_BEFORE).map((each) => each.code),
      markdown: "",
      variables: Object.fromEntries(Object.entries(variables).map(([name, { type }]) => [name, type])),
    },
    above: earlier.map((each) => ({ type: "code", source: each.code })),
    trajectory: { task: step.task_description, steps: earlier },
  };
}
