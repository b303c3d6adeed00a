import { type PreparedText, prepareText } from "../text/prepare.js";
import { type CaseScores, type PredictionMetric, scorePrediction } from "./score.js";

/** Scores lists of codes against a real cell; popular cells come back again and again, and each is read once. */
export function createScorer(
  metrics: readonly PredictionMetric[],
): (codes: readonly string[], reference: string) => CaseScores {
  const prepared = new Map<string, PreparedText>();
  const prepare = (code: string) => {
    const known = prepared.get(code) ?? prepareText(code);
    prepared.set(code, known);
    return known;
  };
  return (codes, reference) => {
    const wanted = prepare(reference);
    return scorePrediction(metrics, codes.map(prepare), { rest: wanted, reference: wanted });
  };
}
