import { findNewText, type InsertPlan, planInsertion } from "../../clients/jupyterlab/src/insertions.js";
import type { Client, Recommendation } from "../../src/ask/client.js";
import type { Typed } from "./cells.js";
import { renderCode } from "./code.js";
import { button, element, plural, showLabel } from "./dom.js";
import { renderWhy } from "./why.js";

export type FoundCell = Awaited<ReturnType<Client["search"]>>["cells"][number];
export type Completion = Awaited<ReturnType<Client["complete"]>>["completions"][number];

/** What a card has to offer. */
export interface Offer {
  /** The rank in the answer; null for a completion, which has none. */
  readonly rank: number | null;
  /** The whole cell, or the completion alone. */
  readonly code: string;
  /** What Insert adds; null if the card is not about the cursor. */
  readonly plan: InsertPlan | null;
}

export interface HitActions {
  onInsert(offer: Offer): void;
  onReplace(offer: Offer): void;
  onNewCell(offer: Offer): void;
  onCopy(offer: Offer): void;
  onOpen(notebook: string, cellIndex: number): void;
}

/** Longer cells are shown as an excerpt. */
const SHORT = 16;

/** A recommended cell as a card: what Insert adds stands out from the rest. */
export function renderHit(hit: Recommendation, at: Typed, actions: HitActions): HTMLElement {
  const { code, insert, renamed } = hit.adapted;
  const names = new Map(Object.entries(renamed).map(([from, to]) => [to, from]));
  const plan = planInsertion(hit, at.prefix, at.suffix, at.before);
  const newText = findNewText(hit, plan);
  const lineClass = (line: number) => {
    if (newText?.has(line)) return "brought";
    return hit.matched.some(({ start, end }) => line >= start && line < end) ? "typed" : "";
  };
  const card = createCard(hit, { rank: hit.rank, code, plan }, actions, (shown) =>
    renderCode(code, { lineClass, renamed: names, ...(newText && { newText }), ...(shown && { shown }) }),
  );
  // The adapted insertion is not a part of the cell as it is: it is shown on its own.
  if (newText === null) card.querySelector(".code")!.before(renderNew("", insert));
  const notes = Object.entries(renamed).map(([from, to]) => `${from} → ${to}`);
  if (notes.length > 0)
    card.querySelector("footer")!.before(element("p", "hint names", `In your names: ${notes.join(", ")}`));
  if (hit.why !== undefined) card.querySelector("footer")!.append(renderWhy(hit.why, hit.rank));
  return card;
}

const LEARNT_FROM = { notebook: "this notebook", index: "indexed notebooks", prior: "common Python" };

/** The first card if there is a completion: the same text as the ghost text. */
export function renderCompletion(text: string, from: Completion["from"], prefix: string, actions: HitActions) {
  const plan: InsertPlan = { insertions: [{ at: 0, text }], problem: null };
  const offer: Offer = { rank: null, code: text, plan };
  const head = element("header", "", element("strong", "", "At the cursor"), `from ${LEARNT_FROM[from]}`);
  const take = button("Insert", "Insert the completion at the cursor", () => actions.onInsert(offer), "primary");
  take.append(" ", element("kbd", "", "Tab"));
  const copy = button("Copy", "Copy the completion", () => actions.onCopy(offer));
  const line = prefix.slice(prefix.lastIndexOf("\n") + 1);
  return element("li", "hit completion", head, renderNew(line, text), element("footer", "", take, copy));
}

/** New text after the typed part of its line. */
function renderNew(line: string, text: string): HTMLElement {
  const rows = (line + text).split("\n");
  const newText = new Map(rows.map((_, row) => [row, row === 0 ? line.length : 0]));
  return element("div", "code", renderCode(line + text, { newText, lineClass: () => "brought" }));
}

/** A cell that was found by words or by its label. */
export function renderFound(hit: FoundCell, actions: HitActions): HTMLElement {
  const excerpt = hit.code.split("\n").slice(0, SHORT);
  const cut = { ...hit, excerpt: excerpt.map((text, line) => ({ line, text })) };
  return createCard(cut, { rank: hit.rank, code: hit.code, plan: null }, actions, (shown) =>
    renderCode(hit.code, shown && { shown }),
  );
}

type Shown = FoundCell & Pick<Recommendation, "excerpt">;

function createCard(
  hit: Shown,
  offer: Offer,
  actions: HitActions,
  render: (shown?: readonly number[]) => HTMLElement,
): HTMLElement {
  const { rank, notebook } = hit;
  const lines = hit.code.split("\n").length;
  const isCut = lines > SHORT && hit.excerpt.length < lines;
  const body = element("div", "code", render(isCut ? hit.excerpt.map(({ line }) => line) : undefined));
  if (isCut) {
    const more = button(`Show all ${lines} lines`, `Show all ${lines} lines of recommendation ${rank}`, () => {
      body.replaceChildren(render());
    });
    more.className = "more";
    body.append(more);
  }
  const foot = element(
    "footer",
    "",
    ...renderActions(offer, actions),
    button("Copy", `Copy recommendation ${rank}`, () => actions.onCopy(offer)),
    button("Open notebook", `Open notebook of recommendation ${rank}`, () =>
      actions.onOpen(notebook.id, notebook.cellIndex),
    ),
  );
  return element("li", "hit", renderHead(hit), body, foot);
}

/** A cell that was searched for goes into a cell of its own; it never takes the place of another. */
function renderActions(offer: Offer, actions: HitActions): HTMLElement[] {
  const { plan, rank } = offer;
  const newCell = button("New cell", `Add recommendation ${rank} as a new cell`, () => actions.onNewCell(offer));
  if (plan === null) {
    newCell.classList.add("primary");
    return [newCell];
  }
  const insert = button(
    "Insert",
    `Insert recommendation ${rank} at the cursor`,
    () => actions.onInsert(offer),
    "primary",
  );
  const replace = button("Replace cell", `Replace cell with recommendation ${rank}`, () => actions.onReplace(offer));
  if (plan.problem === null) return [insert, newCell, replace];
  insert.disabled = true;
  return [insert, newCell, replace, element("p", "hint problem", plan.problem)];
}

function renderHead({ notebook, labels, occurrences }: Shown): HTMLElement {
  const origin = element("strong", "", `${notebook.name} [${notebook.cellIndex}]`);
  origin.title = [notebook.source, notebook.author, notebook.licence].filter((fact) => fact !== undefined).join(" · ");
  const head = element("header", "", origin, ...labels.map((label) => element("span", "tag", showLabel(label))));
  if (occurrences > 1) head.append(element("span", "", `found in ${plural(occurrences, "place")}`));
  if ((notebook.votes ?? 0) > 0) head.append(element("span", "", plural(notebook.votes!, "vote")));
  return head;
}
