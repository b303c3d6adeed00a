import { isRelevant } from "../../metrics/relevance.js";
import { codeBlock } from "../../reports/html/code.js";
import { hit, none, sideBySide } from "../../reports/html/side-by-side.js";
import { showCount, showNumber } from "../../reports/html/text.js";
import type { ReportTexts } from "../../reports/report.js";
import type { CelrecResult, QueryResult } from "./document.js";
import { decisiveMetric, type MeasuredQuery, queryMetrics } from "./measure-queries.js";
import { relevantCells } from "./truth.js";

const MOST_SEEDS = 12;
const OPEN_SEEDS = 3;

interface WorstSeed {
  readonly seed: string;
  readonly mean: number;
  readonly queries: number;
  readonly worst: MeasuredQuery;
}

/** The seeds that score lowest, each with its worst query: what was asked, what was wanted and what came back. */
export function worstSeeds(document: CelrecResult, measured: readonly MeasuredQuery[], texts: ReportTexts): string {
  const metrics = queryMetrics(document);
  const metric = decisiveMetric(metrics);
  if (metric === undefined) return "";
  const at = metrics.indexOf(metric);
  const truths = new Map(document.manifest.seeds.map((truth) => [truth.seed, truth]));
  return findWorst(measured, at)
    .map((one, rank) => {
      const { query, values } = one.worst;
      const { mutants = [], hardNegatives = [] } = truths.get(one.seed) ?? {};
      const expected = relevantCells(mutants).map((cell, index) =>
        hit(cell.rating, `mutant ${cell.mutant}, ${cell.operator}`, texts.cell(cell.id), index > 0),
      );
      const returned = query.results.map((result) => {
        const trap = hardNegatives.find(({ id }) => id === result.id)?.operator;
        return hit(result.rating, describe(result, trap), texts.cell(result.id));
      });
      const sides = [
        [
          `Query, first ${showCount(query.lines, "line")}: ${metric.name} ${showNumber(values[at])}`,
          codeBlock(texts.query(query.id)),
        ],
        ["Expected", expected.join("") || none("This seed has no mutants.")],
        ["Returned", returned.join("") || none("Nothing came back.")],
      ] as const;
      const about = `${metric.name} ${showNumber(one.mean)} over ${showCount(one.queries, "query", "queries")}`;
      return sideBySide(one.seed, about, sides, rank < OPEN_SEEDS);
    })
    .join("");
}

/** The lowest means first; of a seed's queries the lowest, and of equals the one that shows most lines. */
function findWorst(measured: readonly MeasuredQuery[], at: number): WorstSeed[] {
  const seeds = new Map<string, { sum: number; queries: number; worst: MeasuredQuery }>();
  for (const one of measured) {
    const value = one.values[at]!;
    const known = seeds.get(one.query.seed);
    if (known === undefined) {
      seeds.set(one.query.seed, { sum: value, queries: 1, worst: one });
      continue;
    }
    known.sum += value;
    known.queries += 1;
    const best = known.worst.values[at]!;
    if (value < best || (value === best && one.query.lines > known.worst.query.lines)) known.worst = one;
  }
  return [...seeds]
    .map(([seed, { sum, queries, worst }]) => ({ seed, mean: sum / queries, queries, worst }))
    .sort((a, b) => a.mean - b.mean || (a.seed < b.seed ? -1 : 1))
    .slice(0, MOST_SEEDS);
}

function describe({ seed, mutant, score, rating }: QueryResult, trap: string | undefined): string {
  const other = seed === null ? "unrelated cell" : `mutant ${mutant} of ${seed}`;
  const origin = isRelevant(rating) ? `mutant ${mutant}` : trap === undefined ? other : `hard negative, ${trap}`;
  return score === null ? origin : `${origin}, score ${score.toFixed(3)}`;
}
