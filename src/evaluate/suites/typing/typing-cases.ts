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

/** The typed share of a cell: a third and a half, in turn. */
const FRACTIONS = [3, 2] as const;

/**
 * Makes cases from cells with at least three lines of code and a call in the untyped rest; at most two per notebook, at
 * one and two thirds of its length. A third and a half of the cell is typed, in turn.
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

/** Whether a cell is suitable: at least three lines of code, and a call in the untyped rest. */
export function isSuitable({ type, source }: Pick<NotebookCell, "type" | "source">): boolean {
  return type === "code" && filledLines(strip(source).text).length >= MIN_LINES && hasCall(splitTyped(source, 2).rest);
}

/** Splits a cell into the typed part and the rest. Blank lines are dropped, as in the queries of the suite `celrec`. */
export function splitTyped(source: string, divisor: number): { prefix: string; rest: string } {
  const lines = filledLines(normalizeSource(source));
  const typed = Math.max(1, Math.floor(lines.length / divisor));
  return { prefix: lines.slice(0, typed).join("\n"), rest: lines.slice(typed).join("\n") };
}

export function hasCall(code: string): boolean {
  const tokens = tokenize(code);
  return tokens.some((_, at) => isCalled(tokens, at));
}

/** A half-typed real cell: the typed part, the rest, and the cells above. */
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
