import { LIMITS } from "../../ask/limits.js";
import { fields, integer } from "../../ask/parse-input.js";
import { searchRequest } from "../../ask/requests.js";
import { describeEmpty } from "../backend.js";
import { countCells, linesField, renderCells } from "../show-cells.js";
import { defineTool } from "../tool.js";
import { DEFAULT_K } from "./recommend-cells.js";

const { text: words, label, sources } = searchRequest.shape;

export const searchCells = defineTool({
  name: "search_cells",
  description: "Cells of the user's notebooks by words or function names. Search once, then open_cells.",
  scope: "read",
  input: fields({
    text: words.describe(""),
    k: integer(1, LIMITS.k).default(DEFAULT_K).describe(""),
    label: label.describe(""),
    sources: sources.describe(""),
    lines: linesField.describe(""),
  }),
  async answer({ lines, ...request }, { backend, signal }) {
    const { cells } = await backend.search(request, signal);
    if (cells.length === 0)
      return (
        (await describeEmpty(backend)) ??
        "No indexed cell has these words. Try one other word or a function's name, or write it yourself."
      );
    const hits = cells.map(({ score: _, ...cell }) => ({ ...cell, weights: countWords(cell.code, request.text) }));
    return renderCells(`${countCells(cells.length)}, best first.`, hits, lines);
  },
});

/** For each line, how many of the words it contains; a word counts only where it first appears. */
function countWords(code: string, text: string): number[] {
  const missing = new Set(text.toLowerCase().match(/\w{2,}/g) ?? []);
  return code
    .toLowerCase()
    .split("\n")
    .map((line) => {
      const found = [...missing].filter((word) => line.includes(word));
      for (const word of found) missing.delete(word);
      return found.length;
    });
}
