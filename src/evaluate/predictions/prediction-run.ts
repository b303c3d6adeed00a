import { cellId, extractCells } from "../../notebook/extract.js";
import type { NamedNotebook } from "../../notebook/notebook.js";
import type { Published, TargetProblems } from "../result-document.js";
import {
  addProblems,
  askOne,
  noProblems,
  requireAnswers,
  runConcurrently,
  summarizeLatency,
  uploadAll,
} from "../runner/ask-target.js";
import type { AskingBench } from "../suite.js";
import type { Target, TargetHit, TargetQuery } from "../target.js";
import type { PredictedCase, PredictionResult } from "./prediction-result.js";
import { type CaseScores, type Measure, measureCases } from "./prediction-score.js";

/** The fields of a case that every prediction suite has. */
export interface PredictionCase {
  readonly id: string;
  readonly notebook: string;
  /** The real cell. */
  readonly reference: string;
}

/** The journal's entry for an answered case. */
export interface PredictionAnswer extends CaseScores {
  readonly id: string;
  /** The baseline that answered; undefined for the target. */
  readonly system?: string;
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
  /** Baselines by name, already filled with the index. */
  readonly baselines: ReadonlyMap<string, Target>;
  readonly published: readonly Published[];
  readonly config: PredictionResult["config"];
  toQuery(each: C, k: number): TargetQuery;
  score(each: C, hits: readonly TargetHit[]): Scored | Promise<Scored>;
  /** Called with the target's complete answers by case. */
  onAnswers?(answers: ReadonlyMap<string, PredictionAnswer>): void;
}

export interface Scored extends CaseScores {
  readonly notes?: Readonly<Record<string, string>>;
  /** Further texts to show, by their heading. */
  readonly shown?: Readonly<Record<string, string>>;
}

/** Maximum characters stored of code that is not in the index. */
export const MAX_TEXT = 4_000;

/** The key of the target in the map of systems; baselines have their names as keys. */
const TARGET_KEY = "";

/**
 * Fills the target, asks it and the baselines about every case, and scores the predictions. Null if interrupted; the
 * journal has the answers so far.
 */
export async function runPredictions<C extends PredictionCase>(
  run: PredictionRun<C>,
): Promise<Omit<PredictionResult, "suite"> | null> {
  const { target, index, signal, journal } = run;
  await target.prepare();
  await uploadAll(target, index, signal, (done) => run.onProgress("notebooks indexed", done, index.length));
  if (signal.aborted) return null;
  const indexed = new Set(index.flatMap(({ notebook }) => extractCells(notebook).map(({ id }) => id)));
  const systems = new Map([[TARGET_KEY, target], ...run.baselines]);
  const answers = new Map(Array.from(systems.keys(), (name) => [name, new Map<string, PredictionAnswer>()]));
  for (const answer of journal.entries) answers.get(answer.system ?? TARGET_KEY)?.set(answer.id, answer);
  const isOpen = ({ id }: C) => [...answers.values()].some((known) => !known.has(id));
  let done = run.cases.filter((each) => !isOpen(each)).length;
  await runConcurrently(run.cases.filter(isOpen), run, async (each) => {
    const open = [...systems].filter(([name]) => !answers.get(name)!.has(each.id));
    for (const entry of await askSystems(run, each, open, indexed)) {
      answers.get(entry.system ?? TARGET_KEY)!.set(each.id, entry);
      journal.add(entry);
    }
    done += 1;
    run.onProgress("queries", done, run.cases.length);
  });
  if (signal.aborted) return null;
  const own = answers.get(TARGET_KEY)!;
  requireAnswers([...own.values()].map(({ results, problems }) => ({ hits: results.length, problems })));
  run.onAnswers?.(own);
  answers.delete(TARGET_KEY);
  return toResult(run, own, answers, indexed);
}

/**
 * Asks one system after another, so a target never gets more than `jobs` questions at once. Then scores all systems
 * together.
 */
async function askSystems<C extends PredictionCase>(
  run: PredictionRun<C>,
  each: C,
  systems: readonly (readonly [string, Target])[],
  indexed: ReadonlySet<string>,
): Promise<PredictionAnswer[]> {
  const replies = [];
  for (const [name, system] of systems) {
    const { answer, problems } = await askOne(system, forTarget(system, run.toQuery(each, run.k)));
    replies.push({ name, answer, problems, hits: answer.hits.slice(0, run.k) });
  }
  return Promise.all(
    replies.map(async ({ name, answer, problems, hits }) => {
      const results = hits.map(({ code }) => cellId(code));
      const own = hits.flatMap(({ code }, at) => (indexed.has(results[at]!) ? [] : [[results[at]!, code] as const]));
      const texts = name === TARGET_KEY ? Object.fromEntries(own) : {};
      const scored = await run.score(each, hits);
      const system = name === TARGET_KEY ? {} : { system: name };
      return { id: each.id, ...system, ...scored, results, texts, took: answer.took, problems };
    }),
  );
}

/** Variables are only sent to targets that accept them. */
function forTarget(target: Target, query: TargetQuery): TargetQuery {
  if (target.takesVariables || query.context?.variables === undefined) return query;
  const { variables: _, ...context } = query.context;
  const { trajectory } = query;
  if (trajectory === undefined) return { ...query, context };
  const steps = trajectory.steps.map((step) => ({ ...step, runtime_variables: {} }));
  return { ...query, context, trajectory: { ...trajectory, steps } };
}

function toResult<C extends PredictionCase>(
  run: PredictionRun<C>,
  answers: ReadonlyMap<string, PredictionAnswer>,
  baselines: ReadonlyMap<string, ReadonlyMap<string, PredictionAnswer>>,
  indexed: ReadonlySet<string>,
): Omit<PredictionResult, "suite"> {
  const isCopy = new Map(run.cases.map(({ id, reference }) => [id, indexed.has(cellId(reference))]));
  // In the order of the cases, so a resumed run gives exactly the same figures.
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
    ...(texts && Object.keys(texts).length > 0 && { texts: cutTexts(texts) }),
    ...(shown && { shown }),
  };
}

const cutTexts = (texts: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(texts).map(([id, text]) => [id, text.slice(0, MAX_TEXT)]));

/** The source of the cases: a file of cases, or notebooks from which they are made. */
