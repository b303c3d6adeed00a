import { notIsolated, requireBubblewrap } from "../../execute/isolation.js";
import { type Kernels, openKernels } from "../../execute/kernels.js";
import { describePredictions } from "../../predictions/prediction-report.js";
import { type PredictionAnswer, runPredictions } from "../../predictions/prediction-run.js";
import { pairPredictions } from "../../predictions/prediction-score.js";
import { countColumn, type Table, textColumn } from "../../reports/description.js";
import { REPORTS } from "../../reports/index.js";
import type { Published } from "../../result-document.js";
import { indexedCells, limitCases } from "../../runner/inputs.js";
import { groupBy } from "../../statistics/clusters.js";
import type { AskingBench, AskingSuite } from "../../suite.js";
import { type Target, WITHOUT_VARIABLES, withoutVariables } from "../../target.js";
import { createBaselines } from "../../targets/baseline.js";
import {
  BUILD_OPTIONS,
  EXEDS_OPTIONS,
  type ExecuteOptions,
  type ExedsCases,
  type ExedsOptions,
  executeNotebooks,
  prepareProblems,
} from "./exeds-cases.js";
import { createExecute, describeBroken, requireContexts, variablesOf } from "./exeds-execute.js";
import type { Problem } from "./exeds-problems.js";
import { createExedsScorer, type ExedsResult, exedsMeasures, exedsResultSchema } from "./exeds-score.js";

const BASELINES = ["random", "popular", "bm25", "ret-train", "ret-context"] as const;

const SOURCE = "ExeDS (Huang et al. 2022), its 534 problems";
const PUBLISHED: readonly Published[] = [
  {
    name: "JuPyT5",
    figures: { bleu: 0.353, codebleu: 0.411, em: 0.062, "output-em": 0.316 },
    sameData: false,
    source: SOURCE,
  },
  {
    name: "Codex, zero-shot",
    figures: { bleu: 0.039, codebleu: 0.235, em: 0, "output-em": 0.277 },
    sameData: false,
    source: SOURCE,
  },
];

/** Concurrent kernels; requests wait for them. */
const KERNELS = 2;

/** Does a recommended cell run after the cells above, and print the right output? */
export const exedsSuite: AskingSuite<ExedsOptions, ExedsCases, ExedsResult> = {
  name: "exeds",
  description: "execute recommended cells in a sandbox and compare their output (ExeDS)",
  options: EXEDS_OPTIONS,
  asks: { mode: "next" },
  limit: limitCases,
  reports: REPORTS,
  schema: exedsResultSchema,
  builder: {
    description: "problems for `celrec eval exeds`, at most two per notebook: executes the notebooks in a sandbox",
    options: BUILD_OPTIONS,
    build: (notebooks, { options, env, note }) => executeNotebooks(notebooks, options as ExecuteOptions, { env, note }),
  },
  metrics: ({ execute }) => exedsMeasures(execute),
  cases: prepareProblems,
  async run({ cases, index, options, searchPath, note, origin }, bench: AskingBench<PredictionAnswer>) {
    const kernels = await openKernels({ python: options.python, searchPath, jobs: KERNELS, note });
    try {
      if (bench.target.generates === true) requireBubblewrap(kernels.isolation, options.allowWeakSandbox === true);
      const asksBoth = options.variables && bench.target.takesVariables === true;
      const variables = asksBoth
        ? await readVariables(kernels, cases, options.seconds)
        : new Map<string, Record<string, string>>();
      const baselines = new Map<string, Target>([
        ...(asksBoth ? [[WITHOUT_VARIABLES, withoutVariables(bench.target)] as const] : []),
        ...(options.baselines ? createBaselines(BASELINES, index) : []),
      ]);
      const result = await runPredictions({
        ...bench,
        jobs: Math.max(bench.jobs, KERNELS),
        cases,
        index,
        measures: exedsMeasures(options.execute),
        baselines,
        published: PUBLISHED,
        config: { ...bench.manifest.settings, ...origin },
        toQuery: ({ id, context, intent }, k) => ({
          code: "",
          k,
          context: {
            before: context,
            markdown: intent,
            ...(variables.has(id) && { variables: variables.get(id)! }),
          },
          above: context.map((source) => ({ type: "code", source })),
        }),
        score: createExedsScorer(createExecute(kernels, options.seconds), options.execute),
      });
      if (result === null) return null;
      const broken = describeBroken(result.cases);
      if (broken !== null) {
        // Run again on resume: the cause may have been fixed.
        bench.journal.finish();
        requireContexts(result.cases);
        note(broken);
      }
      const endings = (kind: "raw" | "adapted") =>
        Object.fromEntries(
          [...groupBy(result.cases, ({ notes }) => notes![kind]!)]
            .map(([ended, group]) => [ended, group.length] as const)
            .sort(([, one], [, other]) => other - one),
        );
      return {
        suite: "exeds",
        ...result,
        endings: { raw: endings("raw"), adapted: endings("adapted") },
        problems: { target: result.problems.target, notIsolated: notIsolated(kernels.isolation) },
      } as ExedsResult;
    } finally {
      await kernels.close();
    }
  },
  figures: ({ metrics }) => metrics,
  texts({ cases, index }) {
    const byId = new Map(cases.map((each) => [each.id, each]));
    return {
      query: (id) => {
        const each = byId.get(id);
        return each && [...each.context, `# ${each.intent}`].join("\n\n");
      },
      expected: (id) => byId.get(id)?.reference,
      cell: indexedCells(index),
    };
  },
  describe: (document, texts) =>
    describePredictions(document, texts, {
      title: "Execution of recommended cells",
      measures: exedsMeasures(executedOf(document)),
      terminal: [
        "output-em",
        "output-em-published",
        "adapted-output-em",
        "ran",
        "adapted-ran",
        "bleu",
        "codebleu",
        "em",
      ],
      asked: "Cells above, and the question",
      worstBy: "output-em",
      sections: [{ id: "endings", title: "How the code ended", blocks: [endingsTable(document)] }],
      plots: {
        "output-em": [
          "OutputEM",
          "Share of the problems whose first result, executed, prints what the right cell prints.",
        ],
        "adapted-output-em": [
          "OutputEM, adapted",
          "OutputEM with the names of the result replaced by those of the cells above.",
        ],
        ran: ["Ran", "Share of the first results that ran without an exception."],
        "adapted-ran": ["Ran, adapted", "Share of the first results, adapted, that ran without an exception."],
        bleu: ["BLEU", "Corpus BLEU-4 of the first result, 0 to 1."],
        codebleu: ["CodeBLEU", "N-grams, keywords, syntax and data flow of the first result, 0 to 1."],
      },
    }),
  pair: (a, b) => pairPredictions(a, b, exedsMeasures(Math.min(executedOf(a), executedOf(b))), "adapted-output-em"),
};

/** The code as it is, then adapted. */
function endingsTable({ endings }: ExedsResult): Table {
  return {
    kind: "table",
    name: "endings",
    columns: [textColumn("executed"), textColumn("ended with"), countColumn("cases")],
    rows: () =>
      (["raw", "adapted"] as const).flatMap((kind) =>
        Object.entries(endings[kind]).map(([ended, count]) => [`${kind} code`, ended, count]),
      ),
    terminal: { layout: "rows" },
    page: { layout: "figure" },
  };
}

const executedOf = ({ config }: ExedsResult): number => Number(config.executed ?? 1);

/** The variables of the running kernel for each problem; cached, because many share the cells above. */
async function readVariables(kernels: Kernels, cases: readonly Problem[], seconds: number) {
  const known = new Map<string, Promise<Record<string, string>>>();
  const entries = cases.map(async (each) => {
    const key = JSON.stringify([each.notebook, each.setup, each.context, Object.keys(each.files)]);
    const found = known.get(key) ?? variablesOf(kernels, each, seconds);
    known.set(key, found);
    return [each.id, await found] as const;
  });
  return new Map(await Promise.all(entries));
}
