import type { ListedCell } from "../../../recommend/fit/collect-list.js";
import {
  chooseHits,
  type ScoredList,
  type TrainingComparison,
  type TrainingJudge,
} from "../../../recommend/fit/train-ranking.js";
import type { Boost } from "../../../recommend/trees.js";
import { callF1, callRecall } from "../../metrics/calls.js";
import { chrf } from "../../metrics/chrf.js";
import { bootstrapIntervals, clusterValues, meansOf } from "../../statistics/bootstrap.js";
import { prepareText } from "../../text/prepare.js";
import type { TypingInput } from "./typing-cases.js";
import { USEFUL } from "./typing-score.js";

/** A half-typed cell with the metrics of each candidate. */
export interface TypingList extends ScoredList {
  readonly chrf: Float64Array;
  readonly insertChrf: Float64Array;
  /** Null if the rest has no calls. */
  readonly callF1: Float64Array | null;
}

/** Weights in the gain of a candidate: text, insertion, call recall, call F1. */
const GAIN_WEIGHTS = { text: 3, insert: 1, recall: 1.1, f1: 0.4 } as const;
const TOTAL_WEIGHT = GAIN_WEIGHTS.text + GAIN_WEIGHTS.insert + GAIN_WEIGHTS.recall + GAIN_WEIGHTS.f1;

/** The metrics that new weights must improve. */
const METRICS = ["chrf", "call-f1", "insert-chrf"] as const;
const K = 3;

/** Compares rankings for `celrec train` by the metrics of the typing suite. */
export const typingJudge: TrainingJudge<TypingInput, TypingList> = { score: scoreCandidates, compare: compareWeights };

/** Scores the candidates of a case against the rest of the cell. */
function scoreCandidates({ notebook, rest, reference }: TypingInput, cells: readonly ListedCell[]): TypingList {
  const target = { rest: prepareText(rest), reference: prepareText(reference) };
  const codes = cells.map(({ code }) => prepareText(code));
  const texts = Float64Array.from(codes, (code) => chrf.of(code, target)!);
  const inserts = Float64Array.from(cells, ({ insert }) => chrf.of(prepareText(insert), target)!);
  const hasCalls = target.rest.calls.size > 0;
  const f1 = hasCalls ? Float64Array.from(codes, (code) => callF1.of(code, target)!) : null;
  const worth = Float64Array.from(codes, (code, at) => {
    const calls = f1 === null ? 0 : GAIN_WEIGHTS.recall * callRecall.of(code, target)! + GAIN_WEIGHTS.f1 * f1[at]!;
    return (GAIN_WEIGHTS.text * texts[at]! + GAIN_WEIGHTS.insert * inserts[at]! + calls) / TOTAL_WEIGHT;
  });
  const rows = cells.map(({ row }) => row);
  const useful = f1 && Array.from(f1, (value) => value >= USEFUL);
  return { notebook, cells, rows, worth, useful, chrf: texts, insertChrf: inserts, callF1: f1 };
}

/** Compares two rankings of the same lists, case by case. The scores of the trees in `boost` are added to both. */
function compareWeights(
  lists: readonly TypingList[],
  before: Float64Array,
  after: (list: TypingList) => Float64Array,
  boost: Boost | null,
): TrainingComparison {
  const rows = lists.map((list) => {
    const [old, own] = [scoreList(list, before, boost), scoreList(list, after(list), boost)];
    return { id: list.notebook, old, own, values: own.map((value, at) => (value === null ? null : value - old[at]!)) };
  });
  const intervals = bootstrapIntervals(clusterValues(rows));
  const [olds, owns] = [["old", "own"] as const].flatMap((sides) =>
    sides.map((side) =>
      meansOf(
        METRICS,
        rows.map((row) => ({ values: row[side] })),
      ),
    ),
  );
  const metrics = Object.fromEntries(
    METRICS.map((name, at) => [
      name,
      { before: olds![name] ?? null, after: owns![name] ?? null, difference: intervals[at] ?? null },
    ]),
  );
  const found = intervals.flatMap((interval) => (interval === null ? [] : [interval]));
  const wins = found.some(([low]) => low > 0) && found.every(([, high]) => high >= 0);
  return { metrics, wins };
}

function scoreList(list: TypingList, weights: Float64Array, boost: Boost | null): (number | null)[] {
  const hits = chooseHits(list, weights, boost, K);
  const best = (values: Float64Array) => Math.max(0, ...hits.map((at) => values[at]!));
  return [best(list.chrf), list.callF1 === null ? null : best(list.callF1), best(list.insertChrf)];
}
