import {
  copyLineDown,
  copyLineUp,
  deleteLine,
  history,
  historyKeymap,
  indentLess,
  indentMore,
  indentWithTab,
  moveLineDown,
  moveLineUp,
  simplifySelection,
  standardKeymap,
  toggleComment,
} from "@codemirror/commands";
import { bracketMatching, indentUnit, syntaxHighlighting } from "@codemirror/language";
import { EditorState } from "@codemirror/state";
import { EditorView, keymap } from "@codemirror/view";
import { classHighlighter } from "@lezer/highlight";
import { ghostText } from "./ghost.js";
import { pythonMode } from "./python-mode.js";

interface EditorEvents {
  /** Called when the text or the cursor changed. */
  onChange(): void;
  onFocus(): void;
  /** Shift+Enter. */
  onNext(): void;
  /** Ctrl+Enter: the chosen suggestion; Ctrl+Shift+1: the first one. */
  onTake(at?: number): void;
  /** Ctrl+Down. */
  onLeave(): void;
  /** The ghost text changed or disappeared. */
  onGhost(text: string | null): void;
}

/** The keys of CodeMirror's `defaultKeymap` that help with cells. The others would add 8 KB to the page. */
const LINE_KEYS = [
  { key: "Alt-ArrowUp", run: moveLineUp },
  { key: "Shift-Alt-ArrowUp", run: copyLineUp },
  { key: "Alt-ArrowDown", run: moveLineDown },
  { key: "Shift-Alt-ArrowDown", run: copyLineDown },
  { key: "Shift-Mod-k", run: deleteLine },
  { key: "Escape", run: simplifySelection },
  { key: "Mod-[", run: indentLess },
  { key: "Mod-]", run: indentMore },
  { key: "Mod-/", run: toggleComment },
];

const DIGITS = [1, 2, 3, 4, 5, 6, 7, 8, 9];

/** An editor for a Python cell. Tab indents; Escape, then Tab, leaves the editor. */
export function createEditor(parent: HTMLElement, label: string, text: string, events: EditorEvents): EditorView {
  const does = (action: () => void) => () => {
    action();
    return true;
  };
  const own = [
    { key: "Shift-Enter", run: does(events.onNext) },
    { key: "Mod-Enter", run: does(() => events.onTake()) },
    { key: "Ctrl-ArrowDown", run: does(events.onLeave) },
    ...DIGITS.map((digit) => ({ key: `Ctrl-Shift-${digit}`, run: does(() => events.onTake(digit - 1)) })),
  ];
  return new EditorView({
    parent,
    state: EditorState.create({
      doc: text,
      selection: { anchor: text.length },
      extensions: [
        ghostText(events.onGhost),
        keymap.of([...own, indentWithTab, ...LINE_KEYS, ...standardKeymap, ...historyKeymap]),
        EditorView.cspNonce.of(document.documentElement.dataset.nonce ?? ""),
        history(),
        pythonMode,
        bracketMatching(),
        indentUnit.of("    "),
        syntaxHighlighting(classHighlighter),
        EditorView.lineWrapping,
        EditorView.contentAttributes.of({ "aria-label": label, spellcheck: "false" }),
        EditorView.updateListener.of((update) => {
          if (update.docChanged || update.selectionSet) events.onChange();
          if (update.focusChanged && update.view.hasFocus) events.onFocus();
        }),
      ],
    }),
  });
}
