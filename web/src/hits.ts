import type { Client, Recommendation } from "../../src/ask/client.js";
import { renderCode } from "./code.js";
import { button, element, plural, showLabel, showShare } from "./dom.js";
import { renderWhy } from "./why.js";

export type FoundCell = Awaited<ReturnType<Client["search"]>>["cells"][number];

/** The part of a hit to insert, and its rank. */
export interface Usable {
  readonly rank: number;
  readonly text: string;
  /** Whether the text goes after the typed code, and there on the same line. */
  readonly place: "cell" | "behind" | "line";
}

export interface HitActions {
  onUse(hit: Usable): void;
  onCopy(hit: Usable): void;
  onOpen(notebook: string, cellIndex: number): void;
}

/** Longer cells are shown as an excerpt. */
const SHORT = 16;

/** A recommended cell as a card, with the new lines highlighted. */
export function renderHit(hit: Recommendation, actions: HitActions): HTMLElement {
  const { code, insert, renamed } = hit.adapted;
  const names = new Map(Object.entries(renamed).map(([from, to]) => [to, from]));
  const texts = code.split("\n").map((line) => line.trim());
  const brought = insert.split("\n").map((line) => line.trim());
  const isBrought = (text: string) => brought.includes(text) || (hit.continuesLine && text.endsWith(brought[0]!));
  const lineClass = (line: number) => {
    if (hit.matched.some(({ start, end }) => line >= start && line < end)) return "typed";
    return isBrought(texts[line] ?? "") ? "brought" : "";
  };
  const usable: Usable =
    insert === ""
      ? { rank: hit.rank, text: code, place: "cell" }
      : { rank: hit.rank, text: insert, place: hit.continuesLine ? "line" : "behind" };
  const notes = Object.entries(renamed).map(([from, to]) => `${from} → ${to}`);
  const card = createCard(hit, usable, actions, (shown) =>
    renderCode(code, { lineClass, renamed: names, ...(shown && { shown }) }),
  );
  if (notes.length > 0)
    card.querySelector("footer")!.before(element("p", "hint names", `In your names: ${notes.join(", ")}`));
  if (hit.why !== undefined) card.querySelector("footer")!.append(renderWhy(hit.why, hit.rank));
  return card;
}

/** A cell that was found by words or by its label. */
export function renderFound(hit: FoundCell, actions: HitActions): HTMLElement {
  const excerpt = hit.code.split("\n").slice(0, SHORT);
  const usable: Usable = { rank: hit.rank, text: hit.code, place: "cell" };
  const cut = { ...hit, confidence: null, excerpt: excerpt.map((text, line) => ({ line, text })) };
  return createCard(cut, usable, actions, (shown) => renderCode(hit.code, shown && { shown }));
}

type Shown = FoundCell & Pick<Recommendation, "confidence" | "excerpt">;

function createCard(
  hit: Shown,
  usable: Usable,
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
    button("Use it", `Use it: put recommendation ${rank} into the cell`, () => actions.onUse(usable), "primary"),
    button("Copy", `Copy recommendation ${rank}`, () => actions.onCopy(usable)),
    button("Open notebook", `Open notebook of recommendation ${rank}`, () =>
      actions.onOpen(notebook.id, notebook.cellIndex),
    ),
  );
  return element("li", "hit", renderHead(hit), body, foot);
}

function renderHead({ notebook, labels, confidence, occurrences }: Shown): HTMLElement {
  const origin = element("strong", "", `${notebook.name} [${notebook.cellIndex}]`);
  origin.title = [notebook.source, notebook.author, notebook.licence].filter((fact) => fact !== undefined).join(" · ");
  const head = element("header", "", origin, ...labels.map((label) => element("span", "tag", showLabel(label))));
  if (confidence !== null) {
    const bar = element("span", "share sure");
    bar.style.setProperty("--share", String(confidence));
    head.append(element("span", "confidence", bar, `${showShare(confidence)} likely to help`));
  }
  if (occurrences > 1) head.append(element("span", "", `found in ${plural(occurrences, "place")}`));
  if ((notebook.votes ?? 0) > 0) head.append(element("span", "", plural(notebook.votes!, "vote")));
  return head;
}
