import { pythonLanguage } from "@codemirror/lang-python";
import { classHighlighter, highlightTree } from "@lezer/highlight";
import { element } from "./dom.js";

export interface CodeLook {
  /** The class of a line: already typed, or new. */
  readonly lineClass?: (line: number) => string;
  /** Names that were replaced by the user's own, with the originals. */
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
export function renderCode(code: string, { lineClass = () => "", renamed = new Map(), shown }: CodeLook = {}) {
  const pre = element("pre");
  pre.tabIndex = 0;
  const spans: Span[] = [];
  highlightTree(pythonLanguage.parser.parse(code), classHighlighter, (from, to, classes) =>
    spans.push({ from, to, classes }),
  );
  const wanted = shown === undefined ? null : new Set(shown);
  let start = 0;
  let last = -1;
  for (const [number, line] of code.split("\n").entries()) {
    const end = start + line.length;
    if (wanted === null || wanted.has(number)) {
      if (number > last + 1) pre.append(element("span", "gap", "⋯"));
      pre.append(renderLine(code, start, end, spans, renamed, lineClass(number)));
      last = number;
    }
    start = end + 1;
  }
  return pre;
}

function renderLine(
  code: string,
  start: number,
  end: number,
  spans: readonly Span[],
  renamed: ReadonlyMap<string, string>,
  className: string,
): HTMLElement {
  const row = element("span", className);
  let at = start;
  for (const { from, to, classes } of spans.filter((span) => span.to > start && span.from < end)) {
    row.append(code.slice(at, Math.max(at, from)));
    const text = code.slice(Math.max(from, start), Math.min(to, end));
    const before = classes.includes("tok-variableName") ? renamed.get(text) : undefined;
    row.append(before === undefined ? element("span", classes, text) : mark(text, before));
    at = Math.min(to, end);
  }
  row.append(code.slice(at, end));
  return row;
}

function mark(text: string, before: string): HTMLElement {
  const made = element("mark", "", text);
  made.title = `${before} in the notebook`;
  return made;
}
