import { classHighlighter, highlightTree } from "@lezer/highlight";
import { element } from "./dom.js";
import { pythonMode } from "./python-mode.js";

interface CodeLook {
  /** The class of a line: already typed, or new. */
  readonly lineClass?: (line: number) => string;
  /** The column at which new text starts, for lines with new text. */
  readonly newText?: ReadonlyMap<number, number>;
  /** Original names by the user's names that replaced them. */
  readonly renamed?: ReadonlyMap<string, string>;
  /** The lines to show, from 0; all by default. */
  readonly shown?: readonly number[];
}

interface Span {
  readonly from: number;
  readonly to: number;
  readonly classes: string;
}

/** Highlighted Python, a row per line. */
export function renderCode(code: string, look: CodeLook = {}) {
  const { lineClass = () => "", newText, renamed = new Map(), shown } = look;
  const pre = element("pre");
  const spans: Span[] = [];
  highlightTree(pythonMode.parser.parse(code), classHighlighter, (from, to, classes) =>
    spans.push({ from, to, classes }),
  );
  const wanted = shown === undefined ? null : new Set(shown);
  const lines = code.split("\n");
  const first = Math.max(
    0,
    lines.findIndex((line) => line.trim() !== ""),
  );
  let start = 0;
  // Blank lines at the top are left out.
  let last = first - 1;
  for (const [number, line] of lines.entries()) {
    const end = start + line.length;
    if (number >= first && (wanted === null || wanted.has(number))) {
      if (number > last + 1) pre.append(element("span", "gap", "⋯"));
      const column = newText?.get(number);
      const render = (from: number, to: number) => renderPart(code, from, to, spans, renamed);
      const row = element("span", lineClass(number));
      if (column === undefined) row.append(...render(start, end));
      else row.append(...render(start, start + column), element("ins", "", ...render(start + column, end)));
      pre.append(row);
      last = number;
    }
    start = end + 1;
  }
  return pre;
}

function renderPart(
  code: string,
  start: number,
  end: number,
  spans: readonly Span[],
  renamed: ReadonlyMap<string, string>,
): (Node | string)[] {
  const parts: (Node | string)[] = [];
  let at = start;
  for (const { from, to, classes } of spans.filter((span) => span.to > start && span.from < end)) {
    parts.push(code.slice(at, Math.max(at, from)));
    const text = code.slice(Math.max(from, start), Math.min(to, end));
    const before = classes.includes("tok-variableName") ? renamed.get(text) : undefined;
    parts.push(before === undefined ? element("span", classes, text) : mark(text, before));
    at = Math.min(to, end);
  }
  return [...parts, code.slice(at, end)];
}

function mark(text: string, before: string): HTMLElement {
  const made = element("mark", "", text);
  made.title = `${before} in the notebook`;
  return made;
}

/** The words of a search, in lower case. */
export const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]{2,}/gu) ?? [];

/** Marks the words in the rendered code. */
export function markMatches(root: HTMLElement, words: readonly string[]): HTMLElement {
  if (words.length === 0) return root;
  const word = `(?:${words.toSorted((one, other) => other.length - one.length).join("|")})`;
  // Words that a name joins, as in confusion_matrix, are one match.
  const pattern = new RegExp(`(${word}(?:_?${word})*)`, "iu");
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  const texts: Text[] = [];
  while (walker.nextNode()) texts.push(walker.currentNode as Text);
  for (const text of texts) {
    const parts = text.data.split(pattern);
    if (parts.length > 1)
      text.replaceWith(...parts.map((part, at) => (at % 2 === 1 ? element("mark", "match", part) : part)));
  }
  return root;
}
