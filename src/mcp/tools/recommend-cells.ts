import { z } from "zod";
import { fields, hexId, list } from "../../ask/fields.js";
import { LIMITS } from "../../ask/limits.js";
import { askRequest } from "../../ask/requests.js";
import { ANSWER_MODES, type RecommendAnswer, type Recommendation } from "../../recommend/recommendation.js";
import { type CellToShow, countCells, fitCells, renderCells, shownCell, tokensField } from "../show-cells.js";
import { defineTool } from "../tool.js";

const { code, k, label, mode, minConfidence, context, sources, minVotes } = askRequest.options[0].shape;

const exclude = list(hexId(), LIMITS.excluded, "ids").optional().describe("Ids of notebooks to leave out.");

export const recommendCells = defineTool({
  name: "recommend_cells",
  title: "Recommend notebook cells",
  description:
    "Finds cells of the user's indexed notebooks that continue or resemble the Python code of a cell, in the user's own names. Use it while writing a notebook cell, to reuse what was done before. An empty list means that there is no good match.",
  scope: "read",
  input: fields({ code, context, mode, k, label, sources, minVotes, minConfidence, exclude, tokens: tokensField }),
  output: z.strictObject({
    mode: z.enum(ANSWER_MODES),
    labels: z.array(z.string()).describe("The tasks that the query seems to do."),
    highestConfidence: z.number().nullable().describe("The highest confidence of all candidates."),
    cells: z.array(shownCell),
    leftOut: z.int().min(0).describe("Cells that did not fit into `tokens`."),
  }),
  async answer({ tokens, exclude: notebooks, ...request }, { backend, signal }) {
    const answer = await backend.recommend({ ...request, ...(notebooks && { exclude: { notebooks } }) }, signal);
    const shown = fitCells(answer.recommendations.map(toShow), tokens);
    const labels = answer.query.labels.map((each) => each.label);
    const { mode: found, highestConfidence } = answer;
    return {
      structured: { mode: found, labels, highestConfidence, ...shown },
      text: renderCells(describe(answer), shown),
    };
  },
});

function toShow({ rank, id, adapted, excerpt, labels, confidence, occurrences, notebook }: Recommendation): CellToShow {
  const from = excerpt[0]?.line ?? 0;
  return {
    rank,
    id,
    code: adapted.code,
    excerpt: { from, count: excerpt.length },
    renamed: adapted.renamed,
    labels,
    confidence,
    occurrences,
    notebook,
  };
}

function describe({ mode, query, recommendations, highestConfidence, widened }: RecommendAnswer): string {
  const tasks = query.labels.map(({ label: name }) => name).join(", ") || "no known task";
  if (recommendations.length === 0) {
    const best =
      highestConfidence === null
        ? ""
        : ` The best has confidence ${highestConfidence.toFixed(2)}; minConfidence 0 shows it.`;
    return `No good match in the index (mode ${mode}; ${tasks}).${best}`;
  }
  return `${countCells(recommendations.length)} (mode ${mode}; the query does: ${tasks}${widened ? "; too few with these labels, so others are included" : ""}).`;
}
