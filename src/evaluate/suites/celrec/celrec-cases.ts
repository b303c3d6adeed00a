import { assetPath } from "../../../config.js";
import { extractCells } from "../../../notebook/extract.js";
import {
  type AskedMetric,
  allMetrics,
  DEFAULT_RANKING_METRICS,
  parseMetric,
  RANKING_METRICS,
} from "../../metrics/index.js";
import type { CorpusMetric, ListMetric } from "../../metrics/metric.js";
import type { ReportTexts } from "../../reports/report.js";
import { hashOf } from "../../runner/inputs.js";
import type { CaseDeps, Prepared, SuiteOption } from "../../suite.js";
import { selectMutators } from "./load-mutators.js";
import { cleanedTexts, type Distractors, makePlan, type Plan, readDistractors } from "./plan.js";
import { readSeeds, type SeedProblem } from "./seeds.js";

export interface CelrecCases extends Prepared {
  readonly plan: Plan;
  readonly distractors: Distractors;
  readonly seedProblems: readonly SeedProblem[];
  readonly metrics: readonly AskedMetric<ListMetric | CorpusMetric>[];
  /** Where the seeds and distractors came from. */
  readonly origin: { readonly seeds: string; readonly distractors: string[] };
}

/** Reads the seeds and makes mutants, queries and ratings of them. */
export async function readCases(options: CelrecOptions, deps: CaseDeps): Promise<CelrecCases> {
  const metrics = chosenMetrics(options);
  const operators = await selectMutators(options.mutators.split(","), deps.mutators);
  const labeller = await deps.labeller();
  const { seeds, problems } = await readSeeds(options.seeds);
  for (const { id, reason } of problems) deps.note(`Seed ${id} is left out: ${reason}.`);
  const plan = makePlan(sample(seeds, options.sample), operators, labeller);
  const distractors = await readDistractors(options.distractors, cleanedTexts(plan));
  return {
    plan,
    distractors,
    seedProblems: problems,
    metrics,
    origin: { seeds: options.seeds, distractors: [...options.distractors] },
    inputs: { seeds: hashOf(plan.seeds.map(({ truth }) => truth)), distractors: distractors.hash },
    settings: {
      mutators: options.mutators,
      metrics: metrics.map(({ name }) => name).join(","),
      sample: options.sample ?? null,
    },
  };
}

/** Every n-th seed, so that all folders of a sorted set are there. */
function sample<T>(seeds: readonly T[], count = seeds.length): T[] {
  if (count >= seeds.length) return [...seeds];
  return Array.from({ length: count }, (_, at) => seeds[Math.floor((at * seeds.length) / count)]!);
}

/** The code of queries, mutants and distractors. */
export function celrecTexts({ plan, distractors }: CelrecCases): ReportTexts {
  const queries = new Map(plan.seeds.flatMap(({ queries: own }) => own.map(({ id, code }) => [id, code] as const)));
  const mutants = new Map(plan.seeds.flatMap(({ codes }) => [...codes]));
  let others: Map<string, string> | null = null;
  return {
    query: (id) => queries.get(id),
    cell(id) {
      others ??= new Map(
        distractors.notebooks.flatMap(({ notebook }) =>
          extractCells(notebook).map((cell) => [cell.id, cell.code] as const),
        ),
      );
      return mutants.get(id) ?? others.get(id);
    },
  };
}

export interface CelrecOptions {
  readonly k: number;
  readonly seeds: string;
  readonly mutators: string;
  readonly metrics?: string;
  readonly distractors: readonly string[];
  readonly sample?: number;
}

/** The paper's three, in its order. */
export const PAPER_MUTATORS = "rename-variables,insert-comments,reverse-lines";

export const celrecOptions: readonly SuiteOption[] = [
  {
    flags: "--seeds <path>",
    description: "folder of .py files, an .ipynb or a .jsonl of {id, source}",
    value: "text",
    fallback: assetPath("seeds"),
    fallbackName: "114 seeds of this project",
  },
  {
    flags: "--mutators <names>",
    description: "operators in order, or paths of your own modules",
    value: "text",
    fallback: PAPER_MUTATORS,
  },
  {
    flags: "--metrics <names>",
    description: "metrics to report, such as precision@3,map-cut@3; default all but map-cut",
    value: "text",
  },
  {
    flags: "--distractors <paths...>",
    description: "real notebooks to hide the mutants among",
    value: "list",
    fallback: [],
  },
  {
    flags: "--sample <number>",
    description: "only this many seeds, spread over the set",
    value: { min: 1, max: 1_000_000 },
  },
];

/** The requested metrics; INPUT_INVALID for an unknown name. */
export function chosenMetrics({ metrics, k }: CelrecOptions): AskedMetric<ListMetric | CorpusMetric>[] {
  if (metrics === undefined) return allMetrics(DEFAULT_RANKING_METRICS, k);
  return metrics.split(",").map((name) => parseMetric(name, { k, among: RANKING_METRICS }));
}
