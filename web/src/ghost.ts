import { isolateHistory } from "@codemirror/commands";
import { type Extension, Prec, StateEffect, StateField, type Transaction } from "@codemirror/state";
import { Decoration, EditorView, keymap, WidgetType } from "@codemirror/view";

/** Completions at the cursor; one is shown as ghost text. */
interface Ghost {
  readonly at: number;
  readonly texts: readonly string[];
  readonly shown: number;
}

const setGhost = StateEffect.define<Ghost | null>();

const ghostField = StateField.define<Ghost | null>({
  create: () => null,
  update(ghost, transaction) {
    for (const effect of transaction.effects) if (effect.is(setGhost)) return effect.value;
    return ghost === null ? null : follow(ghost, transaction);
  },
  provide: (field) =>
    EditorView.decorations.from(field, (ghost) => {
      if (ghost === null) return Decoration.none;
      const widget = new GhostWidget(ghost.texts[ghost.shown]!);
      return Decoration.set([Decoration.widget({ widget, side: 1 }).range(ghost.at)]);
    }),
});

/** If the user types the ghost text itself, its rest stays; any other change removes it. */
function follow(ghost: Ghost, { docChanged, changes, newDoc, newSelection }: Transaction): Ghost | null {
  const { main } = newSelection;
  if (!docChanged) return main.empty && main.head === ghost.at ? ghost : null;
  const typed = newDoc.sliceString(ghost.at, main.head);
  const rest = ghost.texts[ghost.shown]!.slice(typed.length);
  let isTyped = main.empty && typed !== "" && rest !== "" && ghost.texts[ghost.shown] === typed + rest;
  changes.iterChanges((from, to, _, end) => {
    if (from !== ghost.at || to !== ghost.at || end !== main.head) isTyped = false;
  });
  return isTyped ? { at: main.head, texts: [rest], shown: 0 } : null;
}

class GhostWidget extends WidgetType {
  readonly text: string;

  constructor(text: string) {
    super();
    this.text = text;
  }

  override eq(other: GhostWidget): boolean {
    return other.text === this.text;
  }

  toDOM(): HTMLElement {
    const span = document.createElement("span");
    span.className = "ghost";
    // Hidden from screen readers, because the first card has the same text.
    span.setAttribute("aria-hidden", "true");
    span.textContent = this.text;
    return span;
  }

  override ignoreEvent(): boolean {
    return false;
  }
}

/**
 * Ghost text with its keys: Tab accepts it, Ctrl+Right accepts one token, Alt+] shows the next one, Escape removes it.
 */
export function ghostText(onShown: (text: string | null) => void): Extension {
  const withGhost = (act: (view: EditorView, ghost: Ghost, text: string) => void) => (view: EditorView) => {
    const ghost = view.state.field(ghostField);
    if (ghost === null) return false;
    act(view, ghost, ghost.texts[ghost.shown]!);
    return true;
  };
  const keys = [
    { key: "Tab", run: withGhost((view, { at }, text) => insertTexts(view, at, [{ at: 0, text }])) },
    {
      key: "Ctrl-ArrowRight",
      run: withGhost((view, { at }, text) => {
        const [token = text] = /^\s*(?:\w+|[^\w\s])/.exec(text) ?? [];
        view.dispatch({ changes: { from: at, insert: token }, selection: { anchor: at + token.length } });
      }),
    },
    {
      key: "Alt-]",
      run: withGhost((view, ghost) => {
        view.dispatch({ effects: setGhost.of({ ...ghost, shown: (ghost.shown + 1) % ghost.texts.length }) });
      }),
    },
    { key: "Escape", run: withGhost((view) => hideGhost(view)) },
  ];
  return [
    ghostField,
    Prec.highest(keymap.of(keys)),
    EditorView.updateListener.of(({ startState, state }) => {
      const [before, now] = [startState.field(ghostField), state.field(ghostField)];
      if (before !== now) onShown(now === null ? null : now.texts[now.shown]!);
    }),
  ];
}

/** Shows completions at the cursor. */
export function showGhost(view: EditorView, texts: readonly string[]): void {
  const { main } = view.state.selection;
  const ghost = texts.length > 0 && main.empty ? { at: main.head, texts, shown: 0 } : null;
  view.dispatch({ effects: setGhost.of(ghost) });
}

export function hideGhost(view: EditorView): void {
  if (view.state.field(ghostField) !== null) view.dispatch({ effects: setGhost.of(null) });
}

/** Inserts texts at offsets from a position, as one undo step, and moves the cursor after the last one. */
export function insertTexts(
  view: EditorView,
  position: number,
  texts: readonly { readonly at: number; readonly text: string }[],
): void {
  const changes = view.state.changes(texts.map(({ at, text }) => ({ from: position + at, insert: text })));
  view.dispatch({
    changes,
    selection: { anchor: changes.mapPos(position + (texts.at(-1)?.at ?? 0), 1) },
    annotations: isolateHistory.of("full"),
    scrollIntoView: true,
  });
}
