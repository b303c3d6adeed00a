import { findNewText, type InsertPlan, planInsertion } from "../../clients/jupyterlab/src/insertions.js";
import type { Client, Recommendation } from "../../src/ask/client.js";
import type { CursorContext } from "./cells.js";
import { renderCode } from "./code.js";
import { button, element, fileName, link, notebookAddress, plural, showLabel, toolbar } from "./dom.js";
import { renderWhy } from "./why.js";

export type FoundCell = Awaited<ReturnType<Client["search"]>>["cells"][number];
export type Completion = Awaited<ReturnType<Client["complete"]>>["completions"][number];

/** The content of a suggestion. */
export interface Offer {
  /** The rank in the answer; null for a completion, which has none. */
  readonly rank: number | null;
  /** The code of the whole cell, or of the completion. */
  readonly code: string;
  readonly plan: InsertPlan;
}

export interface HitActions {
  onInsert(offer: Offer): void;
  onReplace(offer: Offer): void;
  onNewCell(offer: Pick<Offer, "rank" | "code">): void;
  onCopy(offer: Pick<Offer, "rank" | "code">): void;
}

/** A listed suggestion: one line, or all lines if it is chosen. */
export interface Suggestion {
  readonly offer: Offer;
  /** The origin of the suggestion. */
  readonly title: () => HTMLElement;
  /** The first new line of the suggestion. */
  readonly preview: string;
  readonly className: string;
  /** Whether it is also the ghost text, which Tab inserts. */
  readonly isGhost: boolean;
  readonly body: () => readonly HTMLElement[];
  readonly controls: () => readonly HTMLElement[];
}

/** Maximum lines shown; longer cells are shown as an excerpt. */
const MAX_FULL_LINES = 16;

/** A recommended cell, in which the code that Insert adds is highlighted. */
export function suggestCell(hit: Recommendation, at: CursorContext): Suggestion {
  const { code, insert, renamed } = hit.adapted;
  const plan = planInsertion(hit, at.prefix, at.suffix, at.before);
  const newText = findNewText(hit, plan);
  const names = new Map(Object.entries(renamed).map(([from, to]) => [to, from]));
  const lineClass = (line: number) => {
    if (newText?.has(line)) return "brought";
    return hit.matched.some(({ start, end }) => line >= start && line < end) ? "typed" : "";
  };
  const render = (shown?: readonly number[]) =>
    renderCode(code, { lineClass, renamed: names, ...(newText && { newText }), ...(shown && { shown }) });
  const { notebook } = hit;
  const notes = Object.entries(renamed).map(([from, to]) => `${from} → ${to}`);
  const why = hit.why === undefined ? null : renderWhy(hit.why);
  const isNew = plan.problem === null && insert.trim() !== "";
  return {
    offer: { rank: hit.rank, code, plan },
    title: () => fileName(notebook.name, notebook.cellIndex),
    preview: firstLine(isNew ? insert : code),
    className: "",
    isGhost: false,
    body: () => [
      renderFacts(hit),
      // The adapted insertion differs from the cell's text, so it is shown separately.
      ...(newText === null ? [renderNew("", insert)] : []),
      newText === null
        ? element("details", "", element("summary", "", "The whole cell"), renderCode(code, { renamed: names }))
        : renderExcerpt(code, hit.excerpt, render),
      ...(notes.length === 0 ? [] : [element("p", "hint", `In your names: ${notes.join(", ")}`)]),
      ...(why === null ? [] : [why]),
    ],
    controls: () => [
      ...(why === null ? [] : [renderToggle(why)]),
      link(notebookAddress(notebook.id, notebook.cellIndex), "tool", "Open"),
    ],
  };
}

/** Toggles the reasons. */
function renderToggle(why: HTMLElement): HTMLElement {
  const toggle = button("Why?", () => {
    why.hidden = !why.hidden;
    toggle.setAttribute("aria-expanded", String(!why.hidden));
  });
  toggle.setAttribute("aria-expanded", String(!why.hidden));
  return toggle;
}

const LEARNT_FROM = { notebook: "from this notebook", index: "from indexed notebooks", prior: "from common Python" };

/** The first suggestion if there is a completion: the same text as the ghost text, if that is shown. */
export function suggestCompletion(
  { text, from }: Pick<Completion, "text" | "from">,
  prefix: string,
  isGhost: boolean,
): Suggestion {
  const line = prefix.slice(prefix.lastIndexOf("\n") + 1);
  return {
    offer: { rank: null, code: text, plan: { insertions: [{ at: 0, text }], problem: null } },
    title: () => element("span", "file", "At the cursor ", element("span", "quiet", LEARNT_FROM[from])),
    preview: firstLine(text),
    className: "completion",
    isGhost,
    body: () => [renderNew(line, text)],
    controls: () => [],
  };
}

const firstLine = (text: string): string => text.split("\n").find((line) => line.trim() !== "") ?? "";

/** Highlights new text after the typed part of its line. */
function renderNew(line: string, text: string): HTMLElement {
  const rows = (line + text).split("\n");
  const newText = new Map(rows.map((_, row) => [row, row === 0 ? line.length : 0]));
  return element("div", "code", renderCode(line + text, { newText, lineClass: () => "brought" }));
}

function renderExcerpt(
  code: string,
  excerpt: Recommendation["excerpt"],
  render: (shown?: readonly number[]) => HTMLElement,
): HTMLElement {
  const lines = code.split("\n").length;
  const isCut = lines > MAX_FULL_LINES && excerpt.length < lines;
  const body = element("div", "code", render(isCut ? excerpt.map(({ line }) => line) : undefined));
  if (isCut) body.append(button(`Show all ${lines} lines`, () => body.replaceChildren(render()), "more"));
  return body;
}

export function renderFacts({ labels, occurrences, notebook }: Pick<FoundCell, "labels" | "occurrences" | "notebook">) {
  const facts = [
    ...(occurrences > 1 ? [`found in ${plural(occurrences, "place")}`] : []),
    ...((notebook.votes ?? 0) > 0 ? [plural(notebook.votes!, "vote")] : []),
  ];
  return element(
    "p",
    "facts",
    ...labels.map((label) => element("span", "tag", showLabel(label))),
    ...facts.map((fact) => element("span", "quiet", fact)),
  );
}

/**
 * The list of suggestions. The chosen one is shown in full, every other one as a line. The list has two tab stops: the
 * arrow keys up and down choose, and the chosen suggestion has a toolbar.
 */
export function createSuggestions(list: HTMLElement, actions: HitActions, onLeave: () => void) {
  let items: readonly Suggestion[] = [];
  let chosen = 0;

  const rowOf = (at: number) => list.children[at]?.querySelector<HTMLElement>(".choose");
  const choose = (at: number, isFocused: boolean) => {
    if (at < 0 || at >= items.length) return;
    chosen = at;
    render();
    if (isFocused) rowOf(at)?.focus();
  };
  /** The action of Enter: Insert if there is something to insert. */
  const take = (at: number): boolean => {
    const offer = items[at]?.offer;
    if (list.inert || offer === undefined || offer.plan.problem !== null) return false;
    actions.onInsert(offer);
    return true;
  };
  const renderItem = (item: Suggestion, at: number): HTMLElement => {
    const isChosen = at === chosen;
    const number = element("span", "rank", String(at + 1));
    const preview = element("code", "preview", item.preview);
    const row = button(number, () => choose(at, true), "choose");
    row.append(" ", ...(isChosen ? [] : [preview, " "]), item.title());
    row.setAttribute("aria-expanded", String(isChosen));
    row.tabIndex = isChosen ? 0 : -1;
    const card = element("li", `hit ${item.className} ${isChosen ? "chosen" : ""}`.trim(), row);
    if (isChosen) card.append(...item.body(), ...renderTools(item, at));
    return card;
  };
  const renderTools = ({ offer, isGhost, controls }: Suggestion, at: number): HTMLElement[] => {
    const insert = button("Insert", () => void take(at), "primary");
    if (at < 9) insert.append(" ", element("kbd", "", isGhost ? "Tab" : `Ctrl+Shift+${at + 1}`));
    insert.disabled = offer.plan.problem !== null;
    const others =
      offer.rank === null
        ? []
        : [button("New cell", () => actions.onNewCell(offer)), button("Replace cell", () => actions.onReplace(offer))];
    const copy = button("Copy", () => actions.onCopy(offer));
    const tools = toolbar(`Suggestion ${at + 1}`, insert, ...others, copy, ...controls());
    return offer.plan.problem === null ? [tools] : [element("p", "hint problem", offer.plan.problem), tools];
  };
  const render = () => list.replaceChildren(...items.map(renderItem));

  list.addEventListener("keydown", (event) => {
    const isRow = (event.target as HTMLElement).classList.contains("choose");
    const moves: Record<string, () => void> = {
      ArrowDown: () => choose(chosen + 1, true),
      ArrowUp: () => choose(chosen - 1, true),
      Home: () => choose(0, true),
      End: () => choose(items.length - 1, true),
      Enter: () => void take(chosen),
    };
    const act = event.key === "Escape" ? onLeave : isRow ? moves[event.key] : undefined;
    if (act === undefined) return;
    event.preventDefault();
    act();
  });

  return {
    show(next: readonly Suggestion[]): void {
      [items, chosen] = [next, 0];
      render();
    },
    /** Replaces the first suggestion, for example if the ghost text changed. */
    replaceFirst(item: Suggestion): void {
      items = [item, ...items.slice(1)];
      render();
    },
    take,
    takeChosen: () => take(chosen),
    focus: () => rowOf(chosen)?.focus(),
  };
}
