import type { Recommendation } from "./answers.js";
import type { RenderCode } from "./code-lines.js";
import { button, element } from "./element.js";
import type { Way } from "./insertion.js";

export interface CardActions {
  onUse(way: Way, hit: Recommendation): void;
  onOrigin(hit: Recommendation): void;
  onDismiss(hit: Recommendation): void;
  onLeave(): void;
}

const KEYS = "Enter: insert, Shift+Enter: new cell, R: replace, C: copy, O: origin, Delete: dismiss, Escape: back";

/** One recommendation: what would be inserted, in the user's names, and what to do with it. */
export function renderCard(
  hit: Recommendation,
  count: number,
  renderCode: RenderCode,
  actions: CardActions,
): HTMLElement {
  const { rank, notebook } = hit;
  const card = element("li", "jp-celrec-Card", renderHead(hit), renderLines(hit, renderCode));
  const renamed = Object.entries(hit.adapted.renamed);
  if (renamed.length > 0) {
    const pairs = renamed.map(([from, to]) => `${from} → ${to}`).join(", ");
    card.append(element("div", "jp-celrec-Renamed", `Your names: ${pairs}`));
  }
  const origin = button(
    `${notebook.title ?? notebook.name} [${notebook.cellIndex}]`,
    `Open the notebook that recommendation ${rank} is from`,
    () => actions.onOrigin(hit),
  );
  origin.classList.add("jp-mod-origin");
  const others = hit.occurrences > 1 ? ` and ${hit.occurrences - 1} more` : "";
  card.append(
    element("div", "jp-celrec-Origin", origin, others),
    element(
      "div",
      "jp-celrec-Actions",
      button("Insert", `Insert recommendation ${rank} after the cursor`, () => actions.onUse("insert", hit)),
      button("New cell", `Insert recommendation ${rank} as a new cell`, () => actions.onUse("cell", hit)),
      button("Replace", `Replace the cell with recommendation ${rank}`, () => actions.onUse("replace", hit)),
      button("Copy", `Copy recommendation ${rank}`, () => actions.onUse("copy", hit)),
      button("✕", `Dismiss recommendation ${rank}`, () => actions.onDismiss(hit)),
    ),
  );
  card.tabIndex = 0;
  card.title = KEYS;
  card.setAttribute("aria-label", describe(hit, count));
  card.addEventListener("keydown", (event) => onKey(event, card, hit, actions));
  return card;
}

function renderHead({ confidence, labels }: Recommendation): HTMLElement {
  const head = element("div", "jp-celrec-Head");
  for (const label of labels) head.append(element("span", "jp-celrec-Tag", readable(label)));
  if (confidence !== null) {
    const percent = Math.round(100 * confidence);
    const bar = element("span", "jp-celrec-Bar");
    bar.style.setProperty("--celrec-share", `${percent}%`);
    const text = element("span", "jp-celrec-Confidence", bar, `${percent} %`);
    text.title = `${percent} % likely to help`;
    head.append(text);
  }
  return head;
}

/** The lines of the excerpt in the user's names; those that are typed already stand back. */
function renderLines({ adapted, code, excerpt, matched }: Recommendation, renderCode: RenderCode): HTMLElement {
  const own = adapted.code.split("\n");
  const isSameLength = own.length === code.split("\n").length;
  const texts = excerpt.map(({ line, text }) => (isSameLength ? own[line]! : text));
  const box = element("pre", "jp-celrec-Code");
  for (const [at, row] of renderCode(texts).entries()) {
    const { line } = excerpt[at]!;
    const isTyped = matched.some(({ start, end }) => start <= line && line < end);
    if (isTyped) row.classList.add("jp-mod-typed");
    // Lines that are left out of a long cell.
    if (line > (excerpt[at - 1]?.line ?? -1) + 1) box.append(element("span", "jp-celrec-Gap", "⋯"));
    box.append(row);
  }
  if ((excerpt.at(-1)?.line ?? 0) < own.length - 1) box.append(element("span", "jp-celrec-Gap", "⋯"));
  return box;
}

function describe({ rank, confidence, labels, notebook, adapted }: Recommendation, count: number): string {
  const lines = adapted.insert === "" ? 0 : adapted.insert.split("\n").length;
  return [
    `Recommendation ${rank} of ${count}`,
    ...(confidence === null ? [] : [`${Math.round(100 * confidence)} percent likely to help`]),
    ...labels.map(readable),
    `adds ${lines} lines`,
    `from ${notebook.title ?? notebook.name}`,
  ].join(", ");
}

export function readable(label: string): string {
  return label.replaceAll("_", " ");
}

function onKey(event: KeyboardEvent, card: HTMLElement, hit: Recommendation, actions: CardActions): void {
  // Keys on a button of the card are the button's.
  if (event.target !== card || event.ctrlKey || event.metaKey || event.altKey) return;
  const focus = (other: Element | null) => (other as HTMLElement | null)?.focus();
  const does: Record<string, () => void> = {
    Enter: () => actions.onUse(event.shiftKey ? "cell" : "insert", hit),
    r: () => actions.onUse("replace", hit),
    c: () => actions.onUse("copy", hit),
    o: () => actions.onOrigin(hit),
    Delete: () => actions.onDismiss(hit),
    Escape: () => actions.onLeave(),
    ArrowDown: () => focus(card.nextElementSibling),
    ArrowUp: () => focus(card.previousElementSibling),
  };
  const act = does[event.key] ?? does[event.key.toLowerCase()];
  if (act === undefined) return;
  event.preventDefault();
  event.stopPropagation();
  act();
}
