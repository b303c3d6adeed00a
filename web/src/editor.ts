import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { python, pythonLanguage } from "@codemirror/lang-python";
import { indentUnit, syntaxHighlighting } from "@codemirror/language";
import { EditorState } from "@codemirror/state";
import { EditorView, keymap } from "@codemirror/view";
import { classHighlighter, highlightTree } from "@lezer/highlight";

export interface EditorEvents {
  onChange(): void;
  onFocus(): void;
  /** Shift+Enter. */
  onNext(): void;
}

/** A cell that Python is typed in. Tab indents; Escape, then Tab, leaves it, as everywhere in this editor. */
export function createEditor(parent: HTMLElement, label: string, events: EditorEvents): EditorView {
  const goOn = () => {
    events.onNext();
    return true;
  };
  return new EditorView({
    parent,
    state: EditorState.create({
      extensions: [
        keymap.of([{ key: "Shift-Enter", run: goOn }, indentWithTab, ...defaultKeymap, ...historyKeymap]),
        EditorView.cspNonce.of(document.documentElement.dataset.nonce ?? ""),
        history(),
        python(),
        indentUnit.of("    "),
        syntaxHighlighting(classHighlighter),
        EditorView.lineWrapping,
        EditorView.contentAttributes.of({ "aria-label": label, spellcheck: "false" }),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) events.onChange();
          if (update.focusChanged && update.view.hasFocus) events.onFocus();
        }),
      ],
    }),
  });
}

/** Highlighted code; the lines that are typed already are marked. */
export function renderCode(code: string, typed: ReadonlySet<string>): HTMLElement {
  const pre = document.createElement("pre");
  pre.tabIndex = 0;
  const spans: { from: number; to: number; classes: string }[] = [];
  highlightTree(pythonLanguage.parser.parse(code), classHighlighter, (from, to, classes) =>
    spans.push({ from, to, classes }),
  );
  let start = 0;
  for (const line of code.split("\n")) {
    const end = start + line.length;
    const row = document.createElement("span");
    if (line.trim() !== "" && typed.has(line.trim())) row.className = "typed";
    let at = start;
    for (const { from, to, classes } of spans.filter((span) => span.to > start && span.from < end)) {
      row.append(code.slice(at, Math.max(at, from)));
      const token = document.createElement("span");
      token.className = classes;
      token.textContent = code.slice(Math.max(from, start), Math.min(to, end));
      row.append(token);
      at = Math.min(to, end);
    }
    row.append(`${code.slice(at, end)}\n`);
    pre.append(row);
    start = end + 1;
  }
  return pre;
}
