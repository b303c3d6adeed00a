import { readFileSync } from "node:fs";
import { z } from "zod";
import { RecommenderError } from "../../../errors.js";
import { createUniqueNames, readNotebooks } from "../../../notebook/corpus/read-notebooks.js";
import { normalizeSource } from "../../../notebook/extract.js";
import { readJsonLines } from "../../../notebook/json-lines.js";
import type { PredictionCase } from "../../predictions/prediction-run.js";
import { createRandom, quantile } from "../../statistics/bootstrap.js";

/** One executed cell, in Themisto's form. */
export const stepSchema = z.object({
  kernel_id: z.string().min(1),
  code: z.string(),
  output: z
    .string()
    .nullish()
    .transform((text) => text ?? ""),
  execution_time: z.number().nullish(),
  memory_bytes: z.number().nullish(),
  runtime_variables: z
    .record(
      z.string(),
      z.object({
        size: z.union([z.string(), z.number()]).nullish(),
        type: z.string(),
        value: z.string().nullish(),
      }),
    )
    .nullish()
    .transform((variables) => variables ?? {}),
  hash_index: z.union([z.string(), z.number()]).nullish(),
});

export type Step = z.output<typeof stepSchema>;

/** The executed cells of one kernel, in order. */
export interface Trajectory {
  readonly kernel: string;
  readonly steps: readonly Step[];
}

/** The trajectories of a JSON-lines file: steps of one kernel belong together, in the order of the lines. */
export function readTrajectories(path: string): Trajectory[] {
  return groupSteps(readJsonLines(path, "trajectories", stepSchema).map(({ value }) => value));
}

export function groupSteps(steps: readonly Step[]): Trajectory[] {
  const kernels = new Map<string, Step[]>();
  for (const step of steps) {
    const known = kernels.get(step.kernel_id);
    if (known === undefined) kernels.set(step.kernel_id, [step]);
    else known.push(step);
  }
  return [...kernels].map(([kernel, own]) => ({ kernel, steps: own }));
}

const outputSchema = z.object({
  output_type: z.string(),
  name: z.string().optional(),
  text: z.union([z.string(), z.array(z.string())]).optional(),
  data: z.record(z.string(), z.unknown()).optional(),
  ename: z.string().optional(),
  evalue: z.string().optional(),
});

const notebookSchema = z.object({
  cells: z.array(
    z.object({
      cell_type: z.string(),
      source: z.union([z.string(), z.array(z.string())]),
      execution_count: z.number().nullish(),
      outputs: z.array(outputSchema).default([]),
    }),
  ),
});

/** The executed cells of notebooks, in the order of their execution counts; without variables, which are not saved. */
export async function stepsOfNotebooks(paths: readonly string[]): Promise<Step[]> {
  const nameOf = createUniqueNames();
  const steps: Step[] = [];
  for await (const { source, path, location, parsed } of readNotebooks(paths)) {
    // The notebook reader drops outputs, so the file is read again.
    if (location === undefined || "rejected" in parsed) continue;
    steps.push(...stepsOfFile(location, nameOf({ source, path })));
  }
  return steps;
}

function stepsOfFile(file: string, name: string): Step[] {
  const parsed = notebookSchema.safeParse(parseJson(readFileSync(file, "utf8")));
  if (!parsed.success) return [];
  return parsed.data.cells
    .filter((cell) => cell.cell_type === "code" && cell.execution_count != null)
    .sort((a, b) => a.execution_count! - b.execution_count!)
    .map(({ source, outputs, execution_count: count }) => ({
      kernel_id: name,
      code: normalizeSource(toText(source)),
      output: outputs.map(outputText).join(""),
      runtime_variables: {},
      hash_index: count!,
    }));
}

const toText = (text: string | readonly string[]): string => (typeof text === "string" ? text : text.join(""));

function outputText({ output_type: type, text, data, ename, evalue, name }: z.output<typeof outputSchema>): string {
  if (type === "stream" && name !== "stderr") return toText(text ?? "");
  if (type === "error") return `${ename}: ${evalue}`;
  const plain = type === "execute_result" ? data?.["text/plain"] : undefined;
  return typeof plain === "string" || Array.isArray(plain) ? toText(plain as string | string[]) : "";
}

/** A file that is not JSON is skipped. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
}

/** INPUT_INVALID if no case is left. */
export function requireCases<T>(cases: readonly T[], from: string): readonly T[] {
  if (cases.length > 0) return cases;
  throw new RecommenderError(
    "INPUT_INVALID",
    `${from} has no step with five earlier ones; record some with: celrec record`,
  );
}

/** A step to predict from the earlier ones of its kernel. */
export interface StepCase extends PredictionCase {
  readonly step: Step;
  /** Nearest last. */
  readonly earlier: readonly Step[];
}

const MIN_EARLIER = 5;
const LONGEST = 0.99;
/** As in the paper: 200 cases, nine of ten of typical length. */
export const PAPER_CASES = 200;
const OUTER = 0.05;
const SEED = 20_250_101;

/** Outputs that end with an exception. */
const EXCEPTION = /Traceback \(most recent call last\)|^\w*(?:Error|Exception|Interrupt)\b.*:/m;

/** At most `max` steps that have five earlier ones, succeeded, and are neither empty nor very long. */
export function selectCases(trajectories: readonly Trajectory[], most = PAPER_CASES): StepCase[] {
  const eachOuter = Math.round(OUTER * most);
  const all = trajectories.flatMap(({ kernel, steps }) =>
    steps.flatMap((step, at): StepCase[] => {
      if (at < MIN_EARLIER || step.code.trim() === "" || EXCEPTION.test(step.output)) return [];
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
