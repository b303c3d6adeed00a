import { LIMITS } from "../../ask/limits.js";
import { fields, integer, list, nameText } from "../../ask/parse-input.js";
import { askRequest } from "../../ask/requests.js";
import type { RecommendAnswer, Recommendation } from "../../recommend/recommendation.js";
import { resolveNotebook } from "../addresses.js";
import { describeEmpty } from "../backend.js";
import { type CellToShow, countCells, linesField, renderCells } from "../show-cells.js";
import { defineTool } from "../tool.js";

const { code, label, mode, minConfidence, context, sources, suffix } = askRequest.options[0].shape;
export const DEFAULT_K = 5;

export const recommendCells = defineTool({
  name: "recommend_cells",
  description:
    "Cells of the user's notebooks that continue or follow the code so far, in its names. Call it once before you write a cell; open_cells shows more.",
  scope: "read",
  input: fields({
    code: code.describe("The cell so far; empty for the next cell."),
    suffix: suffix.describe(""),
    before: context.unwrap().shape.before.describe("Code cells above."),
    mode: mode.describe(""),
    k: integer(1, LIMITS.k).default(DEFAULT_K).describe(""),
    label: label.describe("A task of index_status."),
    sources: sources.describe("Of index_status."),
    minConfidence: minConfidence.describe(""),
    exclude: list(nameText(64), LIMITS.excluded, "ids").optional().describe("Notebook ids."),
    lines: linesField,
  }),
  async answer({ lines, before = [], exclude, ...request }, { backend, signal }) {
    const notebooks = await Promise.all((exclude ?? []).map((id) => resolveNotebook(backend, id)));
    const answer = await backend.recommend({ ...request, context: { before }, exclude: { notebooks } }, signal);
    if (answer.recommendations.length > 0)
      return renderCells(describe(answer), answer.recommendations.map(toShow), lines);
    return (await describeEmpty(backend)) ?? describe(answer);
  },
});

function toShow({ rank, adapted, excerpt, labels, confidence, occurrences, notebook }: Recommendation): CellToShow {
  const shown = new Set(excerpt.map(({ line }) => line));
  return {
    rank,
    code: adapted.code,
    weights: adapted.code.split("\n").map((_, line) => Number(shown.has(line))),
    renamed: adapted.renamed,
    labels,
    confidence,
    occurrences,
    notebook,
  };
}

function describe({ mode: found, query, recommendations, highestConfidence, widened }: RecommendAnswer): string {
  const tasks = query.labels.map(({ label: name }) => name).join(", ") || "no known task";
  if (recommendations.length === 0) {
    const best =
      highestConfidence === null
        ? ""
        : ` The best has confidence ${highestConfidence.toFixed(2)}; minConfidence 0 shows it.`;
    return `No good match in the index (mode ${found}; ${tasks}).${best} Write the cell without one.`;
  }
  return `${countCells(recommendations.length)} (mode ${found}; the query does: ${tasks}${widened ? "; too few with these labels, so others are included" : ""}).`;
}
