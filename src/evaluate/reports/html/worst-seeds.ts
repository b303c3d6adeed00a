import { isRelevant, relevantCells } from "../../relevance.js";
import type { CelrecResult, QueryResult } from "../../results/celrec.js";
import { decisiveMetric, type MeasuredQuery, queryMetrics } from "../measure-queries.js";
import type { ReportTexts } from "../report.js";
import { codeBlock } from "./code.js";
import { escapeHtml, showCount, showLabel, showNumber } from "./text.js";

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
  const traps = new Map(
    document.manifest.seeds.flatMap(({ seed, hardNegatives = [] }) =>
      hardNegatives.map(({ operator, id }) => [`${seed}\n${id}`, operator]),
    ),
  );
  const wanted = new Map(document.manifest.seeds.map(({ seed, mutants }) => [seed, relevantCells(mutants)]));
  return findWorst(measured, metrics.indexOf(metric))
    .map((one, at) => {
      const { query, values } = one.worst;
      const expected = (wanted.get(one.seed) ?? []).map((cell) =>
        hit(cell.rating, `mutant ${cell.mutant}, ${cell.operator}`, texts.cell(cell.id)),
      );
      const returned = query.results.map((result) =>
        hit(
          result.rating,
          describe(
            result,
            traps.get(`${one.seed}
${result.id}`),
          ),
          texts.cell(result.id),
        ),
      );
      const about = `${metric.name} ${showNumber(one.mean)} over ${showCount(one.queries, "query", "queries")}`;
      const asked = `Query: first ${showCount(query.lines, "line")}, ${showLabel(query.label)}, ${metric.name} ${showNumber(values[metrics.indexOf(metric)])}`;
      return `<details class="worst"${at < OPEN_SEEDS ? " open" : ""}><summary><h3>${escapeHtml(one.seed)}</h3><span>${about}</span></summary><div class="sides"><div><h4>${escapeHtml(asked)}</h4>${codeBlock(texts.query(query.id))}</div><div><h4>Expected</h4>${expected.join("") || none("This seed has no mutants.")}</div><div><h4>Returned</h4>${returned.join("") || none("Nothing came back.")}</div></div></details>`;
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

/** A cell with its rating; folded where it is only there to be looked up. */
export function hit(rating: number | null, about: string, code: string | undefined, folded = false): string {
  const badge = rating === null ? "" : `<span class="rating${isRelevant(rating) ? "" : " miss"}">${rating}</span>`;
  const name = `${badge}<span>${escapeHtml(about)}</span>`;
  if (folded) return `<details class="hit"><summary>${name}</summary>${codeBlock(code)}</details>`;
  return `<div class="hit"><p>${name}</p>${codeBlock(code)}</div>`;
}

function describe({ seed, mutant, score, rating }: QueryResult, trap: string | undefined): string {
  const other = seed === null ? "unrelated cell" : `mutant ${mutant} of ${seed}`;
  const origin = isRelevant(rating) ? `mutant ${mutant}` : trap === undefined ? other : `hard negative, ${trap}`;
  return score === null ? origin : `${origin}, score ${score.toFixed(3)}`;
}

const none = (text: string): string => `<pre class="absent">${text}</pre>`;
