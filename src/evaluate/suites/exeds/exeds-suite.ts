import { writeFileSync } from "node:fs";
import { RecommenderError } from "../../../errors.js";
import { type Kernels, notIsolated, openKernels, requireBubblewrap } from "../../execute/kernels.js";
import { describePredictions } from "../../predictions/prediction-report.js";
import { type PredictionAnswer, runPredictions } from "../../predictions/prediction-run.js";
import { pairPredictions } from "../../predictions/prediction-score.js";
import { countColumn, type Table, textColumn } from "../../reports/description.js";
import { REPORTS } from "../../reports/index.js";
import type { Published } from "../../result-document.js";
import { indexedCells, limitCases } from "../../runner/inputs.js";
import { groupBy } from "../../statistics/bootstrap.js";
import type { AskingBench, AskingSuite } from "../../suite.js";
import { type Target, WITHOUT_VARIABLES, withoutVariables } from "../../target.js";
import { createBaselines } from "../../targets/baseline.js";
import { toComment } from "../../targets/model/prompts.js";
import {
  BUILD_OPTIONS,
  EXEDS_OPTIONS,
  type ExecuteOptions,
  type ExedsCases,
  type ExedsOptions,
  executeNotebooks,
  prepareProblems,
} from "./exeds-cases.js";
import {
  createExecute,
  describeFailedContexts,
  requireContexts,
  type TimeLimit,
  variablesOf,
} from "./exeds-execute.js";
import { type Problem, toQuery } from "./exeds-problems.js";
import { createExedsScorer, type ExedsResult, exedsMeasures, exedsResultSchema } from "./exeds-score.js";
import { makeTables, tableSections } from "./exeds-tables.js";

const BASELINES = ["random", "popular", "bm25", "ret-train", "ret-context"] as const;

const SOURCE = "ExeDS (Huang et al. 2022), its 534 problems";
/** The authors computed these figures with their own program, so they are shown beside the metrics with its rules. */
const PUBLISHED: readonly Published[] = [
  {
    name: "JuPyT5",
    figures: { bleu: 0.353, "codebleu-published": 0.411, em: 0.062, "output-em-published": 0.316 },
    sameData: false,
    source: SOURCE,
  },
  {
    name: "Codex, zero-shot",
    figures: { bleu: 0.039, "codebleu-published": 0.235, em: 0, "output-em-published": 0.277 },
    sameData: false,
    source: SOURCE,
  },
];

/** Number of concurrent kernels. */
const KERNELS = 2;

/** Measures whether a recommended cell runs after the cells above and prints the right output. */
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
  async run({ cases, index, options, limit, searchPath, note, origin }, bench: AskingBench<PredictionAnswer>) {
    if (options.generations !== undefined) checkGenerations(options.generations);
    const kernels = await openKernels({ python: options.python, searchPath, jobs: KERNELS, note });
    try {
      if (bench.target.generates === true) requireBubblewrap(kernels.isolation, options.allowWeakSandbox === true);
      const asksBoth = options.variables && bench.target.takesVariables === true;
      const variables = asksBoth
        ? await readVariables(kernels, cases, limit)
        : new Map<string, Record<string, string>>();
      const baselines = new Map<string, Target>([
        ...(asksBoth ? [[WITHOUT_VARIABLES, withoutVariables(bench.target)] as const] : []),
        ...(options.baselines ? createBaselines(BASELINES, index) : []),
      ]);
      // Code of a language model gets a kernel of its own; retrieved cells may share one.
      const execute = createExecute(kernels, { limit, shared: bench.target.generates !== true });
      const result = await runPredictions({
        ...bench,
        jobs: Math.max(bench.jobs, KERNELS),
        cases,
        index,
        measures: exedsMeasures(options.execute),
        baselines,
        published: PUBLISHED,
        config: { ...bench.manifest.settings, ...origin },
        toQuery: (problem, k) => {
          const query = toQuery(problem, k);
          const found = variables.get(problem.id);
          return found === undefined ? query : { ...query, context: { ...query.context!, variables: found } };
        },
        score: createExedsScorer(execute, options.execute),
        onAnswers(answers) {
          if (options.generations === undefined) return;
          const cellOf = indexedCells(index);
          writeGenerations(options.generations, cases, (id) => {
            const { results: [first] = [], texts } = answers.get(id)!;
            return first === undefined ? undefined : (texts?.[first] ?? cellOf(first));
          });
        },
      });
      if (result === null) return null;
      const broken = describeFailedContexts(result.cases);
      if (broken !== null) {
        // The journal is deleted, so that the next run executes all cases again. The cause may be fixed by then.
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
        tables: makeTables(cases, result.cases),
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
        return each && [...(toQuery(each, 1).context?.before ?? []), toComment(each.intent)].join("\n\n");
      },
      expected: (id) => byId.get(id)?.reference,
      cell: indexedCells(index),
    };
  },
  describe: (document, texts) =>
    describePredictions(document, texts, {
      title: "Execution of recommended cells",
      protocol: protocolOf(document),
      measures: exedsMeasures(executedOf(document)),
      terminal: [
        "output-em",
        "output-em-published",
        "adapted-output-em",
        "ran",
        "adapted-ran",
        "inserted-ran",
        "bleu",
        "codebleu-published",
        "em",
      ],
      queryTitle: "Cells above, and the question",
      worstBy: "output-em",
      sections: [
        { id: "endings", title: "How the code ended", blocks: [endingsTable(document)] },
        ...tableSections(document.tables),
      ],
      plots: {
        "output-em": [
          "OutputEM",
          "Share of the problems whose first result, executed, prints what the right cell prints.",
        ],
        "output-em-published": [
          "OutputEM as published",
          "Share of the problems whose first result, executed, prints what ExeDS's own program accepts.",
        ],
        "adapted-output-em": [
          "OutputEM, adapted",
          "OutputEM with the names of the result replaced by those of the cells above.",
        ],
        ran: ["Ran", "Share of the first results that ran without an exception."],
        "adapted-ran": ["Ran, adapted", "Share of the first results, adapted, that ran without an exception."],
        "inserted-ran": [
          "Ran, inserted",
          "Share of the first results that ran as they would be inserted: adapted, with the definitions that they need.",
        ],
        bleu: ["BLEU", "Corpus BLEU-4 of the first result, 0 to 1."],
        "codebleu-published": ["CodeBLEU", "N-grams, keywords, syntax and data flow of the first result, 0 to 1."],
      },
    }),
  pair: (a, b) => pairPredictions(a, b, exedsMeasures(Math.min(executedOf(a), executedOf(b))), "adapted-output-em"),
};

function protocolOf({ config }: ExedsResult): string {
  const { secondsPerCell, seconds } = config;
  return secondsPerCell === undefined
    ? `Protocol: celrec's, ${Number(seconds)} s for each problem.`
    : `Protocol: the paper's, ${Number(secondsPerCell)} s for each cell.`;
}

/** The raw code, then the adapted code. */
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
    page: { layout: "captioned" },
  };
}

const executedOf = ({ config }: ExedsResult): number => Number(config.executed ?? 1);

/** The variables of the running kernel for each problem; cached, because many share the cells above. */
async function readVariables(kernels: Kernels, cases: readonly Problem[], limit: TimeLimit) {
  const known = new Map<string, Promise<Record<string, string>>>();
  const entries = cases.map(async (each) => {
    const key = JSON.stringify([each.notebook, each.before, Object.keys(each.files)]);
    const found = known.get(key) ?? variablesOf(kernels, each, limit);
    known.set(key, found);
    return [each.id, await found] as const;
  });
  return new Map(await Promise.all(entries));
}

/** Checks before any execution that the file can be written; INPUT_INVALID if not. */
function checkGenerations(path: string): void {
  write(path, "[]\n");
}

/**
 * Writes predictions in the form that ExeDS's own program reads (`--path_generation`): a list of `{target, generation}` in the
 * order of the problems. A problem without a prediction has an empty one.
 */
function writeGenerations(
  path: string,
  problems: readonly Problem[],
  predictionOf: (id: string) => string | undefined,
): void {
  const list = problems.map(({ id, reference }) => ({ target: reference, generation: predictionOf(id) ?? "" }));
  write(path, `${JSON.stringify(list, null, 1)}\n`);
}

function write(path: string, text: string): void {
  try {
    writeFileSync(path, text);
  } catch (cause) {
    throw new RecommenderError("INPUT_INVALID", `${path} cannot be written: ${(cause as Error).message}`, { cause });
  }
}
