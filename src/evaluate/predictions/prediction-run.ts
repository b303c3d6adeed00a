import { RecommenderError } from "../../errors.js";
import { cellId, extractCells } from "../../notebook/extract.js";
import type { NamedNotebook } from "../../notebook/notebook.js";
import { loadGrammar } from "../../python/grammar.js";
import type { Published, TargetProblems } from "../result-document.js";
import { askAll, summarizeLatency, uploadAll } from "../runner/ask-target.js";
import { hashOf, requireDistinctIds } from "../runner/inputs.js";
import { addProblems, noProblems, requireAnswers } from "../runner/target-problems.js";
import type { AskingBench, CaseDeps } from "../suite.js";
import type { Target, TargetHit, TargetQuery } from "../target.js";
import type { PredictedCase, PredictionResult } from "./prediction-result.js";
import { type CaseScores, type Measure, measureCases } from "./prediction-score.js";

/** A case as far as every suite of predictions has one. */
export interface PredictionCase {
  readonly id: string;
  readonly notebook: string;
  /** The real cell. */
  readonly reference: string;
}

/** The journal's entry for an answered case. */
export interface PredictionAnswer extends CaseScores {
  readonly id: string;
  readonly results: readonly string[];
  readonly notes?: Readonly<Record<string, string>>;
  readonly texts?: Readonly<Record<string, string>>;
  readonly shown?: Readonly<Record<string, string>>;
  readonly took: Readonly<Record<string, number>>;
  readonly problems: Partial<TargetProblems>;
}

export interface PredictionRun<C extends PredictionCase> extends Omit<AskingBench<PredictionAnswer>, "embedder"> {
  readonly cases: readonly C[];
  /** The notebooks that the target recommends from. */
  readonly index: readonly NamedNotebook[];
  readonly measures: readonly Measure[];
  /** Baselines by name; they have the index already. */
  readonly baselines: ReadonlyMap<string, Target>;
  readonly published: readonly Published[];
  readonly config: PredictionResult["config"];
  toQuery(each: C, k: number): TargetQuery;
  score(each: C, hits: readonly TargetHit[]): Scored | Promise<Scored>;
}

export interface Scored extends CaseScores {
  readonly notes?: Readonly<Record<string, string>>;
  /** What else there is to look at, by its head. */
  readonly shown?: Readonly<Record<string, string>>;
}

/** Characters that are kept of code that is not in the index. */
export const MAX_TEXT = 4_000;

/** Fills the target, asks every case, scores the predictions, with the baselines beside. Null where it was interrupted. */
export async function runPredictions<C extends PredictionCase>(
  run: PredictionRun<C>,
): Promise<Omit<PredictionResult, "suite"> | null> {
  const { target, index, signal, journal } = run;
  await target.prepare();
  await uploadAll(target, index, signal, (done) => run.onProgress("notebooks indexed", done, index.length));
  if (signal.aborted) return null;
  const answers = new Map(journal.entries.map((answer) => [answer.id, answer]));
  const indexed = new Set(index.flatMap(({ notebook }) => extractCells(notebook).map(({ id }) => id)));
  await askCases(run, target, answers, indexed, (answer) => {
    journal.add(answer);
    run.onProgress("queries", answers.size, run.cases.length);
  });
  if (signal.aborted) return null;
  requireAnswers([...answers.values()].map(({ results, problems }) => ({ hits: results.length, problems })));
  const baselines = new Map<string, ReadonlyMap<string, PredictionAnswer>>();
  for (const [name, baseline] of run.baselines) {
    const found = new Map<string, PredictionAnswer>();
    await askCases(run, baseline, found, null, () =>
      run.onProgress(`queries of ${name}`, found.size, run.cases.length),
    );
    baselines.set(name, found);
  }
  return signal.aborted ? null : toResult(run, answers, baselines, indexed);
}

async function askCases<C extends PredictionCase>(
  run: PredictionRun<C>,
  target: Target,
  answers: Map<string, PredictionAnswer>,
  indexed: ReadonlySet<string> | null,
  onAnswer: (answer: PredictionAnswer) => void,
): Promise<void> {
  const open = run.cases.filter(({ id }) => !answers.has(id));
  const questions = open.map((each) => ({ key: each, query: forTarget(target, run.toQuery(each, run.k)) }));
  await askAll<C>(target, questions, run, async ({ key, answer, problems }) => {
    const hits = answer.hits.slice(0, run.k);
    const results = hits.map(({ code }) => cellId(code));
    const own = hits.flatMap(({ code }, at) => (indexed?.has(results[at]!) === false ? [[results[at]!, code]] : []));
    const texts = Object.fromEntries(own.map(([id, code]) => [id!, code!.slice(0, MAX_TEXT)]));
    const scored = await run.score(key, hits);
    const entry = { id: key.id, ...scored, results, texts, took: answer.took, problems };
    answers.set(key.id, entry);
    onAnswer(entry);
  });
}

/** Variables are only for those who take them. */
function forTarget(target: Target, query: TargetQuery): TargetQuery {
  if (target.takesVariables || query.context?.variables === undefined) return query;
  const { variables: _, ...context } = query.context;
  return { ...query, context };
}

function toResult<C extends PredictionCase>(
  run: PredictionRun<C>,
  answers: ReadonlyMap<string, PredictionAnswer>,
  baselines: ReadonlyMap<string, ReadonlyMap<string, PredictionAnswer>>,
  indexed: ReadonlySet<string>,
): Omit<PredictionResult, "suite"> {
  const isCopy = new Map(run.cases.map(({ id, reference }) => [id, indexed.has(cellId(reference))]));
  // In the order of the cases, not of the answers, so that a resumed run gives exactly the same figures.
  const toCases = (found: ReadonlyMap<string, PredictionAnswer>) =>
    run.cases.map(({ id, notebook }) => toCase(notebook, isCopy.get(id)!, found.get(id)!));
  const measure = (cases: readonly PredictedCase[]) => ({
    ...measureCases(run.measures, cases),
    withoutCopies: measureCases(
      run.measures,
      cases.filter(({ copy }) => !copy),
    ),
  });
  const all = run.cases.map(({ id }) => answers.get(id)!);
  const cases = toCases(answers);
  return {
    k: run.k,
    config: run.config,
    counts: {
      cases: run.cases.length,
      notebooks: new Set(run.cases.map(({ notebook }) => notebook)).size,
      copies: cases.filter(({ copy }) => copy).length,
      indexedCells: indexed.size,
    },
    ...measure(cases),
    baselines: Object.fromEntries([...baselines].map(([name, found]) => [name, measure(toCases(found))])),
    published: [...run.published],
    latency: summarizeLatency(all.map(({ took }) => took)),
    problems: { target: all.reduce((sum, { problems }) => addProblems(sum, problems), noProblems()) },
    manifest: run.manifest,
    cases,
  };
}

function toCase(
  notebook: string,
  copy: boolean,
  { id, values, counts, results, notes, texts, shown }: PredictionAnswer,
): PredictedCase {
  return {
    ...{ id, notebook, copy, values, counts, results: [...results] },
    ...(notes && { notes }),
    ...(texts && Object.keys(texts).length > 0 && { texts }),
    ...(shown && { shown }),
  };
}

/** Where the cases come from: a file of them, or notebooks that they are made of. */
export interface CaseOrigin {
  readonly cases?: string;
  readonly notebooks?: readonly string[];
  readonly index: readonly string[];
}

export interface CaseSource<C> {
  readonly read: (path: string) => readonly C[];
  readonly build: (notebooks: readonly NamedNotebook[]) => readonly C[];
}

/** Reads or makes the cases, and reads the notebooks to recommend from; INPUT_INVALID unless there is one source of cases. */
export async function prepareCases<C extends { readonly id: string }>(
  { cases: file, notebooks, index: paths }: CaseOrigin,
  deps: CaseDeps,
  { read, build }: CaseSource<C>,
) {
  if ((file === undefined) === (notebooks === undefined)) {
    throw invalid("Give either --cases FILE or --notebooks PATHS.");
  }
  await loadGrammar();
  const cases = file === undefined ? build(await deps.readNotebooks(notebooks!)) : read(file);
  const from = notebooks?.join(", ") ?? file!;
  if (cases.length === 0) throw invalid(`There is no case in ${from}.`);
  requireDistinctIds(cases, from);
  const index = await deps.readNotebooks(paths);
  const cells = index.flatMap(({ notebook }) => extractCells(notebook).map(({ id }) => id));
  return {
    cases,
    index,
    origin: { ...(file === undefined ? { notebooks: [...notebooks!] } : { cases: file }), index: [...paths] },
    inputs: { cases: hashOf(cases), index: hashOf(cells) },
    settings: {},
  };
}

const invalid = (message: string): RecommenderError => new RecommenderError("INPUT_INVALID", message);
