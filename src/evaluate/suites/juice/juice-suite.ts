import { z } from "zod";
import { apiPrecision, apiRecall } from "../../metrics/api-calls.js";
import { bleu, bleuCanonical, sentenceBleuCanonical } from "../../metrics/bleu.js";
import { em, emCanonical } from "../../metrics/em.js";
import { contextOf } from "../../notebook-context.js";
import { describePredictions } from "../../predictions/prediction-report.js";
import { predictionShape } from "../../predictions/prediction-result.js";
import { type PredictionAnswer, runPredictions } from "../../predictions/prediction-run.js";
import {
  createScorer,
  measuresOf,
  pairPredictions,
  scoreInsertion,
  UNDEFINED_NAMES,
} from "../../predictions/prediction-score.js";
import { type Section, textColumn } from "../../reports/description.js";
import { REPORTS } from "../../reports/index.js";
import type { Published } from "../../result-document.js";
import { indexedCells, limitCases } from "../../runner/inputs.js";
import type { AskingBench, AskingSuite } from "../../suite.js";
import { createBaselines } from "../../targets/baseline.js";
import type { JuiceCase } from "./juice-cases.js";
import { type JuiceCases, type JuiceOptions, juiceBuilder, juiceOptions, prepareJuice } from "./juice-prepare.js";
import { describeJuice, type JuiceStatistics, statisticsSchema } from "./juice-statistics.js";

/** The result of `celrec eval juice`. */
const juiceResultSchema = z.strictObject({
  suite: z.literal("juice"),
  ...predictionShape,
  counts: z.strictObject({
    cases: z.int(),
    notebooks: z.int(),
    /** Cases whose cell is in the index verbatim. */
    copies: z.int(),
    indexedCells: z.int(),
  }),
  /** The statistics of the paper's Table 2. */
  statistics: statisticsSchema.optional(),
});

export type JuiceResult = z.infer<typeof juiceResultSchema>;

const METRICS = [bleuCanonical, emCanonical, apiPrecision, apiRecall, sentenceBleuCanonical, bleu, em];
const MEASURES = [...measuresOf(METRICS), UNDEFINED_NAMES];
const BASELINES = ["random", "popular", "bm25", "bm25-context", "ret-train", "ret-context"] as const;

/** Tables 4 and 5 of the paper, on its test set, as shares of 1. The authors score canonical tokens. */
const SOURCE = "JuICe (Agashe et al., EMNLP 2019), its test set";
const PUBLISHED: readonly Published[] = [
  { name: "Ret-Train", figures: { "bleu-canonical": 0.0476, "em-canonical": 0.0048 }, sameData: false, source: SOURCE },
  { name: "Ret-Context", figures: { "bleu-canonical": 0.0324, "em-canonical": 0 }, sameData: false, source: SOURCE },
  {
    name: "LSTM, K=3, 1.5 M examples",
    figures: { "bleu-canonical": 0.2092, "em-canonical": 0.0571, "api-precision": 0.526, "api-recall": 0.465 },
    sameData: false,
    source: SOURCE,
  },
  {
    name: "people",
    figures: { "bleu-canonical": 0.6, "em-canonical": 0.23, "api-precision": 0.84, "api-recall": 0.85 },
    sameData: false,
    source: SOURCE,
  },
];

/** Predicts the code cell from the Markdown above it. */
export const juiceSuite: AskingSuite<JuiceOptions, JuiceCases, JuiceResult> = {
  name: "juice",
  description: "predict the code cell from the Markdown above it (JuICe)",
  options: juiceOptions,
  asks: { mode: "next" },
  limit: limitCases,
  ablation: { "context-cells": [1, 2, 3, 5, 10], "train-size": [100, 300, 1_000, 3_000, 10_000] },
  reports: REPORTS,
  schema: juiceResultSchema,
  builder: juiceBuilder,
  metrics: () => MEASURES,
  cases: prepareJuice,
  async run({ cases, index, origin, contextCells }, bench: AskingBench<PredictionAnswer>) {
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
        // The Markdown counts as one of the `contextCells`.
        context: { before: contextOf(lastCells(context, contextCells - 1), contextCells).before, markdown },
        above: context,
      }),
      score: ({ reference, context }, hits) => {
        const scored = score(
          hits.map(({ code }) => code),
          reference,
        );
        return { ...scored, values: { ...scored.values, ...scoreInsertion(hits[0], codesOf(context)) } };
      },
    });
    return result && ({ suite: "juice", ...result, statistics: describeJuice(cases) } as JuiceResult);
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
      protocol: protocolOf(document),
      measures: MEASURES,
      terminal: ["bleu-canonical", "em-canonical", "api-precision", "api-recall", "undefined-names"],
      queryTitle: "Markdown",
      worstBy: "api-recall",
      sections: statisticsSection(document.statistics),
      plots: {
        "bleu-canonical": [
          "BLEU",
          "Corpus BLEU-4 of the first result's canonical tokens, 0 to 1, as the authors of JuICe score.",
        ],
        "em-canonical": [
          "Exact match",
          "Share of the cases whose first result has exactly the real cell's canonical tokens.",
        ],
        "api-precision": ["API precision", "Share of the result's calls that the real cell makes."],
        "api-recall": ["API recall", "Share of the real cell's calls that the result makes."],
      },
    }),
  pair: (a, b) => pairPredictions(a, b, MEASURES, "bleu-canonical"),
};

function protocolOf({ config: { contextCells, examples } }: JuiceResult): string {
  const from = examples === undefined ? "" : `, ${Number(examples)} code cells to recommend from`;
  return `Protocol: K = ${Number(contextCells)} cells above${from}, scored on canonical tokens.`;
}

const lastCells = <T>(cells: readonly T[], count: number): readonly T[] => (count === 0 ? [] : cells.slice(-count));

const codesOf = (cells: JuiceCase["context"]): string[] =>
  cells.flatMap(({ type, source }) => (type === "code" ? [source] : []));

function statisticsSection(statistics: JuiceStatistics | undefined): Section[] {
  if (statistics === undefined) return [];
  return [
    {
      id: "statistics",
      title: "The cases",
      blocks: [
        {
          kind: "table",
          name: "data set",
          note: "The statistics of the paper's Table 2. Code is counted in canonical tokens, Markdown in words.",
          columns: [textColumn("of the cases"), { title: "value", format: "figure" }],
          rows: () => Object.entries(statistics),
          page: { layout: "captioned" },
        },
      ],
    },
  ];
}
