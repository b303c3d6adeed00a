import { z } from "zod";
import { fields } from "../../ask/fields.js";
import { searchRequest } from "../../ask/requests.js";
import { countCells, fitCells, renderCells, shownCell, tokensField } from "../show-cells.js";
import { defineTool } from "../tool.js";

export const searchCells = defineTool({
  name: "search_cells",
  title: "Search notebook cells",
  description:
    "Finds cells of the user's indexed notebooks by plain words or names of functions, such as `read csv with chunks` or `StratifiedKFold`. Use it where there is no code yet.",
  scope: "read",
  input: fields({ ...searchRequest.shape, tokens: tokensField }),
  output: z.strictObject({
    cells: z.array(shownCell),
    leftOut: z.int().min(0).describe("Cells that did not fit into `tokens`."),
  }),
  async answer({ tokens, ...request }, { backend, signal }) {
    const { cells } = await backend.search(request, signal);
    const shown = fitCells(
      cells.map(({ score: _, ...cell }) => ({ ...cell, excerpt: findWords(cell.code, request.text) })),
      tokens,
    );
    const heading =
      cells.length === 0 ? "No cell of the index has these words." : `${countCells(cells.length)}, best first.`;
    return { structured: shown, text: renderCells(heading, shown) };
  },
});

const LEAD = 2;

/** The lines to show of a long cell: those around the one with most of the words. */
function findWords(code: string, text: string): { from: number; count: number } {
  const words = [...new Set(text.toLowerCase().match(/\w{2,}/g) ?? [])];
  const counts = code
    .toLowerCase()
    .split("\n")
    .map((line) => words.filter((word) => line.includes(word)).length);
  const best = counts.indexOf(Math.max(...counts));
  const from = Math.max(0, best - LEAD);
  return { from, count: counts.length - from };
}
