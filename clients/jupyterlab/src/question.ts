import { type CompletionQuestion, type Question, SOURCE } from "./answers.js";
import type { Variables } from "./kernel-expression.js";
import { CARD_CONFIDENCE } from "./offers.js";

/** Maximum characters of the context; the service reads about as much. */
const MAX_BEFORE = 64 * 1024;
const MAX_AFTER = 32 * 1024;
const MAX_MARKDOWN = 8 * 1024;
/** Number of completions: the first one, and those that Alt+] shows after it. */
const COMPLETIONS = 3;

/** The requests for the text at a cursor: one for cells, one for the completion. */
export interface Questions {
  readonly question: Question;
  readonly completion: CompletionQuestion;
}

/** A cell as it is sent to the service. */
export interface CellText {
  readonly type: string;
  readonly source: string;
}

/** The cells of a notebook; only those near the cursor are read. */
export interface CellTexts {
  readonly length: number;
  at(index: number): CellText;
}

export interface Limits {
  readonly k: number;
  readonly maxLines: number;
  readonly minConfidence: number;
}

/** Builds the requests for a cursor in a cell of a notebook. */
export function createQuestions(
  cells: CellTexts,
  { index, offset, path }: { index: number; offset: number; path: string },
  { k, maxLines, minConfidence }: Limits,
  variables: Variables,
): Questions | null {
  const { before, markdown } = readAbove(cells, index);
  const { source } = cells.at(index);
  const [prefix, suffix] = [source.slice(0, offset), source.slice(offset)];
  if (prefix.trim() === "" && before.length === 0 && markdown === "") return null;
  const heading = markdown === "" ? {} : { markdown };
  const types = Object.fromEntries(Object.entries(variables).map(([name, { type }]) => [name, type]));
  const hasVariables = Object.keys(types).length > 0;
  return {
    question: {
      code: prefix,
      suffix,
      k,
      context: { before, ...heading, ...(hasVariables && { variables: types }) },
      // A cell that the notebook already shows is not a recommendation.
      exclude: { notebooks: [{ source: SOURCE, path }] },
    },
    completion: {
      prefix,
      suffix,
      k: COMPLETIONS,
      maxLines,
      minConfidence,
      fallbackConfidence: CARD_CONFIDENCE,
      context: { before, after: readBelow(cells, index), ...heading, ...(hasVariables && { variables }) },
    },
  };
}

/** The code of the cells below, the nearest first. */
function readBelow(cells: CellTexts, index: number): string[] {
  const after: string[] = [];
  let size = 0;
  for (let at = index + 1; at < cells.length && size < MAX_AFTER; at += 1) {
    const { type, source } = cells.at(at);
    if (type !== "code") continue;
    size += source.length;
    if (source.trim() !== "") after.push(source);
  }
  return after;
}

/** The code of the cells above, the nearest last, and the nearest Markdown. */
function readAbove(cells: CellTexts, index: number): { before: string[]; markdown: string } {
  const before: string[] = [];
  let [markdown, size] = ["", 0];
  for (let at = index - 1; at >= 0 && size < MAX_BEFORE; at -= 1) {
    const { type, source } = cells.at(at);
    size += source.length;
    if (type === "code" && source.trim() !== "") before.unshift(source);
    if (type === "markdown" && markdown === "") markdown = source.slice(-MAX_MARKDOWN);
  }
  return { before, markdown };
}
