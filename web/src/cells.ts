import { isolateHistory, undo } from "@codemirror/commands";
import type { EditorView } from "@codemirror/view";
import type { Insertion } from "../../clients/jupyterlab/src/insertions.js";
import { button, element, find } from "./dom.js";
import { createEditor } from "./editor.js";
import { hideGhost, insertTexts, showGhost } from "./ghost.js";

interface CellEvents {
  /** Called when the text, the cursor or the active cell changed. */
  onChange(): void;
  /** Called when the user accepts a suggestion; by default the chosen one. */
  onTake(at?: number): void;
  /** Called when the user moves the focus to the suggestions. */
  onLeave(): void;
  /** Called when the ghost text changed or disappeared. */
  onGhost(text: string | null): void;
  /** Called when a cell was removed; `undo` restores it. */
  onRemove(undo: () => void): void;
}

interface Cell {
  readonly view: EditorView;
  readonly item: HTMLElement;
}

/** The notebook around the cursor. */
export interface CursorContext {
  readonly prefix: string;
  readonly suffix: string;
  readonly before: readonly string[];
  readonly after: readonly string[];
}

export type Undo = () => void;

/** The notebook editor of the page. */
export function createCells(events: CellEvents) {
  const list = find("cells");
  const cells: Cell[] = [];
  let active: Cell | null = null;

  const insertAt = (position: number, text = ""): Cell => {
    const item = element("li", "cell");
    const view = createEditor(item, `Cell ${position + 1}`, text, {
      onChange: events.onChange,
      onTake: events.onTake,
      onLeave: events.onLeave,
      onNext: () => void add(),
      onGhost: (ghost) => {
        if (active === cell) events.onGhost(ghost);
      },
      onFocus() {
        if (active === cell) return;
        choose(cell);
        events.onChange();
      },
    });
    const cell: Cell = { view, item };
    const close = button("×", () => remove(cell), "remove");
    item.prepend(element("span", "number"));
    item.append(close);
    if (position >= cells.length) list.append(item);
    else list.insertBefore(item, cells[position]!.item);
    cells.splice(position, 0, cell);
    number();
    choose(cell);
    view.focus();
    events.onChange();
    return cell;
  };
  /** Element below the active cell. */
  const add = (text = ""): Cell => insertAt(active === null ? cells.length : cells.indexOf(active) + 1, text);
  const choose = (cell: Cell) => {
    if (active !== null && active !== cell) hideGhost(active.view);
    active?.item.removeAttribute("aria-current");
    active = cell;
    cell.item.setAttribute("aria-current", "true");
  };
  const drop = (cell: Cell): void => {
    const at = cells.indexOf(cell);
    if (at === -1) return;
    cells.splice(at, 1);
    cell.view.destroy();
    cell.item.remove();
    active = null;
    const next = cells[Math.max(0, at - 1)];
    if (next === undefined) {
      add();
      return;
    }
    number();
    choose(next);
    next.view.focus();
    events.onChange();
  };
  const remove = (cell: Cell): void => {
    const [at, text] = [cells.indexOf(cell), textOf(cell)];
    drop(cell);
    if (text.trim() !== "") events.onRemove(() => void insertAt(at, text));
  };
  const number = () => {
    for (const [at, { view, item }] of cells.entries()) {
      view.contentDOM.setAttribute("aria-label", `Cell ${at + 1}`);
      item.querySelector(".number")!.textContent = String(at + 1);
      item.querySelector(".remove")!.setAttribute("aria-label", `Remove cell ${at + 1}`);
    }
  };
  const textOf = ({ view }: Cell) => view.state.doc.toString();
  /** Undoes the last change of the active cell. */
  const createUndo = ({ view }: Cell): Undo => {
    return () => {
      undo(view);
      view.focus();
    };
  };

  const focus = (cell = active) => cell?.view.focus();

  return {
    add,
    /** Puts the cursor into the active cell. */
    focus: () => focus(),
    focusLast: () => focus(cells.at(-1)),
    texts: () => cells.map(textOf),
    /** Replaces the whole notebook; returns a function that restores the old one. */
    replaceAll(texts: readonly string[]): Undo {
      const before = cells.map(textOf);
      const set = (wanted: readonly string[]) => {
        for (const { view, item } of cells.splice(0)) {
          view.destroy();
          item.remove();
        }
        active = null;
        for (const text of wanted.length === 0 ? [""] : wanted) add(text);
      };
      set(texts);
      return () => set(before);
    },
    read(): CursorContext {
      if (active === null) return { prefix: "", suffix: "", before: [], after: [] };
      const at = cells.indexOf(active);
      const [text, { head }] = [textOf(active), active.view.state.selection.main];
      return {
        prefix: text.slice(0, head),
        suffix: text.slice(head),
        before: cells.slice(0, at).map(textOf),
        after: cells.slice(at + 1).map(textOf),
      };
    },
    showGhost(texts: readonly string[]): void {
      if (active?.view.hasFocus) showGhost(active.view, texts);
    },
    /** Inserts text at the cursor; deletes nothing. */
    insert(insertions: readonly Insertion[]): Undo {
      const cell = active ?? add();
      insertTexts(cell.view, cell.view.state.selection.main.head, insertions);
      cell.view.focus();
      return createUndo(cell);
    },
    replace(text: string): Undo {
      const cell = active ?? add();
      const { view } = cell;
      view.dispatch({
        changes: { from: 0, to: view.state.doc.length, insert: text },
        selection: { anchor: text.length },
        annotations: isolateHistory.of("full"),
        scrollIntoView: true,
      });
      view.focus();
      return createUndo(cell);
    },
    /** Adds a cell below the active one. */
    addBelow(text: string): Undo {
      const cell = add(text);
      return () => drop(cell);
    },
  };
}
