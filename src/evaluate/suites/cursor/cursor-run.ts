import { setImmediate as nextTurn } from "node:timers/promises";
import { RecommenderError } from "../../../errors.js";
import { extractCells } from "../../../notebook/extract.js";
import type { NamedNotebook } from "../../../notebook/notebook.js";
import { strip } from "../../../python/strip.js";
import type { TargetProblems } from "../../result-document.js";
import { addProblems, noProblems, requireAnswers, summarizeLatency, uploadAll } from "../../runner/ask-target.js";
import { measureConfidence } from "../../statistics/calibration.js";
import type { AskingBench } from "../../suite.js";
import { type CompletionsAnswer, type CursorQuery, TargetFault } from "../../target.js";
import { type CursorBaseline, createCursorBaselines, type Jedi } from "./cursor-baselines.js";
import { type CursorCase, isLineBoundary } from "./cursor-cases.js";
import { measureCursor, measureKinds, namedValues, type TypedCellResult } from "./cursor-figures.js";
import type { CursorCaseResult, CursorResult } from "./cursor-result.js";
import { scoreCursor } from "./cursor-score.js";
import { type Suggest, savingCurve, type TypedCell, typeCell } from "./typist.js";

/** The entry of the journal for a case, or for a cell that was typed. */
export type CursorAnswer = CaseAnswer | TypistAnswer;

interface CaseAnswer extends Pick<CursorCaseResult, "id" | "values" | "completions"> {
  readonly took: Readonly<Record<string, number>>;
  readonly problems: Partial<TargetProblems>;
}

interface TypistAnswer {
  readonly typist: string;
  readonly typed: readonly TypedCell[];
  readonly questions: number;
}

export interface CursorRun extends Omit<AskingBench<CursorAnswer>, "embedder"> {
  readonly cases: readonly CursorCase[];
  readonly index: readonly NamedNotebook[];
  /** Whether the target gets the text after the cursor. */
  readonly withSuffix: boolean;
  /** Number of cells typed from start to end. */
  readonly typistCells: number;
  readonly jedi: Jedi | null;
  readonly config: CursorResult["config"];
}

type Completer = (query: CursorQuery) => Promise<CompletionsAnswer>;

/** Maximum characters stored of a completion. */
const MAX_TEXT = 300;

/** Fills the target, asks every case and types the cells, for the target and the baselines. Null if interrupted. */
export async function runCursor(run: CursorRun): Promise<CursorResult | null> {
  const { target, index, signal, journal } = run;
  const { complete } = target;
  if (complete === undefined)
    throw new RecommenderError(
      "INPUT_INVALID",
      `The target ${target.name} cannot complete at a cursor; give the URL of a server with /v1/completions, or a target file with \`complete\`.`,
    );
  await target.prepare();
  await uploadAll(target, index, signal, (done) => run.onProgress("notebooks indexed", done, index.length));
  if (signal.aborted) return null;

  const known = journal.entries.flatMap((entry) => ("id" in entry ? [entry] : []));
  const answers = await askCases(run, complete, known, journal.add, "cases");
  if (answers === null) return null;
  requireAnswers(answers.map(({ completions, problems }) => ({ hits: completions.length, problems })));
  const earlier = journal.entries.flatMap((entry) => ("typist" in entry ? [entry] : []));
  const ignoresThreshold = target.takesMinConfidence !== true;
  const typed = await typeCells({ ...run, ignoresThreshold }, complete, earlier, journal.add, "cells typed");
  if (typed === null) return null;

  const baselines = new Map<string, { answers: readonly CaseAnswer[]; typed: readonly TypistAnswer[] }>();
  for (const baseline of createCursorBaselines({ index, target, jedi: run.jedi })) {
    const caseAnswers = await askCases(run, toCompleter(baseline), [], () => {}, `cases of ${baseline.name}`);
    const cells = baseline.types
      ? await typeCells(
          { ...run, ignoresThreshold: true },
          toCompleter(baseline),
          [],
          () => {},
          `cells typed with ${baseline.name}`,
        )
      : [];
    if (caseAnswers === null || cells === null) return null;
    baselines.set(baseline.name, { answers: caseAnswers, typed: cells });
  }
  return toResult(run, answers, typed, baselines);
}

function toCompleter({ complete }: CursorBaseline): Completer {
  return async (query) => ({ completions: (await complete(query)).slice(0, query.k), junk: 0, took: {} });
}

/** Asks the cases that are not answered yet; all answers in the order of the cases, or null if it was interrupted. */
async function askCases(
  run: CursorRun,
  complete: Completer,
  known: readonly CaseAnswer[],
  onAnswer: (answer: CaseAnswer) => void,
  what: string,
): Promise<CaseAnswer[] | null> {
  const answers = new Map(known.map((answer) => [answer.id, answer]));
  const open = run.cases.filter(({ id }) => !answers.has(id));
  await inParallel(open, run, async (each) => {
    const suffix = run.withSuffix ? each.suffix : undefined;
    const query = { ...queryOf(each, each.prefix, run.k), ...(suffix !== undefined && { suffix }) };
    const { completions, took, problems } = await askOne(complete, query);
    const scores = scoreCursor(each, completions, suffix);
    const shown = completions.map(({ text, confidence }, at) => ({
      text: text.slice(0, MAX_TEXT),
      confidence,
      right: scores.right[at]!,
    }));
    const answer = { id: each.id, values: namedValues(scores, run.k), completions: shown, took, problems };
    answers.set(each.id, answer);
    onAnswer(answer);
    run.onProgress(what, answers.size, run.cases.length);
  });
  return run.signal.aborted ? null : run.cases.map(({ id }) => answers.get(id)!);
}

/** Types the chosen cells; null if interrupted. */
async function typeCells(
  run: CursorRun & { readonly ignoresThreshold: boolean },
  complete: Completer,
  known: readonly TypistAnswer[],
  onAnswer: (answer: TypistAnswer) => void,
  what: string,
): Promise<TypistAnswer[] | null> {
  const cells = chooseCells(run.cases, run.typistCells);
  const answers = new Map(known.map((answer) => [answer.typist, answer]));
  const open = cells.filter(({ id }) => !answers.has(id));
  await inParallel(open, run, async (each) => {
    let questions = 0;
    const suggest: Suggest = async (prefix, minConfidence) => {
      questions += 1;
      // Yields, because an in-process target would otherwise block Ctrl-C.
      await nextTurn();
      if (run.signal.aborted) return null;
      return (await askOne(complete, { ...queryOf(each, prefix, 1), minConfidence })).completions[0] ?? null;
    };
    const typed = await typeCell(cellOf(each), suggest, { ignoresThreshold: run.ignoresThreshold });
    if (run.signal.aborted) return;
    const answer = { typist: each.id, typed, questions };
    answers.set(each.id, answer);
    onAnswer(answer);
    run.onProgress(what, answers.size, cells.length);
  });
  return run.signal.aborted ? null : cells.map(({ id }) => answers.get(id)!);
}

/** Chooses at most `max` cells, evenly spread, with one case of each. */
function chooseCells(cases: readonly CursorCase[], wanted: number): CursorCase[] {
  const cells = [...new Map(cases.map((each) => [`${each.notebook}\n${each.cell_index}`, each])).values()];
  const count = Math.min(wanted, cells.length);
  return Array.from({ length: count }, (_, at) => cells[Math.floor((at * cells.length) / count)]!);
}

async function inParallel<T>(
  items: readonly T[],
  { jobs, signal }: Pick<CursorRun, "jobs" | "signal">,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const queue = items[Symbol.iterator]();
  const worker = async () => {
    for (let next = queue.next(); !next.done && !signal.aborted; next = queue.next()) {
      await work(next.value);
      await nextTurn();
    }
  };
  await Promise.all(Array.from({ length: jobs }, worker));
}

async function askOne(complete: Completer, query: CursorQuery) {
  try {
    const { completions, junk, took } = await complete(query);
    const duplicates = completions.length - new Set(completions.map(({ text }) => text)).size;
    return { completions: completions.slice(0, query.k), took, problems: { junk, duplicates } };
  } catch (error) {
    if (!(error instanceof TargetFault)) throw error;
    return { completions: [], took: {}, problems: { [error.kind]: 1 } };
  }
}

const cellOf = ({ prefix, rest, suffix }: CursorCase): string => prefix + rest + suffix;

const queryOf = ({ preceding, markdown }: CursorCase, prefix: string, k: number): CursorQuery => ({
  prefix,
  k,
  context: { before: preceding, markdown },
});

function toResult(
  run: CursorRun,
  answers: readonly CaseAnswer[],
  typed: readonly TypistAnswer[],
  baselines: ReadonlyMap<string, { answers: readonly CaseAnswer[]; typed: readonly TypistAnswer[] }>,
): CursorResult {
  const { k, cases } = run;
  const cells = new Map(run.index.flatMap(({ notebook }) => extractCells(notebook)).map(({ id, code }) => [id, code]));
  const texts = new Set([...cells.values()].map((code) => strip(code).text));
  const copies = new Set(cases.filter((each) => texts.has(strip(cellOf(each)).text)).map(({ id }) => id));
  const byId = new Map(cases.map((each) => [each.id, each]));
  const toCase = ({ id, values, completions }: CaseAnswer): CursorCaseResult => {
    const each = byId.get(id)!;
    const { notebook, kind } = each;
    return { id, notebook, kind, line: isLineBoundary(each), copy: copies.has(id), values, completions };
  };
  const toTyped = ({ typist, typed: at }: TypistAnswer): TypedCellResult => ({
    notebook: byId.get(typist)!.notebook,
    copy: copies.has(typist),
    typed: at,
  });
  const isFresh = ({ copy }: { readonly copy: boolean }) => !copy;
  const measure = (found: readonly CursorCaseResult[], done: readonly TypedCellResult[]) => ({
    ...measureCursor(found, done, k),
    withoutCopies: measureCursor(found.filter(isFresh), done.filter(isFresh), k),
  });
  const curveOf = (done: readonly TypistAnswer[]) => savingCurve(done.map((each) => each.typed));
  const results = answers.map(toCase);
  const judged = measureConfidence(
    results.map(({ completions }) =>
      completions.flatMap(({ confidence, right }) => (confidence === null ? [] : [{ confidence, right }])),
    ),
    "share",
  );
  return {
    suite: "cursor",
    k,
    config: run.config,
    counts: {
      cases: cases.length,
      insideCases: results.filter(({ line }) => !line).length,
      lineCases: results.filter(({ line }) => line).length,
      notebooks: new Set(cases.map(({ notebook }) => notebook)).size,
      copies: copies.size,
      indexedCells: cells.size,
      typedCells: typed.length,
      typistQuestions: typed.reduce((sum, { questions }) => sum + questions, 0),
    },
    ...measure(results, typed.map(toTyped)),
    baselines: Object.fromEntries(
      [...baselines].map(([name, found]) => [
        name,
        { ...measure(found.answers.map(toCase), found.typed.map(toTyped)), curve: curveOf(found.typed) },
      ]),
    ),
    byKind: measureKinds(results, k),
    curve: curveOf(typed),
    confidence: judged,
    latency: summarizeLatency(answers.map(({ took }) => took)),
    problems: { target: answers.reduce((sum, { problems }) => addProblems(sum, problems), noProblems()) },
    manifest: run.manifest,
    cases: results,
  };
}
