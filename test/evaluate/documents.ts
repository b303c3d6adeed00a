import { allMetrics, DEFAULT_RANKING_METRICS } from "../../src/evaluate/metrics/index.js";
import type { CelrecResult, QueryOutcome } from "../../src/evaluate/suites/celrec/celrec-result.js";
import { scoreRun } from "../../src/evaluate/suites/celrec/celrec-score.js";
import type { TypingCase, TypingResult } from "../../src/evaluate/suites/typing/typing-result.js";
import { confidenceFigures, typingFigures } from "../../src/evaluate/suites/typing/typing-score.js";
import { OUTCOMES, SEEDS } from "./suites/celrec/sample.js";

const NO_PROBLEMS = { timeouts: 0, errors5xx: 0, errorsOther: 0, short: 1, duplicates: 0, junk: 0 };

/** The result of the two sample seeds. */
export function celrecDocument(outcomes: readonly QueryOutcome[] = OUTCOMES): CelrecResult {
  return {
    suite: "celrec",
    k: 3,
    config: { target: null, mutators: ["rename-variables", "insert-comments", "reverse-lines"], filter: "soft" },
    counts: { seeds: 2, queries: 5, recommendationCells: 6, distractors: 4 },
    ...scoreRun({ metrics: allMetrics(DEFAULT_RANKING_METRICS, 3), seeds: SEEDS, outcomes, indexSize: 10 }),
    problems: {
      target: NO_PROBLEMS,
      unchanged: { "insert-comments": 1 },
      failed: {},
      droppedDistractors: 2,
      seeds: [{ seed: "empty.py", reason: "nothing is left after cleaning" }],
    },
    manifest: {
      versions: { celrec: "0.1.0", node: "20.0.0" },
      settings: { embedder: "lexical-1", store: "embedded" },
      inputs: { seeds: "c".repeat(64) },
      seeds: structuredClone(SEEDS) as CelrecResult["manifest"]["seeds"],
    },
  };
}

const CASES: readonly TypingCase[] = [
  {
    id: "n1:3",
    notebook: "n1",
    copy: false,
    chrf: 0.5,
    callRecall: 1,
    callF1: 0.8,
    length: 100,
    chrfAdapted: 0.6,
    insertChrf: 0.55,
    firstLine: 1,
    undefinedNames: 0.5,
    results: ["c1", "c2"],
    confidences: [0.45, 0.05],
    useful: [true, false],
  },
  {
    id: "n1:9",
    notebook: "n1",
    copy: false,
    chrf: 0.1,
    callRecall: null,
    callF1: null,
    length: 50,
    chrfAdapted: 0.1,
    insertChrf: 0.1,
    firstLine: 0,
    undefinedNames: 0,
    results: ["c3"],
    confidences: [0.3],
    useful: null,
  },
  {
    id: "n2:4",
    notebook: "n2",
    copy: true,
    chrf: 0.9,
    callRecall: 0.5,
    callF1: 0.4,
    length: 60,
    chrfAdapted: 0.9,
    insertChrf: 0.8,
    firstLine: 1,
    undefinedNames: null,
    results: ["c4"],
    confidences: [0.35],
    useful: [false],
  },
];

export function typingDocument(cases: readonly TypingCase[] = CASES): TypingResult {
  const { ci95, ...metrics } = typingFigures(cases, 3);
  const fresh = cases.filter(({ copy }) => !copy);
  const withoutCopies = typingFigures(fresh, 3);
  const confidence = confidenceFigures(cases);
  return {
    suite: "typing",
    k: 3,
    config: { cases: "cases.jsonl", mode: "complete" },
    counts: { cases: 3, notebooks: 2, copies: 1, withoutCalls: 1, indexedCells: 40 },
    metrics,
    ci95,
    withoutCopies,
    baselines: { random: { ...metrics, chrf: 0.15, ci95, withoutCopies }, bm25: { ...metrics, ci95, withoutCopies } },
    confidence: confidence && { ...confidence, withoutCopies: confidenceFigures(fresh) },
    latency: { total: { mean: 3, p50: 3, p95: 4.8, p99: 4.96, max: 5 } },
    problems: { target: NO_PROBLEMS },
    manifest: {
      versions: { celrec: "0.1.0", node: "20.0.0" },
      settings: { embedder: "lexical-1" },
      inputs: { cases: "d".repeat(64) },
    },
    cases: [...cases],
  };
}
