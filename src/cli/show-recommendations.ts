import { realpathSync } from "node:fs";
import { isAbsolute, relative } from "node:path";
import { FEATURES } from "../recommend/features/feature-table.js";
import type { RecommendAnswer, Recommendation } from "../recommend/recommendation.js";
import type { Output } from "./output.js";

/**
 * Prints an answer for people: an excerpt of each cell in the user's names, its origin, and with `why` the parts of its
 * score. `minConfidence` is that of the request.
 */
export function showRecommendations(
  output: Output,
  answer: RecommendAnswer,
  full: boolean,
  minConfidence: number,
): void {
  const { query, widened, recommendations, highestConfidence } = answer;
  const labels = query.labels.map(({ label, probability }) => `${label} ${probability.toFixed(2)}`).join(", ");
  output.line(
    output.dim(
      `query: ${labels || "no label"}${widened ? "; too few cells with these labels, so others are included" : ""}`,
    ),
  );
  if (recommendations.length === 0) output.line(describeEmpty(highestConfidence, minConfidence));
  for (const hit of recommendations) showHit(output, hit, full);
  const isOrdered = recommendations.every(({ score }, at) => at === 0 || score <= recommendations[at - 1]!.score);
  if (!isOrdered && !widened) {
    output.line();
    output.line(
      output.dim(
        "Hits that differ from those above them are ranked higher than by score alone (--diversity 0 turns this off).",
      ),
    );
  }
}

function describeEmpty(highest: number | null, minConfidence: number): string {
  if (highest === null) return "Nothing found. `celrec stats` shows what is in the index.";
  if (highest >= minConfidence) return "The matching cells add nothing to your code.";
  return `No good match (best: ${Math.round(100 * highest)} %); --min-confidence 0 shows it.`;
}

function showHit(output: Output, hit: Recommendation, full: boolean): void {
  const { rank, score, confidence, notebook, labels, occurrences, why } = hit;
  const times = occurrences === 1 ? "" : `, ${occurrences} times`;
  const sure = confidence === null ? "" : `, ${Math.round(100 * confidence)} % likely to help`;
  output.line();
  output.line(
    `${output.bold(`${rank}. ${notebook.name} [${notebook.cellIndex}]`)}  ${output.dim(`${score.toFixed(3)} ${labels.join(", ")}${times}${sure}`)}`,
  );
  if (notebook.location !== undefined) output.line(output.dim(`   ${shortenPath(notebook.location)}`));
  for (const line of renderCell(output, hit, full)) output.line(`   ${line}`);
  const renamed = Object.entries(hit.adapted.renamed).map(([from, to]) => `${from} -> ${to}`);
  if (renamed.length > 0) output.line(output.dim(`   in your names: ${renamed.join(", ")}`));
  for (const line of explain(why ?? {})) output.line(output.dim(`   ${line}`));
}

/** The contribution of each feature to the score, largest first; the shares add up to 100 %. */
function explain(why: Readonly<Record<string, number>>): string[] {
  const parts = Object.entries(why).sort(([, a], [, b]) => Math.abs(b) - Math.abs(a));
  return parts.map(([name, share]) => {
    const about = FEATURES.find((feature) => feature.name === name)?.about ?? name;
    return `${share >= 0 ? "+" : "-"}${(100 * Math.abs(share)).toFixed(1).padStart(4)} %  ${name}: ${about}`;
  });
}

/** An excerpt of a long cell with line numbers; lines that are already typed are dimmed. */
function renderCell({ dim }: Output, { adapted, matched, excerpt }: Recommendation, full: boolean): string[] {
  const all = adapted.code.split("\n").map((text, line) => ({ text, line }));
  const shown = full ? all : excerpt.map(({ line }) => all[line]!);
  const isTyped = (line: number) => matched.some(({ start, end }) => line >= start && line < end);
  const isCut = shown.length < all.length;
  const width = String(all.length).length;
  const lines = shown.map(({ text, line }) => {
    const numbered = isCut ? `${String(line + 1).padStart(width)}  ${text}` : text;
    return isTyped(line) ? dim(numbered) : numbered;
  });
  return isCut ? [...lines, dim(`(${shown.length} of ${all.length} lines; --full shows all)`)] : lines;
}

/** Relative to the current folder if it is inside; otherwise unchanged, as are URLs. */
function shortenPath(location: string): string {
  const path = relative(realpathSync("."), location);
  return isAbsolute(location) && !path.startsWith("..") && !isAbsolute(path) ? path : location;
}
