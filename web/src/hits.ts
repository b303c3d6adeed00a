import type { Recommendation } from "../../src/client/client.js";
import { renderCode } from "./editor.js";

export interface HitActions {
  onUse(hit: Recommendation): void;
  onCopy(hit: Recommendation): void;
}

export type ShownHit = Pick<Recommendation, "rank" | "id" | "code" | "labels" | "occurrences" | "notebook"> &
  Partial<Pick<Recommendation, "confidence" | "why">>;

/** One recommended cell as a card. */
export function renderHit(hit: ShownHit, typed: ReadonlySet<string>, actions: HitActions): HTMLElement {
  const card = element("li", "hit");
  const head = element("header", "");
  head.append(element("strong", "", `${hit.notebook.name} [${hit.notebook.cellIndex}]`));
  for (const label of hit.labels) head.append(element("span", "tag", label));
  if (hit.confidence != null) head.append(element("span", "", `useful with ${Math.round(100 * hit.confidence)} %`));
  if (hit.occurrences > 1) head.append(element("span", "", `stands in ${hit.occurrences} positions`));
  const foot = element("footer", "");
  foot.append(
    button("Use it", `Put recommendation ${hit.rank} into the cell`, () => actions.onUse(hit as Recommendation)),
    button("Copy", `Copy recommendation ${hit.rank}`, () => actions.onCopy(hit as Recommendation)),
  );
  if (hit.why !== undefined) foot.append(renderWhy(hit.why));
  card.append(head, renderCode(hit.code, typed), foot);
  return card;
}

/** What speaks for the hit, strongest first. */
function renderWhy(why: Readonly<Record<string, number>>): HTMLElement {
  const box = document.createElement("details");
  const rows = element("div", "why");
  const shares = Object.entries(why).filter(([, share]) => Math.abs(share) > 0.01);
  shares.sort(([, one], [, other]) => Math.abs(other) - Math.abs(one));
  const most = Math.max(...shares.map(([, share]) => Math.abs(share)), 0.01);
  for (const [feature, share] of shares.slice(0, 8)) {
    const meter = document.createElement("meter");
    meter.max = most;
    meter.value = Math.abs(share);
    meter.setAttribute("aria-label", feature);
    rows.append(
      element("span", "", feature),
      meter,
      element("span", "", `${share < 0 ? "−" : "+"}${Math.abs(share).toFixed(2)}`),
    );
  }
  box.append(element("summary", "", "Why this one?"), rows);
  return box;
}

export function element(name: string, className: string, text = ""): HTMLElement {
  const made = document.createElement(name);
  if (className !== "") made.className = className;
  made.textContent = text;
  return made;
}

function button(text: string, label: string, onClick: () => void): HTMLElement {
  const made = element("button", "", text) as HTMLButtonElement;
  made.type = "button";
  made.setAttribute("aria-label", label);
  made.addEventListener("click", onClick);
  return made;
}
