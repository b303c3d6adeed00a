import { RecommenderError } from "../../../errors.js";
import { extractCells } from "../../../notebook/extract.js";
import type { NamedNotebook } from "../../../notebook/notebook.js";
import { loadGrammar } from "../../../python/grammar.js";
import { describePredictions } from "../../predictions/prediction-report.js";
import { type PredictionAnswer, runPredictions } from "../../predictions/prediction-run.js";
import { pairPredictions, scoreInsertion, UNDEFINED_NAMES } from "../../predictions/prediction-score.js";
import { targetName } from "../../reports/describe-result.js";
import { REPORTS } from "../../reports/index.js";
import type { Published } from "../../result-document.js";
import { hashOf, indexedCells, limitCases, spread } from "../../runner/inputs.js";
import type { AskingBench, AskingSuite, Prepared } from "../../suite.js";
import { type Target, WITHOUT_VARIABLES, withoutVariables } from "../../target.js";
import { createBaselines } from "../../targets/baseline.js";
import { PAPER_CASES, requireCases, type StepCase, selectCases, toQuery } from "./themisto-cases.js";
import {
  journalOf,
  outputSection,
  predictOutputs,
  preferKnownNames,
  type ThemistoResult,
  themistoResultSchema,
} from "./themisto-outputs.js";
import { createBothScorer, MEASURES as TEXT_MEASURES } from "./themisto-score.js";
import { groupSteps, readTrajectories, stepsOfNotebooks } from "./themisto-steps.js";

export interface ThemistoOptions {
  readonly cases?: string;
  readonly notebooks?: readonly string[];
  readonly index: readonly string[];
  readonly most: number;
}

export interface ThemistoCases extends Prepared {
  readonly cases: readonly StepCase[];
  /** Steps whose output is to be predicted. */
  readonly outputs: readonly StepCase[];
  readonly index: readonly NamedNotebook[];
  readonly origin: Readonly<Record<string, string | string[]>>;
}

const BASELINES = ["random", "popular", "bm25", "bm25-context", "ret-train", "ret-context"] as const;
const MAX_SHOWN = 5;
/** The metrics of a predicted cell. Undefined names are only counted here, because an output is not inserted. */
const MEASURES = [...TEXT_MEASURES, UNDEFINED_NAMES];

const published = (name: string, values: readonly [number, number, number], task: string): Published => ({
  name,
  figures: { em: values[0], "rouge-l": values[1], chrf: values[2] },
  sameData: false,
  source: `Themisto (2025), ${task}`,
});
const NEXT_PUBLISHED = [
  published("DeepSeek-V3", [0.14, 0.35, 0.47], "next cell"),
  published("GPT-4o", [0.1, 0.28, 0.39], "next cell"),
];
const OUTPUT_PUBLISHED = [
  published("DeepSeek-V3", [0.19, 0.33, 0.48], "output"),
  published("Gemini 1.5 Pro", [0.16, 0.35, 0.55], "output"),
];

/** Measures predictions of the next executed cell and of its output. */
export const themistoSuite: AskingSuite<ThemistoOptions, ThemistoCases, ThemistoResult> = {
  name: "themisto",
  description: "predict the next executed cell and its output from the steps before (Themisto)",
  options: [
    {
      flags: "--cases <file>",
      description: "trajectories as JSON, from `celrec record` or Themisto, or a CSV log of JuNE",
      value: "text",
    },
    {
      flags: "--notebooks <paths...>",
      description: "executed notebooks instead; cells are read in the order of their execution counts",
      value: "list",
    },
    {
      flags: "--index <paths...>",
      description: "notebooks to recommend from; must not include the executed ones",
      value: "list",
      required: true,
    },
    {
      flags: "--most <number>",
      description: "maximum number of cases, nine of ten of typical length; the paper has 200",
      value: { min: 20, max: 100_000 },
      fallback: PAPER_CASES,
    },
  ],
  asks: { mode: "next" },
  limit: (cases, most) => ({ ...limitCases(cases, most), outputs: spread(cases.outputs, most) }),
  reports: REPORTS,
  schema: themistoResultSchema,
  builder: {
    description: "trajectories for `celrec eval themisto` from executed notebooks",
    unit: "steps",
    build: (_, { paths, note }) => stepsOfNotebooks(paths, note),
  },
  metrics: () => MEASURES,
  async cases({ cases: file, notebooks, index: paths, most }, deps) {
    if ((file === undefined) === (notebooks === undefined))
      throw new RecommenderError("INPUT_INVALID", "Give either --cases FILE or --notebooks PATHS.");
    await loadGrammar();
    const trajectories =
      file === undefined ? groupSteps(await stepsOfNotebooks(notebooks!, deps.note)) : await readTrajectories(file);
    const cases = requireCases(selectCases(trajectories, most), file ?? notebooks!.join(", "));
    const outputs = selectCases(trajectories, most, "output");
    const index = await deps.readNotebooks(paths);
    const cells = index.flatMap(({ notebook }) => extractCells(notebook).map(({ id }) => id));
    const from = file === undefined ? { notebooks: [...notebooks!] } : { cases: file };
    return {
      cases,
      outputs,
      index,
      origin: { ...from, index: [...paths] },
      inputs: {
        cases: hashOf(cases.map(({ id, step }) => [id, step])),
        outputs: hashOf(outputs.map(({ id, step }) => [id, step])),
        index: hashOf(cells),
      },
      settings: {},
    };
  },
  async run({ cases, outputs, index, origin }, bench: AskingBench<PredictionAnswer>) {
    const score = createBothScorer();
    // Without a recording there are no variables to compare.
    const hasVariables = cases.some(({ earlier }) => Object.keys(earlier.at(-1)?.runtime_variables ?? {}).length > 0);
    const baselines = new Map<string, Target>([
      ...(hasVariables ? withoutVariablesOrRanked(bench.target) : []),
      ...createBaselines(BASELINES, index),
    ]);
    const result = await runPredictions({
      ...bench,
      journal: journalOf(bench.journal, null),
      cases,
      index,
      measures: MEASURES,
      baselines,
      published: NEXT_PUBLISHED,
      config: { ...bench.manifest.settings, ...origin },
      toQuery,
      score: ({ reference, earlier }, hits) => {
        const scored = score(hits, reference);
        const above = earlier.map(({ code }) => code);
        return { ...scored, values: { ...scored.values, ...scoreInsertion(hits[0], above) } };
      },
    });
    const output = result && (await predictOutputs(outputs, bench, OUTPUT_PUBLISHED));
    return output && ({ suite: "themisto", ...result, output } as ThemistoResult);
  },
  figures: ({ metrics }) => metrics,
  texts({ cases, index }) {
    const byId = new Map(cases.map((each) => [each.id, each]));
    return {
      query: (id) =>
        byId
          .get(id)
          ?.earlier.slice(-MAX_SHOWN)
          .map(({ code }) => code)
          .join("\n\n"),
      expected: (id) => byId.get(id)?.reference,
      cell: indexedCells(index),
    };
  },
  describe: (document, texts) =>
    describePredictions(document, texts, {
      title: "The next executed cell",
      protocol: "Protocol: all earlier steps are given; answers are scored after the paper's post-processing.",
      measures: MEASURES,
      terminal: ["em", "rouge-l", "chrf", "best-chrf", "raw-em", "undefined-names"],
      queryTitle: "Steps before",
      worstBy: "chrf",
      sections: document.output.cases === 0 ? [] : [outputSection(document.output, targetName(document))],
      plots: {
        em: ["Exact match", "Share of the cases whose first result is exactly the real cell."],
        "rouge-l": ["ROUGE-L", "Longest common subsequence of words with the real cell, as F1."],
        chrf: ["chrF", "Character n-gram F-score of the first result against the real cell."],
      },
    }),
  pair: (a, b) => pairPredictions(a, b, MEASURES, "chrf"),
};

/**
 * Variants of the target that show the effect of variables: without variables, or with its list re-ranked by known
 * names.
 */
function withoutVariablesOrRanked(target: Target): [string, Target][] {
  if (target.takesVariables) return [[WITHOUT_VARIABLES, withoutVariables(target)]];
  // A single answer cannot be re-ranked.
  return target.givesOne ? [] : [["recommender, known names first", preferKnownNames(target)]];
}
