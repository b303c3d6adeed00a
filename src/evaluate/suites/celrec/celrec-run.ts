import type { Embedder } from "../../../embed/embedder.js";
import { strip } from "../../../python/strip.js";
import { pairCosines } from "../../metrics/diversity.js";
import type { AskedMetric } from "../../metrics/index.js";
import type { CorpusMetric, ListMetric } from "../../metrics/metric.js";
import type { TargetProblems } from "../../result-document.js";
import { askAll, uploadAll } from "../../runner/ask-target.js";
import { addProblems, noProblems, requireAnswers } from "../../runner/target-problems.js";
import type { AskingBench } from "../../suite.js";
import type { CelrecResult, JudgedHit, QueryOutcome } from "./celrec-result.js";
import { scoreRun } from "./celrec-score.js";
import { createJudge, deduplicate } from "./judge.js";
import { type Distractors, type Plan, type PlannedQuery, type PlannedSeed, toNotebooks } from "./plan.js";
import type { SeedProblem } from "./seeds.js";

/** The journal's entry for an answered query. */
export interface CelrecAnswer {
  readonly query: string;
  readonly hits: readonly JudgedHit[];
  readonly cosines?: readonly number[] | undefined;
  readonly took: Readonly<Record<string, number>>;
  readonly problems: Partial<TargetProblems>;
}

export interface CelrecRun extends AskingBench<CelrecAnswer> {
  readonly plan: Plan;
  readonly distractors: Distractors;
  readonly seedProblems: readonly SeedProblem[];
  readonly metrics: readonly AskedMetric<ListMetric | CorpusMetric>[];
  readonly config: CelrecResult["config"];
}

/** Figures of the paper; its nDCG is only possible with the formula named here. */
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
  return toResult(run, answers);
}

async function answerAll(run: CelrecRun): Promise<Map<string, CelrecAnswer>> {
  const { plan, target, journal, k, jobs, signal } = run;
  const judge = createJudge(plan.seeds);
  const needsVectors = run.metrics.some(({ metric }) => metric.name === "diversity");
  const cosinesOf = createCosines(run.embedder);
  const answers = new Map(journal.entries.map((answer) => [answer.query, answer]));
  const queries = plan.seeds.flatMap((seed) => seed.queries);
  const open = queries.filter(({ id }) => !answers.has(id));
  const questions = open.map((query) => ({ key: query, query: { code: query.code, k } }));
  await askAll<PlannedQuery>(target, questions, { jobs, signal }, async ({ key, answer, problems }) => {
    const judged = judge(key.seed, answer.hits).map((hit, at) => ({ ...hit, code: answer.hits[at]!.code }));
    const shown = deduplicate(judged).slice(0, k);
    const hits = shown.map(({ code: _, ...hit }) => hit);
    const cosines = needsVectors ? await cosinesOf(shown.map(({ code }) => code)) : undefined;
    const entry = { query: key.id, hits, cosines, took: answer.took, problems };
    journal.add(entry);
    answers.set(key.id, entry);
    run.onProgress("queries", answers.size, queries.length);
  });
  return answers;
}

function toResult(run: CelrecRun, answers: ReadonlyMap<string, CelrecAnswer>): CelrecResult {
  const { plan, distractors, metrics, k } = run;
  const outcomes = plan.seeds.flatMap((seed) =>
    seed.queries.map((query) => toOutcome(seed, query, answers.get(query.id)!)),
  );
  const mutants = new Set(plan.seeds.flatMap(({ codes }) => [...codes.keys()]));
  const truths = plan.seeds.map(({ truth }) => truth);
  const target = [...answers.values()].reduce((sum, { problems }) => addProblems(sum, problems), noProblems());
  return {
    suite: "celrec",
    k,
    config: run.config,
    counts: {
      seeds: plan.seeds.length,
      queries: outcomes.length,
      recommendationCells: mutants.size,
      distractors: distractors.cells,
    },
    ...scoreRun({ metrics, seeds: truths, outcomes, indexSize: mutants.size + distractors.cells }),
    problems: {
      target,
      unchanged: plan.unchanged,
      failed: plan.failed,
      droppedDistractors: distractors.dropped,
      seeds: run.seedProblems.map(({ id, reason }) => ({ seed: id, reason })),
    },
    published: PUBLISHED,
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
export function createCosines(embedder: Embedder): (codes: readonly string[]) => Promise<number[]> {
  const vectors = new Map<string, Float32Array | null>();
  return async (codes) => {
    const texts = codes.map((code) => strip(code).text);
    const unknown = [...new Set(texts.filter((text) => !vectors.has(text)))];
    const embedded = await embedder.embed(unknown, "cell");
    for (const [at, text] of unknown.entries()) vectors.set(text, embedded[at] ?? null);
    return pairCosines(texts.map((text) => vectors.get(text)!));
  };
}
