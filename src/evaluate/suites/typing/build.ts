import type { NamedNotebook } from "../../../ingest/ingest.js";
import { normalizeSource } from "../../../notebook/extract.js";
import type { NotebookCell } from "../../../notebook/notebook.js";
import { isCalled } from "../../../python/name-roles.js";
import { filledLines, strip } from "../../../python/strip.js";
import { tokenize } from "../../../python/tokenize.js";
import { contextOf, spreadCells } from "../../notebook-context.js";
import type { TypingInput } from "./cases.js";

const LEAST_LINES = 3;

/** Parts of the cell that are typed so far, taken in turn. */
const FRACTIONS = [3, 2] as const;

/**
 * Cases from real notebooks: cells of at least three lines of code whose rest holds a call, at most two a notebook (those at
 * one and two thirds of the way), typed to their first third and first half in turn.
 */
export function buildTyping(notebooks: readonly NamedNotebook[]): TypingInput[] {
  let turn = 0;
  return notebooks.flatMap(({ name, notebook }) => {
    const suitable = notebook.cells.filter(isSuitable);
    return spreadCells(suitable).flatMap((cell): TypingInput[] => {
      const divisor = FRACTIONS[turn % FRACTIONS.length]!;
      const { prefix, rest } = splitTyped(cell.source, divisor);
      if (!holdsCall(rest)) return [];
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
  return (
    type === "code" && filledLines(strip(source).text).length >= LEAST_LINES && holdsCall(splitTyped(source, 2).rest)
  );
}

/** Blank lines do not count, and are dropped, as in the queries of the mutants. */
export function splitTyped(source: string, divisor: number): { prefix: string; rest: string } {
  const lines = filledLines(normalizeSource(source));
  const typed = Math.max(1, Math.floor(lines.length / divisor));
  return { prefix: lines.slice(0, typed).join("\n"), rest: lines.slice(typed).join("\n") };
}

export function holdsCall(code: string): boolean {
  const tokens = tokenize(code);
  return tokens.some((_, at) => isCalled(tokens, at));
}
