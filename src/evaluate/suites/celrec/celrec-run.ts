import type { Embedder } from "../../../embed/embedder.js";
import type { NamedNotebook } from "../../../notebook/notebook.js";
import { strip } from "../../../python/strip.js";
import { pairCosines } from "../../metrics/diversity.js";
import type { AskedMetric } from "../../metrics/index.js";
import type { CorpusMetric, ListMetric } from "../../metrics/metric.js";
import type { TargetProblems } from "../../result-document.js";
import { addProblems, askAll, noProblems, requireAnswers, uploadAll } from "../../runner/ask-target.js";
import type { AskingBench } from "../../suite.js";
import { OWN_TARGET, type TargetAnswer } from "../../target.js";
import { createBaseline } from "../../targets/baseline.js";
import type { CelrecResult, JudgedHit, QueryOutcome } from "./celrec-result.js";
import { scoreRun } from "./celrec-score.js";
import { createJudge, deduplicate } from "./judge.js";
import { type Distractors, type Plan, type PlannedQuery, type PlannedSeed, toNotebooks } from "./plan.js";
import { isPaperProtocol, type Protocol, scaleOf } from "./protocol.js";
import type { SeedProblem } from "./seeds.js";

/** The journal's entry for an answered query. */
export interface CelrecAnswer {
  readonly query: string;
  readonly hits: readonly JudgedHit[];
  readonly cosines?: readonly number[] | undefined;
  readonly took: Readonly<Record<string, number>>;
  readonly problems: Partial<TargetProblems>;
}

interface CelrecRun extends AskingBench<CelrecAnswer> {
  readonly protocol: Protocol;
  readonly plan: Plan;
  readonly distractors: Distractors;
  readonly seedProblems: readonly SeedProblem[];
  readonly metrics: readonly AskedMetric<ListMetric | CorpusMetric>[];
  readonly config: CelrecResult["config"];
}

/** Figures of the paper, which uses no distractors. Its nDCG values follow from the formula of `ndcg-published`. */
const PUBLISHED: CelrecResult["published"] = [
  {
    name: "JupyRecSys (CodeBERT, primary-label filter)",
    figures: { "precision@3": 0.8697, "recall@3": 0.8697, "f1@3": 0.8697, "ap@3": 0.9579, "ndcg-published@3": 0.817 },
    sameData: false,
    source: "CelRecEval paper, 114 seeds, 810 queries, 342 cells",
  },
];

/** Fills the target, asks every query, and scores the answers. Null if interrupted; the journal has the answers so far. */
export async function runCelrec(run: CelrecRun): Promise<CelrecResult | null> {
  const { plan, target, signal } = run;
  await target.prepare();
  const notebooks = [...toNotebooks(plan), ...run.distractors.notebooks];
  await uploadAll(target, notebooks, signal, (done) => run.onProgress("notebooks indexed", done, notebooks.length));
  if (signal.aborted) return null;
  const answers = await answerAll(run);
  if (signal.aborted) return null;
  requireAnswers([...answers.values()].map(({ hits, problems }) => ({ hits: hits.length, problems })));
  const bm25 = await measureBm25(run, notebooks);
  return bm25 === null ? null : { ...toResult(run, answers), ...(bm25 !== undefined && { baselines: { bm25 } }) };
}

/**
 * The figures of the BM25 baseline on the same queries and cells; undefined if BM25 is the target. Null if interrupted.
 */
async function measureBm25(run: CelrecRun, notebooks: readonly NamedNotebook[]) {
  const { plan, k, signal, protocol } = run;
  const bm25 = createBaseline("bm25");
  if (run.target.name === bm25.name) return undefined;
  await bm25.add(notebooks);
  const judge = createJudge(plan.seeds, scaleOf(protocol));
  const outcomes = new Map<string, QueryOutcome>();
  const seeds = new Map(plan.seeds.map((seed) => [seed.seed.id, seed]));
  const questions = plan.seeds.flatMap(({ queries }) =>
    queries.map((query) => ({ key: query, query: { code: query.code, k } })),
  );
  await askAll<PlannedQuery>(bm25, questions, { jobs: 1, signal }, ({ key, answer }) => {
    const hits = shownHits(judge(key.seed, answer.hits), answer, k).map(({ code: _, ...hit }) => hit);
    outcomes.set(key.id, toOutcome(seeds.get(key.seed)!, key, { query: key.id, hits, took: {}, problems: {} }));
    run.onProgress("queries of bm25", outcomes.size, questions.length);
  });
  if (signal.aborted) return null;
  const { mps1: metrics, ci95 } = score(run, [...outcomes.values()]);
  return { metrics, ci95 };
}

/** The judged hits with their code, each cell once, at most k. */
function shownHits(judged: readonly JudgedHit[], { hits }: TargetAnswer, k: number) {
  return deduplicate(judged.map((hit, at) => ({ ...hit, code: hits[at]!.code }))).slice(0, k);
}

async function answerAll(run: CelrecRun): Promise<Map<string, CelrecAnswer>> {
  const { plan, target, journal, k, jobs, signal } = run;
  const judge = createJudge(plan.seeds, scaleOf(run.protocol));
  const needsVectors = run.metrics.some(({ metric }) => metric.name === "diversity");
  const cosinesOf = createCosines(run.embedder);
  const answers = new Map(journal.entries.map((answer) => [answer.query, answer]));
  const queries = plan.seeds.flatMap((seed) => seed.queries);
  const open = queries.filter(({ id }) => !answers.has(id));
  const questions = open.map((query) => ({ key: query, query: { code: query.code, k } }));
  await askAll<PlannedQuery>(target, questions, { jobs, signal }, async ({ key, answer, problems }) => {
    const shown = shownHits(judge(key.seed, answer.hits), answer, k);
    // Our confidences are calibrated on half-typed cells, not on mutants.
    const hits = shown.map(({ code: _, ...hit }) => (target.name === OWN_TARGET ? { ...hit, confidence: null } : hit));
    const cosines = needsVectors ? await cosinesOf(shown.map(({ code }) => code)) : undefined;
    const entry = { query: key.id, hits, cosines, took: answer.took, problems };
    journal.add(entry);
    answers.set(key.id, entry);
    run.onProgress("queries", answers.size, queries.length);
  });
  return answers;
}

function toResult(run: CelrecRun, answers: ReadonlyMap<string, CelrecAnswer>): CelrecResult {
  const { plan, distractors, k } = run;
  const outcomes = plan.seeds.flatMap((seed) =>
    seed.queries.map((query) => toOutcome(seed, query, answers.get(query.id)!)),
  );
  const truths = plan.seeds.map(({ truth }) => truth);
  const target = [...answers.values()].reduce((sum, { problems }) => addProblems(sum, problems), noProblems());
  return {
    suite: "celrec",
    k,
    config: run.config,
    counts: {
      seeds: plan.seeds.length,
      queries: outcomes.length,
      recommendationCells: countMutants(plan),
      distractors: distractors.cells,
    },
    protocol: run.protocol,
    ...score(run, outcomes),
    problems: {
      target,
      unchanged: countNames(plan.seeds.flatMap(({ unchanged }) => unchanged)),
      failed: countNames(plan.seeds.flatMap(({ failed }) => failed)),
      droppedDistractors: distractors.dropped,
      seeds: run.seedProblems.map(({ id, reason }) => ({ seed: id, reason })),
    },
    published: isPaperProtocol(run.protocol) && distractors.cells === 0 ? PUBLISHED : [],
    manifest: {
      ...run.manifest,
      seeds: truths.map(({ seed, hash, lines, mutants: steps, hardNegatives }) => ({
        seed,
        hash,
        lines,
        mutants: [...steps],
        ...(hardNegatives && { hardNegatives: [...hardNegatives] }),
      })),
    },
  };
}

function score({ metrics, plan, distractors, protocol }: CelrecRun, outcomes: readonly QueryOutcome[]) {
  const indexSize = countMutants(plan) + distractors.cells;
  return scoreRun({
    metrics,
    seeds: plan.seeds.map(({ truth }) => truth),
    outcomes,
    indexSize,
    scale: scaleOf(protocol),
  });
}

function countNames(names: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}

/** Counts distinct cells, because seeds can share a mutant. */
const countMutants = ({ seeds }: Plan): number => new Set(seeds.flatMap(({ codes }) => [...codes.keys()])).size;

function toOutcome({ label }: PlannedSeed, query: PlannedQuery, answer: CelrecAnswer): QueryOutcome {
  return {
    id: query.id,
    seed: query.seed,
    lines: query.lines,
    label,
    group: strip(query.code).text,
    results: answer.hits,
    cosines: answer.cosines,
    took: answer.took,
  };
}

/** Cosines between the cells of one list, by this project's own embedder; every text is embedded once. */
function createCosines(embedder: Embedder): (codes: readonly string[]) => Promise<number[]> {
  const vectors = new Map<string, Float32Array | null>();
  return async (codes) => {
    const texts = codes.map((code) => strip(code).text);
    const unknown = [...new Set(texts.filter((text) => !vectors.has(text)))];
    const embedded = await embedder.embed(unknown, "cell");
    for (const [at, text] of unknown.entries()) vectors.set(text, embedded[at] ?? null);
    return pairCosines(texts.map((text) => vectors.get(text)!));
  };
}
