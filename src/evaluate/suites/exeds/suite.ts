import { assetPath } from "../../../assets.js";
import { extractCells } from "../../../cells/extract.js";
import type { NamedNotebook } from "../../../ingest/ingest.js";
import { loadGrammar } from "../../../python/grammar.js";
import type { Published } from "../../document.js";
import { type Isolation, type Kernels, openKernels } from "../../execute/kernels.js";
import { predictionPage } from "../../predictions/page.js";
import { pairPredictions } from "../../predictions/pair.js";
import { type PredictionAnswer, runPredictions } from "../../predictions/run.js";
import { predictionTables } from "../../predictions/tables.js";
import { predictionText } from "../../predictions/text.js";
import { REPORTS } from "../../reports/index.js";
import { hashOf } from "../../runner/hash.js";
import { indexedCells } from "../../runner/indexed-cells.js";
import { groupBy } from "../../statistics/group-by.js";
import type { AskingBench, AskingSuite, Prepared } from "../../suite.js";
import type { Target } from "../../target.js";
import { createBaselines } from "../../targets/baseline.js";
import { WITHOUT_VARIABLES, withoutVariables } from "../../targets/without-variables.js";
import { type ExedsResult, exedsResultSchema } from "./document.js";
import { createExecute, SECONDS, variablesOf } from "./execute.js";
import { type Problem, readProblems } from "./problems.js";
import { createExedsScorer, EXEDS_MEASURES } from "./score.js";

export interface ExedsOptions {
  readonly cases: string;
  readonly index: readonly string[];
  readonly python: string;
  readonly variables: boolean;
  readonly baselines: boolean;
  readonly execute: number;
  readonly seconds: number;
}

export interface ExedsCases extends Prepared {
  readonly cases: readonly Problem[];
  readonly index: readonly NamedNotebook[];
  readonly options: Pick<ExedsOptions, "python" | "variables" | "baselines" | "execute" | "seconds">;
  readonly searchPath: string | undefined;
  readonly note: (text: string) => void;
  readonly origin: { readonly cases: string; readonly index: string[] };
}

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

/** Kernels at once: questions wait for them. */
const KERNELS = 2;

/** Does a recommended cell run behind the cells above, and say the right thing? */
export const exedsSuite: AskingSuite<ExedsOptions, ExedsCases, ExedsResult> = {
  name: "exeds",
  description: "does a recommended cell run, and print the right thing (ExeDS)? Executes it in a sandbox",
  options: [
    {
      flags: "--cases <file>",
      description: "problems as JSON lines, ours or ExeDS's own, with their data in the folder data beside it",
      value: "text",
      fallback: assetPath("examples/exeds/problems.jsonl"),
      fallbackName: "68 problems of this project",
    },
    { flags: "--index <paths...>", description: "notebooks to recommend from", value: "list", required: true },
    {
      flags: "--python <path>",
      description: "a Python with jupyter_client, ipykernel and what the problems import",
      value: "text",
      fallback: "python3",
    },
    {
      flags: "--no-variables",
      description: "do not tell the target the variables of the running kernel, nor ask it both ways",
    },
    {
      flags: "--execute <number>",
      description: "how many of the results are executed; figures with best- take the best of them",
      value: { least: 1, most: 100 },
      fallback: 1,
    },
    {
      flags: "--seconds <number>",
      description: "how long one problem may take",
      value: { least: 1, most: 3_600 },
      fallback: SECONDS,
    },
    { flags: "--no-baselines", description: "only the target: baselines take as long again, each" },
  ],
  asks: { mode: "next", spread: true },
  reports: REPORTS,
  schema: exedsResultSchema,
  metrics: () => EXEDS_MEASURES,
  async cases(options, deps) {
    await loadGrammar();
    const cases = readProblems(options.cases);
    const index = await deps.readNotebooks(options.index);
    const cells = index.flatMap(({ notebook }) => extractCells(notebook).map(({ id }) => id));
    return {
      cases,
      index,
      options,
      searchPath: deps.env.PATH,
      note: deps.note,
      origin: { cases: options.cases, index: [...options.index] },
      inputs: { cases: hashOf(cases), index: hashOf(cells) },
      settings: { variables: options.variables, executed: options.execute, seconds: options.seconds },
    };
  },
  async run({ cases, index, options, searchPath, note, origin }, bench: AskingBench<PredictionAnswer>) {
    const kernels = await openKernels({ python: options.python, searchPath, jobs: KERNELS });
    try {
      const open = notIsolated(kernels.isolation);
      if (open.length > 0)
        note(`This machine allows no namespaces: predictions are not kept from the ${open.join(" and the ")}.`);
      const asksBoth = options.variables && bench.target.takesVariables === true;
      const variables = asksBoth ? await readVariables(kernels, cases) : new Map<string, Record<string, string>>();
      const baselines = new Map<string, Target>([
        ...(asksBoth ? [[WITHOUT_VARIABLES, withoutVariables(bench.target)] as const] : []),
        ...(options.baselines ? createBaselines(BASELINES, index) : []),
      ]);
      const result = await runPredictions({
        ...bench,
        jobs: Math.max(bench.jobs, KERNELS),
        cases,
        index,
        measures: EXEDS_MEASURES,
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
        problems: { target: result.problems.target, notIsolated: open },
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
  *text(document, pen) {
    yield* predictionText(document, pen, {
      shown: ["output-em", "adapted-output-em", "ran", "adapted-ran", "bleu", "codebleu", "em"],
    });
    for (const kind of ["raw", "adapted"] as const) {
      const counts = Object.entries(document.endings[kind]).map(([ended, count]) => `${ended} ${count}`);
      yield `${kind} code ended with: ${counts.join(", ")}`;
    }
  },
  tables: predictionTables,
  page: (document, texts) =>
    predictionPage(document, texts, {
      title: "Running what is recommended",
      asked: "Cells above, and the question",
      worstBy: "output-em",
      plots: {
        "output-em": ["OutputEM", "Share of the problems whose first result, executed, says what the right cell says."],
        "adapted-output-em": [
          "OutputEM, adapted",
          "The same with the names of the result replaced by those of the cells above.",
        ],
        ran: ["Ran", "Share of the first results that ran without an exception."],
        "adapted-ran": ["Ran, adapted", "The same with the adapted code."],
        bleu: ["BLEU", "Corpus BLEU-4 of the first result, 0 to 1."],
        codebleu: ["CodeBLEU", "N-grams, keywords, syntax and data flow of the first result, 0 to 1."],
      },
    }),
  pair: (a, b) => pairPredictions(a, b, EXEDS_MEASURES, "adapted-output-em"),
};

/** What the running kernel holds where each problem is asked; many have the same cells above. */
async function readVariables(kernels: Kernels, cases: readonly Problem[]) {
  const known = new Map<string, Promise<Record<string, string>>>();
  const entries = cases.map(async (each) => {
    const key = JSON.stringify([each.setup, each.context, Object.keys(each.files)]);
    const found = known.get(key) ?? variablesOf(kernels, each);
    known.set(key, found);
    return [each.id, await found] as const;
  });
  return new Map(await Promise.all(entries));
}

function notIsolated({ network, files, processes }: Isolation): string[] {
  return Object.entries({ network, files, processes }).flatMap(([part, isClosed]) => (isClosed ? [] : [part]));
}
