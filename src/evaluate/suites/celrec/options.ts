import { assetPath } from "../../../config.js";
import {
  type AskedMetric,
  allMetrics,
  parseMetric,
  RANKING_METRICS,
  USUAL_RANKING_METRICS,
} from "../../metrics/index.js";
import type { CorpusMetric, ListMetric } from "../../metrics/metric.js";
import type { SuiteOption } from "../../suite.js";

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
    description: "operators in order, or paths of your own",
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
    value: { least: 1, most: 1_000_000 },
  },
];

/** The metrics that the options ask for; INPUT_INVALID for a name that there is not. */
export function chosenMetrics({ metrics, k }: CelrecOptions): AskedMetric<ListMetric | CorpusMetric>[] {
  if (metrics === undefined) return allMetrics(USUAL_RANKING_METRICS, k);
  return metrics.split(",").map((name) => parseMetric(name, { k, among: RANKING_METRICS }));
}
