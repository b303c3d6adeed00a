import { REPORTS } from "../../reports/index.js";
import { spread } from "../../runner/inputs.js";
import type { AskingBench, AskingSuite } from "../../suite.js";
import { buildDataSet, dataSetOptions } from "./celrec-build.js";
import {
  type CelrecCases,
  type CelrecOptions,
  celrecOptions,
  celrecTexts,
  chosenMetrics,
  prescribedK,
  readCases,
} from "./celrec-cases.js";
import { describeCelrec } from "./celrec-report.js";
import { type CelrecResult, celrecResultSchema } from "./celrec-result.js";
import { type CelrecAnswer, runCelrec } from "./celrec-run.js";
import { pairSeeds } from "./celrec-score.js";
import { trecQrels, trecRun } from "./trec.js";

/** Measures whether mutated copies of seed cells are found from the first lines of the seed. */
export const celrecSuite: AskingSuite<CelrecOptions, CelrecCases, CelrecResult> = {
  name: "celrec",
  description: "find mutated copies of seed cells from their first lines (CelRecEval)",
  options: celrecOptions,
  // No collapsing and no diversity, because mutants are near copies of one another: both would hide right answers.
  asks: { mode: "similar", collapse: false, diversity: 0 },
  limit: (cases, max) => ({
    ...cases,
    plan: { ...cases.plan, seeds: spread(cases.plan.seeds, max) },
    settings: { ...cases.settings, limit: max },
  }),
  k: prescribedK,
  reports: [...REPORTS, trecRun, trecQrels],
  schema: celrecResultSchema,
  metrics: (options) => chosenMetrics(options).map(({ name, metric }) => ({ name, better: metric.better })),
  builder: {
    description: "a data set for `celrec eval celrec`: seeds drawn from notebooks, queries, mutants and distractors",
    options: dataSetOptions,
    buildFolder: buildDataSet,
  },
  cases: readCases,
  run({ metrics, origin, ...cases }, bench: AskingBench<CelrecAnswer>) {
    return runCelrec({ ...bench, ...cases, metrics, config: { ...bench.manifest.settings, ...origin } });
  },
  figures: ({ mps1: means }) => means,
  texts: celrecTexts,
  describe: describeCelrec,
  pair: pairSeeds,
};
