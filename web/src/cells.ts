import type { EditorView } from "@codemirror/view";
import { button, element, find } from "./dom.js";
import { createEditor } from "./editor.js";
import type { Usable } from "./hits.js";

export interface CellEvents {
  /** The text or the active cell changed. */
  onChange(): void;
  /** The user takes the first recommendation. */
  onTake(): void;
}

interface Cell {
  readonly view: EditorView;
  readonly item: HTMLElement;
}

/** The small notebook on the page. */
export function createCells(events: CellEvents) {
  const list = find("cells");
  const cells: Cell[] = [];
  let active: Cell | null = null;

  const add = (): void => {
    const item = element("li", "cell");
    const view = createEditor(item, `Cell ${cells.length + 1}`, {
      onChange: events.onChange,
      onTake: events.onTake,
      onNext: add,
      onFocus() {
        if (active === cell) return;
        choose(cell);
        events.onChange();
      },
    });
    const cell: Cell = { view, item };
    item.append(button("×", `Remove cell ${cells.length + 1}`, () => remove(cell), "remove"));
    const next = active === null ? cells.length : cells.indexOf(active) + 1;
    if (next >= cells.length) list.append(item);
    else list.insertBefore(item, cells[next]!.item);
    cells.splice(next, 0, cell);
    number();
    choose(cell);
    view.focus();
    events.onChange();
  };
  const choose = (cell: Cell) => {
    active?.item.removeAttribute("aria-current");
    active = cell;
    cell.item.setAttribute("aria-current", "true");
  };
  const remove = (cell: Cell): void => {
    const at = cells.indexOf(cell);
    cells.splice(at, 1);
    cell.view.destroy();
    cell.item.remove();
    active = cells[Math.max(0, at - 1)] ?? null;
    if (active === null) {
      add();
      return;
    }
    number();
    choose(active);
    active.view.focus();
    events.onChange();
  };
  const number = () => {
    for (const [at, { view, item }] of cells.entries()) {
      view.contentDOM.setAttribute("aria-label", `Cell ${at + 1}`);
      item.querySelector(".remove")?.setAttribute("aria-label", `Remove cell ${at + 1}`);
    }
  };
  const textOf = ({ view }: Cell) => view.state.doc.toString();

  return {
    add,
    /** The code of the active cell, and the cells above it. */
    read(): { code: string; before: string[] } {
      const at = active === null ? -1 : cells.indexOf(active);
      return { code: at === -1 ? "" : textOf(cells[at]!), before: cells.slice(0, Math.max(0, at)).map(textOf) };
    },
    /** Inserts a hit after the typed code, or replaces it. */
    put({ text, place }: Usable): void {
      if (active === null) return;
      const { view } = active;
      const typed = textOf(active);
      const head = place === "cell" ? "" : place === "line" ? typed : `${typed.replace(/\s+$/, "")}\n`;
      view.dispatch({
        changes: { from: 0, to: view.state.doc.length, insert: head + text },
        selection: { anchor: head.length + text.length },
        scrollIntoView: true,
      });
      view.focus();
    },
  };
}
