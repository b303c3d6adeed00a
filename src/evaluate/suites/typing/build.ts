import { normalizeSource } from "../../../cells/extract.js";
import { strip } from "../../../clean/strip.js";
import type { NamedNotebook } from "../../../ingest/ingest.js";
import type { NotebookCell } from "../../../notebook/notebook.js";
import { isCalled } from "../../../python/calls.js";
import { filledLines } from "../../../python/lines.js";
import { tokenize } from "../../../python/tokenize.js";
import type { TypingInput } from "./cases.js";

const LEAST_LINES = 3;
const MOST_CASES = 2;
const MOST_CONTEXT = 5;

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
    return spread(suitable).flatMap((cell): TypingInput[] => {
      const divisor = FRACTIONS[turn % FRACTIONS.length]!;
      const { prefix, rest } = split(cell.source, divisor);
      if (!holdsCall(rest)) return [];
      turn += 1;
      return [
        {
          id: `${name}#${cell.index}`,
          notebook: name,
          cell_index: cell.index,
          fraction: 1 / divisor,
          prefix,
          rest,
          reference: normalizeSource(cell.source),
          ...contextOf(notebook.cells, cell.index),
        },
      ];
    });
  });
}

function isSuitable({ type, source }: NotebookCell): boolean {
  return type === "code" && filledLines(strip(source).text).length >= LEAST_LINES && holdsCall(split(source, 2).rest);
}

function spread(cells: readonly NotebookCell[]): NotebookCell[] {
  if (cells.length <= MOST_CASES) return [...cells];
  return [cells[Math.floor(cells.length / 3)]!, cells[Math.floor((2 * cells.length) / 3)]!];
}

/** Blank lines do not count, and are dropped, as in the queries of the mutants. */
function split(source: string, divisor: number): { prefix: string; rest: string } {
  const lines = filledLines(normalizeSource(source));
  const typed = Math.max(1, Math.floor(lines.length / divisor));
  return { prefix: lines.slice(0, typed).join("\n"), rest: lines.slice(typed).join("\n") };
}

function holdsCall(code: string): boolean {
  const tokens = tokenize(code);
  return tokens.some((_, at) => isCalled(tokens, at));
}

/** Up to five code cells before, nearest last, and the Markdown between the last of them and the cell. */
function contextOf(cells: readonly NotebookCell[], index: number): Pick<TypingInput, "preceding" | "markdown"> {
  const before = cells.slice(0, index);
  const lastCode = before.findLastIndex(({ type }) => type === "code");
  const markdown = before.slice(lastCode + 1).filter(({ type }) => type === "markdown");
  const preceding = before.filter(({ type, source }) => type === "code" && source.trim() !== "").slice(-MOST_CONTEXT);
  return {
    preceding: preceding.map(({ source }) => normalizeSource(source)),
    markdown: markdown.map(({ source }) => source).join("\n\n"),
  };
}
