import { z } from "zod";
import { RecommenderError } from "../../../errors.js";
import { normalizeSource } from "../../../notebook/extract.js";
import { readJsonLines } from "../../../notebook/json-text.js";
import type { NamedNotebook, NotebookCell } from "../../../notebook/notebook.js";
import { isCalled } from "../../../python/name-roles.js";
import { filledLines, strip } from "../../../python/strip.js";
import { tokenize } from "../../../python/tokenize.js";
import { contextOf, spreadCells } from "../../notebook-context.js";
import { requireDistinctIds } from "../../runner/inputs.js";

const MIN_LINES = 3;

/** A third, then a half of the cell is typed, in turn. */
const FRACTIONS = [3, 2] as const;

/**
 * Cases from real notebooks: cells of at least three lines of code whose rest has a call, at most two per notebook (those at
 * one and two thirds of the way), typed to their first third and first half in turn.
 */
export function buildTyping(notebooks: readonly NamedNotebook[]): TypingInput[] {
  let turn = 0;
  return notebooks.flatMap(({ name, notebook }) => {
    const suitable = notebook.cells.filter(isSuitable);
    return spreadCells(suitable).flatMap((cell): TypingInput[] => {
      const divisor = FRACTIONS[turn % FRACTIONS.length]!;
      const { prefix, rest } = splitTyped(cell.source, divisor);
      if (!hasCall(rest)) return [];
      turn += 1;
      const { before, markdown } = contextOf(notebook.cells.slice(0, cell.index));
      return [
        {
          id: `${name}#${cell.index}`,
          notebook: name,
          cell_index: cell.index,
          fraction: 1 / divisor,
          prefix,
          rest,
          reference: normalizeSource(cell.source),
          preceding: before,
          markdown,
        },
      ];
    });
  });
}

/** Whether a cell can be a case: at least three lines of code, and a call in what is still to be typed. */
export function isSuitable({ type, source }: Pick<NotebookCell, "type" | "source">): boolean {
  return type === "code" && filledLines(strip(source).text).length >= MIN_LINES && hasCall(splitTyped(source, 2).rest);
}

/** Blank lines do not count, and are dropped, as in the queries of the mutants. */
export function splitTyped(source: string, divisor: number): { prefix: string; rest: string } {
  const lines = filledLines(normalizeSource(source));
  const typed = Math.max(1, Math.floor(lines.length / divisor));
  return { prefix: lines.slice(0, typed).join("\n"), rest: lines.slice(typed).join("\n") };
}

export function hasCall(code: string): boolean {
  const tokens = tokenize(code);
  return tokens.some((_, at) => isCalled(tokens, at));
}

/** A real cell, half typed: the typed part, the rest, and the cells above. */
const caseSchema = z.object({
  id: z.string().min(1),
  notebook: z.string(),
  cell_index: z.int().min(0),
  fraction: z.union([z.number(), z.string()]),
  prefix: z.string(),
  rest: z.string(),
  reference: z.string(),
  preceding: z.array(z.string()),
  markdown: z
    .string()
    .nullish()
    .transform((text) => text ?? ""),
});

export type TypingInput = z.output<typeof caseSchema>;

/** The cases of a JSON-lines file; INPUT_INVALID with the line for one that cannot be read. */
export function readTypingCases(path: string): TypingInput[] {
  const cases = readJsonLines(path, "cases", caseSchema).map(({ value }) => value);
  if (cases.length === 0)
    throw new RecommenderError("INPUT_INVALID", `${path} has no cases; build some with: celrec eval build typing`);
  requireDistinctIds(cases, path);
  return cases;
}
