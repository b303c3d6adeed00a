import type { Recommendation } from "./answers.js";
import type { RenderCode } from "./code-lines.js";
import { button, element } from "./element.js";
import type { InsertMethod } from "./insertion.js";
import { findNewText } from "./insertions.js";
import type { Offer } from "./offers.js";

export interface CardActions {
  onUse(way: InsertMethod, offer: Offer): void;
  onOrigin(offer: Offer): void;
  onDismiss(offer: Offer): void;
}

export interface CardPlace {
  /** The number of the card, from 1, and the number of cards. */
  readonly number: number;
  readonly count: number;
  /** The line before the cursor. */
  readonly line: string;
}

const KEYS = "Enter: insert, Shift+Enter: new cell, R: replace, C: copy, O: origin, Delete: dismiss, Escape: back";
const COMPLETION_KEYS = "Enter: insert, C: copy, Delete: dismiss, Escape: back";

/** Number of cards with a keyboard command. */
const KEYED = 3;

/** The card of one suggestion: the insertion with the user's names, and the actions. */
export function renderCard(offer: Offer, place: CardPlace, renderCode: RenderCode, actions: CardActions): HTMLElement {
  const { hit } = offer;
  const { number, count, line } = place;
  const card = element("li", "jp-celrec-Card", renderHead(hit, number));
  if (hit === null) card.append(renderNew(line, offer.code, renderCode));
  else card.append(...renderLines(offer, hit, renderCode), ...renderOrigin(offer, hit, number, actions));
  card.append(renderActions(offer, number, actions));
  card.tabIndex = 0;
  card.title = hit === null ? COMPLETION_KEYS : KEYS;
  card.setAttribute("aria-label", describe(offer, number, count));
  card.addEventListener("keydown", (event) => onKey(event, card, offer, actions));
  return card;
}

function renderOrigin(offer: Offer, hit: Recommendation, number: number, actions: CardActions): HTMLElement[] {
  const { notebook, adapted, occurrences } = hit;
  const renamed = Object.entries(adapted.renamed);
  const pairs = renamed.map(([from, to]) => `${from} → ${to}`).join(", ");
  const origin = button(
    `${notebook.title ?? notebook.name} [${notebook.cellIndex}]`,
    `Open the notebook that recommendation ${number} is from`,
    () => actions.onOrigin(offer),
  );
  origin.classList.add("jp-mod-origin");
  const others = occurrences > 1 ? ` and ${occurrences - 1} more` : "";
  return [
    ...(renamed.length === 0 ? [] : [element("div", "jp-celrec-Renamed", `Your names: ${pairs}`)]),
    element("div", "jp-celrec-Origin", origin, others),
  ];
}

function renderActions(offer: Offer, number: number, actions: CardActions): HTMLElement {
  const { hit, plan } = offer;
  const insert = button("Insert", `Insert recommendation ${number} at the cursor`, () =>
    actions.onUse("insert", offer),
  );
  const row = element("div", "jp-celrec-Actions", insert);
  if (hit !== null) {
    row.append(
      button("New cell", `Insert recommendation ${number} as a new cell`, () => actions.onUse("cell", offer)),
      button("Replace", `Replace the cell with recommendation ${number}`, () => actions.onUse("replace", offer)),
    );
  }
  row.append(
    button("Copy", `Copy recommendation ${number}`, () => actions.onUse("copy", offer)),
    button("✕", `Dismiss recommendation ${number}`, () => actions.onDismiss(offer)),
  );
  if (plan.problem === null) return row;
  insert.disabled = true;
  insert.title = plan.problem;
  row.append(element("p", "jp-celrec-Problem", plan.problem));
  return row;
}

function renderHead(hit: Recommendation | null, number: number): HTMLElement {
  const place = element("span", "jp-celrec-Number", String(number));
  // The label of the card says the number, too.
  place.setAttribute("aria-hidden", "true");
  if (number <= KEYED) place.title = `Ctrl+Shift+${number} inserts it`;
  const head = element("div", "jp-celrec-Head", place);
  const tags = hit === null ? ["at the cursor"] : hit.labels.map(readable);
  for (const tag of tags) head.append(element("span", "jp-celrec-Tag", tag));
  return head;
}

/** Highlights new text after the typed part of its line. */
function renderNew(line: string, text: string, renderCode: RenderCode): HTMLElement {
  const rows = (line + text).split("\n");
  const newText = new Map(rows.map((_, row) => [row, row === 0 ? line.length : 0]));
  const box = element("pre", "jp-celrec-Code", ...renderCode(rows, newText));
  for (const row of box.children) row.classList.add("jp-mod-new");
  return box;
}

/** The excerpt in the user's names, with every line that Insert adds; lines that are already typed are dimmed. */
function renderLines(offer: Offer, hit: Recommendation, renderCode: RenderCode): HTMLElement[] {
  const { adapted, code, excerpt, matched } = hit;
  const own = adapted.code.split("\n");
  const isSameLength = own.length === code.split("\n").length;
  const newText = findNewText(hit, offer.plan);
  const wanted = new Set([...excerpt.map(({ line }) => line), ...(newText?.keys() ?? [])]);
  const lines = [...own.keys()].filter((line) => !isSameLength || wanted.has(line));
  const box = element("pre", "jp-celrec-Code");
  const marks = new Map(lines.flatMap((line, at) => (newText?.has(line) ? [[at, newText.get(line)!] as const] : [])));
  const rows = renderCode(
    lines.map((line) => own[line]!),
    marks,
  );
  for (const [at, row] of rows.entries()) {
    const line = lines[at]!;
    const isTyped = matched.some(({ start, end }) => start <= line && line < end);
    if (newText?.has(line)) row.classList.add("jp-mod-new");
    else if (isTyped) row.classList.add("jp-mod-typed");
    // Omitted lines of a long cell.
    if (line > (lines[at - 1] ?? -1) + 1) box.append(element("span", "jp-celrec-Gap", "⋯"));
    box.append(row);
  }
  if ((lines.at(-1) ?? 0) < own.length - 1) box.append(element("span", "jp-celrec-Gap", "⋯"));
  // The adapted insertion is not a substring of the cell, so it is shown separately.
  return newText === null ? [renderNew("", adapted.insert, renderCode), box] : [box];
}

function describe({ hit, plan, code }: Offer, number: number, count: number): string {
  const added = plan.insertions.map(({ text }) => text.trim()).join("\n");
  const lines = added === "" ? 0 : added.split("\n").length;
  return [
    `Recommendation ${number} of ${count}`,
    ...(hit === null ? [`at the cursor: ${code}`] : hit.labels.map(readable)),
    `adds ${lines} ${lines === 1 ? "line" : "lines"}`,
    ...(hit === null ? [] : [`from ${hit.notebook.title ?? hit.notebook.name}`]),
  ].join(", ");
}

export function readable(label: string): string {
  return label.replaceAll("_", " ");
}

function onKey(event: KeyboardEvent, card: HTMLElement, offer: Offer, actions: CardActions): void {
  // Keys are ignored while a button of the card has the focus.
  if (event.target !== card || event.ctrlKey || event.metaKey || event.altKey) return;
  const focus = (other: Element | null) => (other as HTMLElement | null)?.focus();
  const ofCell: Record<string, () => void> = {
    r: () => actions.onUse("replace", offer),
    o: () => actions.onOrigin(offer),
  };
  const does: Record<string, () => void> = {
    Enter: () => actions.onUse(event.shiftKey && offer.hit !== null ? "cell" : "insert", offer),
    c: () => actions.onUse("copy", offer),
    Delete: () => actions.onDismiss(offer),
    ArrowDown: () => focus(card.nextElementSibling),
    ArrowUp: () => focus(card.previousElementSibling),
    ...(offer.hit !== null && ofCell),
  };
  const act = does[event.key] ?? does[event.key.toLowerCase()];
  if (act === undefined) return;
  event.preventDefault();
  event.stopPropagation();
  act();
}
