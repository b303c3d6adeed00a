import { cellId, extractCells } from "../../../notebook/extract.js";
import type { NamedNotebook } from "../../../notebook/notebook.js";
import { strip } from "../../../python/strip.js";
import { REPORTS } from "../../reports/index.js";
import type { TargetProblems } from "../../result-document.js";
import {
  addProblems,
  askAll,
  noProblems,
  requireAnswers,
  summarizeLatency,
  uploadAll,
} from "../../runner/ask-target.js";
import { hashOf, indexedCells, limitCases } from "../../runner/inputs.js";
import type { AskingBench, AskingSuite, Prepared } from "../../suite.js";
import type { Target, TargetHit } from "../../target.js";
import { createBaseline, createBaselineLibrary } from "../../targets/baseline.js";
import { type PreparedText, prepareText } from "../../text/prepare.js";
import { buildTyping, readTypingCases, type TypingInput } from "./typing-cases.js";
import { describeTyping } from "./typing-report.js";
import { type TypingCase, type TypingResult, typingResultSchema } from "./typing-result.js";
import {
  type CaseScores,
  confidenceFigures,
  type PreparedHit,
  pairTyping,
  scoreCase,
  typingFigures,
  typingMetrics,
} from "./typing-score.js";

export interface TypingOptions {
  readonly cases: string;
  readonly index: readonly string[];
  readonly context: boolean;
  readonly k: number;
}

export interface TypingCases extends Prepared {
  readonly cases: readonly TypingInput[];
  readonly index: readonly NamedNotebook[];
  /** Paths of the cases and of the index. */
  readonly origin: { readonly cases: string; readonly index: string[] };
}

/** Measures whether a recommended cell contains the real rest of a half-typed cell. */
export const typingSuite: AskingSuite<TypingOptions, TypingCases, TypingResult> = {
  name: "typing",
  description: "recommend cells for half-typed real cells, and compare them with the rest of the cell",
  options: [
    {
      flags: "--cases <file>",
      description: "JSON Lines file from `celrec eval build typing`",
      value: "text",
      required: true,
    },
    {
      flags: "--index <paths...>",
      description: "notebooks to recommend from; must not include those of the cases",
      value: "list",
      required: true,
    },
    { flags: "--no-context", description: "do not send the cells and Markdown above the cell" },
  ],
  // The same defaults as the service: mode `auto` with its minimum confidence.
  asks: {},
  limit: limitCases,
  reports: REPORTS,
  schema: typingResultSchema,
  builder: { description: "cases for `celrec eval typing`, at most two per notebook", build: buildTyping },
  metrics: ({ k }) => typingMetrics(k),
  async cases(options, deps) {
    const read = readTypingCases(options.cases);
    const cases = options.context ? read : read.map((each) => ({ ...each, preceding: [], markdown: "" }));
    const index = await deps.readNotebooks(options.index);
    const ids = index.flatMap(({ notebook }) => extractCells(notebook).map(({ id }) => id));
    const origin = { cases: options.cases, index: [...options.index] };
    return { cases, index, origin, inputs: { cases: hashOf(cases), index: hashOf(ids) }, settings: {} };
  },
  run({ cases, index, origin }, bench: AskingBench<TypingAnswer>) {
    return runTyping({ ...bench, cases, index, config: { ...bench.manifest.settings, ...origin } });
  },
  figures: ({ metrics }) => metrics,
  texts({ cases, index }) {
    const byId = new Map(cases.map((each) => [each.id, each]));
    const cell = indexedCells(index);
    return { query: (id) => byId.get(id)?.prefix, expected: (id) => byId.get(id)?.rest, cell };
  },
  describe: describeTyping,
  pair: pairTyping,
};

/** The journal's entry for an answered case. */
export interface TypingAnswer extends CaseScores {
  readonly id: string;
  readonly results: readonly string[];
  readonly confidences: TypingCase["confidences"];
  readonly took: Readonly<Record<string, number>>;
  readonly problems: Partial<TargetProblems>;
}

interface TypingRun extends Omit<AskingBench<TypingAnswer>, "embedder"> {
  readonly cases: readonly TypingInput[];
  /** The notebooks that the target recommends from. */
  readonly index: readonly NamedNotebook[];
  readonly config: TypingResult["config"];
}

/** Baselines of every run. */
const TYPING_BASELINES = ["bm25", "bm25-context", "popular", "random"] as const;

/** Fills the target, asks every case, and scores the answers and the baselines. Null if interrupted. */
export async function runTyping(run: TypingRun): Promise<TypingResult | null> {
  const { target, index, signal, journal } = run;
  await target.prepare();
  await uploadAll(target, index, signal, (done) => run.onProgress("notebooks indexed", done, index.length));
  if (signal.aborted) return null;
  const score = createCaseScorer(run.cases);
  const answers = new Map(journal.entries.map((answer) => [answer.id, answer]));
  const ask = (system: Target, known: Map<string, TypingAnswer>, onAnswer: (answer: TypingAnswer) => void) => {
    const open = run.cases.filter(({ id }) => !known.has(id));
    const questions = open.map((each) => ({ key: each, query: toQuery(each, run.k) }));
    return askAll<TypingInput>(system, questions, { jobs: run.jobs, signal }, ({ key, answer, problems }) => {
      const hits = answer.hits.slice(0, run.k);
      const confidences = hits.map(({ confidence }) => confidence);
      const results = hits.map(({ code }) => cellId(code));
      onAnswer({ id: key.id, ...score(key, hits), results, confidences, took: answer.took, problems });
    });
  };
  await ask(target, answers, (answer) => {
    journal.add(answer);
    answers.set(answer.id, answer);
    run.onProgress("queries", answers.size, run.cases.length);
  });
  if (signal.aborted) return null;
  requireAnswers([...answers.values()].map(({ results, problems }) => ({ hits: results.length, problems })));

  const library = createBaselineLibrary();
  library.add(index);
  const baselines: Record<string, TypingAnswer[]> = {};
  for (const name of TYPING_BASELINES) {
    const found: TypingAnswer[] = [];
    await ask(createBaseline(name, library), new Map(), (answer) => found.push(answer));
    baselines[name] = found;
  }
  if (signal.aborted) return null;
  return toResult(run, answers, baselines);
}

function toQuery({ prefix, preceding, markdown }: TypingInput, k: number) {
  return { code: prefix, k, context: { before: preceding, markdown } };
}

/** Creates a function that scores a case. It caches analyses, because popular cells are returned often. */
function createCaseScorer(cases: readonly TypingInput[]) {
  const prepared = new Map<string, PreparedText>();
  const prepareCode = (code: string) => {
    const known = prepared.get(code) ?? prepareText(code);
    prepared.set(code, known);
    return known;
  };
  // Adapted code differs for every case, so caching it would not help.
  const prepare = ({ code, adapted = code, insert = adapted, continuesLine = false }: TargetHit): PreparedHit => {
    const preparedCode = prepareCode(code);
    const read = (text: string) => (text === code ? preparedCode : prepareText(text));
    const placed = prepareText(insert === "" || continuesLine ? insert : `\n${insert}`);
    return { code: preparedCode, adapted: read(adapted), insert: read(insert), placed };
  };
  const targets = new Map(
    cases.map(({ id, rest, reference, prefix, preceding }) => [
      id,
      { rest: prepareText(rest), reference: prepareText(reference), above: { prefix, preceding } },
    ]),
  );
  return ({ id }: TypingInput, hits: readonly TargetHit[]): CaseScores =>
    scoreCase(hits.map(prepare), targets.get(id)!);
}

function toResult(
  run: TypingRun,
  answers: ReadonlyMap<string, TypingAnswer>,
  baselines: Readonly<Record<string, readonly TypingAnswer[]>>,
): TypingResult {
  const cells = new Map(run.index.flatMap(({ notebook }) => extractCells(notebook)).map(({ id, code }) => [id, code]));
  const texts = new Set([...cells.values()].map((code) => strip(code).text));
  const copies = new Set(run.cases.filter(({ reference }) => texts.has(strip(reference).text)).map(({ id }) => id));
  const notebookOf = new Map(run.cases.map(({ id, notebook }) => [id, notebook]));
  const figures = (found: readonly TypingAnswer[]) => {
    const scored = found.map((answer) => ({ ...answer, notebook: notebookOf.get(answer.id)! }));
    const notCopied = scored.filter(({ id }) => !copies.has(id));
    return { ...typingFigures(scored, run.k), withoutCopies: typingFigures(notCopied, run.k) };
  };
  // In the order of the cases, so a resumed run gives exactly the same figures.
  const all = run.cases.map(({ id }) => answers.get(id)!);
  const { ci95, withoutCopies, ...metrics } = figures(all);
  const confidence = confidenceFigures(all);
  return {
    suite: "typing",
    k: run.k,
    config: run.config,
    counts: {
      cases: run.cases.length,
      notebooks: new Set(run.cases.map(({ notebook }) => notebook)).size,
      copies: copies.size,
      withoutCalls: all.filter(({ callRecall }) => callRecall === null).length,
      indexedCells: cells.size,
    },
    metrics,
    ci95,
    withoutCopies,
    baselines: Object.fromEntries(Object.entries(baselines).map(([name, found]) => [name, figures(found)])),
    confidence: confidence && {
      ...confidence,
      withoutCopies: confidenceFigures(all.filter(({ id }) => !copies.has(id))),
    },
    latency: summarizeLatency(all.map(({ took }) => took)),
    problems: { target: all.reduce((sum, { problems }) => addProblems(sum, problems), noProblems()) },
    manifest: run.manifest,
    cases: run.cases.map((each) => toCase(each, answers.get(each.id)!, copies.has(each.id))),
  };
}

function toCase({ id, notebook }: TypingInput, answer: TypingAnswer, copy: boolean): TypingCase {
  const { took: _took, problems: _problems, results, ...scores } = answer;
  return { ...scores, id, notebook, copy, results: [...results] };
}
