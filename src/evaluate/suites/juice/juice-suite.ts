import { z } from "zod";
import type { NamedNotebook } from "../../../notebook/notebook.js";
import { apiPrecision } from "../../metrics/api-precision.js";
import { apiRecall } from "../../metrics/api-recall.js";
import { bleu } from "../../metrics/bleu.js";
import { em } from "../../metrics/em.js";
import { contextOf } from "../../notebook-context.js";
import { describePredictions } from "../../predictions/prediction-report.js";
import { predictionShape } from "../../predictions/prediction-result.js";
import { type PredictionAnswer, prepareCases, runPredictions } from "../../predictions/prediction-run.js";
import { createScorer, measuresOf, pairPredictions } from "../../predictions/prediction-score.js";
import { REPORTS } from "../../reports/index.js";
import type { Published } from "../../result-document.js";
import { indexedCells, limitCases } from "../../runner/inputs.js";
import type { AskingBench, AskingSuite, Prepared } from "../../suite.js";
import { createBaselines } from "../../targets/baseline.js";
import { buildJuice, type JuiceCase, readJuiceCases } from "./juice-cases.js";

/** The result of `celrec eval juice`. */
export const juiceResultSchema = z.strictObject({
  suite: z.literal("juice"),
  ...predictionShape,
  counts: z.strictObject({
    cases: z.int(),
    notebooks: z.int(),
    /** Cases whose cell is in the index verbatim. */
    copies: z.int(),
    indexedCells: z.int(),
  }),
});

export type JuiceResult = z.infer<typeof juiceResultSchema>;

export interface JuiceOptions {
  readonly cases?: string;
  readonly notebooks?: readonly string[];
  readonly index: readonly string[];
}

export interface JuiceCases extends Prepared {
  readonly cases: readonly JuiceCase[];
  readonly index: readonly NamedNotebook[];
  readonly origin: Readonly<Record<string, string | string[]>>;
}

const METRICS = [bleu, em, apiPrecision, apiRecall];
const MEASURES = measuresOf(METRICS);
const BASELINES = ["random", "popular", "bm25", "bm25-context", "ret-train", "ret-context"] as const;

/** Table 4 and 5 of the paper, on its own test set, as shares of 1. */
const SOURCE = "JuICe (Agashe et al., EMNLP 2019), its test set";
const PUBLISHED: readonly Published[] = [
  { name: "Ret-Train", figures: { bleu: 0.0476, em: 0.0048 }, sameData: false, source: SOURCE },
  { name: "Ret-Context", figures: { bleu: 0.0324, em: 0 }, sameData: false, source: SOURCE },
  {
    name: "LSTM, K=3, 1.5 M examples",
    figures: { bleu: 0.2092, em: 0.0571, "api-precision": 0.526, "api-recall": 0.465 },
    sameData: false,
    source: SOURCE,
  },
  {
    name: "people",
    figures: { bleu: 0.6, em: 0.23, "api-precision": 0.84, "api-recall": 0.85 },
    sameData: false,
    source: SOURCE,
  },
];

/** Predicts the code cell from the Markdown above it. */
export const juiceSuite: AskingSuite<JuiceOptions, JuiceCases, JuiceResult> = {
  name: "juice",
  description: "predict the code cell from the Markdown above it (JuICe)",
  options: [
    { flags: "--cases <file>", description: "JSON lines from `celrec eval build juice` or JuICe", value: "text" },
    { flags: "--notebooks <paths...>", description: "make the cases from these notebooks instead", value: "list" },
    {
      flags: "--index <paths...>",
      description: "notebooks to recommend from; must not include those of the cases",
      value: "list",
      required: true,
    },
  ],
  asks: { mode: "next" },
  limit: limitCases,
  reports: REPORTS,
  schema: juiceResultSchema,
  builder: { description: "cases for `celrec eval juice`, at most two per notebook", build: buildJuice },
  metrics: () => MEASURES,
  cases: (options, deps) => prepareCases(options, deps, { read: readJuiceCases, build: buildJuice }),
  async run({ cases, index, origin }, bench: AskingBench<PredictionAnswer>) {
    const score = createScorer(METRICS);
    const result = await runPredictions({
      ...bench,
      cases,
      index,
      measures: MEASURES,
      baselines: createBaselines(BASELINES, index),
      published: PUBLISHED,
      config: { ...bench.manifest.settings, ...origin },
      toQuery: ({ markdown, context }, k) => ({
        code: "",
        k,
        context: { before: contextOf(context).before, markdown },
        above: context,
      }),
      score: ({ reference }, hits) =>
        score(
          hits.map(({ code }) => code),
          reference,
        ),
    });
    return result && ({ suite: "juice", ...result } as JuiceResult);
  },
  figures: ({ metrics }) => metrics,
  texts({ cases, index }) {
    const byId = new Map(cases.map((each) => [each.id, each]));
    const cell = indexedCells(index);
    return { query: (id) => byId.get(id)?.markdown, expected: (id) => byId.get(id)?.reference, cell };
  },
  describe: (document, texts) =>
    describePredictions(document, texts, {
      title: "Code from Markdown",
      measures: MEASURES,
      terminal: ["bleu", "em", "api-precision", "api-recall", "best-bleu"],
      asked: "Markdown",
      worstBy: "api-recall",
      plots: {
        bleu: ["BLEU", "Corpus BLEU-4 of the first result, 0 to 1."],
        em: ["Exact match", "Share of the cases whose first result is exactly the real cell."],
        "api-precision": ["API precision", "Share of the result's calls that the real cell makes."],
        "api-recall": ["API recall", "Share of the real cell's calls that the result makes."],
      },
    }),
  pair: (a, b) => pairPredictions(a, b, MEASURES, "bleu"),
};
