import { Widget } from "@lumino/widgets";
import type { Answer } from "./answers.js";
import { type CardActions, readable, renderCard } from "./card.js";
import type { RenderCode } from "./code-lines.js";
import { button, element } from "./element.js";
import type { State } from "./follow.js";
import { icon } from "./icon.js";
import type { Offer } from "./offers.js";

export interface PanelDeps {
  readonly renderCode: RenderCode;
  readonly actions: CardActions;
  /** Called to return to the notebook. */
  readonly onLeave: () => void;
  readonly onShow: () => void;
  readonly onAgain: () => void;
  readonly onConnect: () => void;
  readonly onIndex: (what: "notebook" | "folder") => void;
  /** Shown above the cards, and in the head. */
  readonly notice: HTMLElement;
  readonly welcome: HTMLElement;
  readonly indexed: HTMLElement;
}

export type RecommendationPanel = ReturnType<typeof createPanel>;

const HINT =
  "Type Python in a cell to see recommended cells here. In an empty cell, you see cells that usually come next.";
const MODES = { complete: "that continue this one", next: "that usually come next", similar: "like this one" };

/**
 * Reports when the panel becomes visible. A message hook is not used, because not all JupyterLab versions share that
 * module.
 */
class ShownWidget extends Widget {
  constructor(private readonly onShow: () => void) {
    super();
  }

  protected override onAfterAttach(): void {
    this.onShow();
  }

  protected override onAfterShow(): void {
    this.onShow();
  }
}

/** The side panel. It renders states and makes no decisions. */
export function createPanel(deps: PanelDeps) {
  const { renderCode, actions, onLeave, onShow, onAgain, onConnect, onIndex, notice, welcome, indexed } = deps;
  const widget = new ShownWidget(onShow);
  widget.id = "celrec-panel";
  widget.title.icon = icon;
  widget.title.caption = "Recommended cells (celrec)";
  widget.addClass("jp-celrec-Panel");
  const status = element("p", "jp-celrec-Status", HINT);
  status.setAttribute("role", "status");
  status.tabIndex = -1;
  const tasks = element("div", "jp-celrec-Tasks");
  const cards = element("ol", "jp-celrec-Cards");
  cards.setAttribute("aria-label", "Recommended cells");
  const trouble = element("div", "jp-celrec-Trouble");
  trouble.setAttribute("role", "alert");
  trouble.hidden = true;
  const stats = element("span", "jp-celrec-Stats");
  const head = element(
    "div",
    "jp-celrec-Head",
    stats,
    button("Index notebook", "Add this notebook to the index", () => onIndex("notebook")),
    button("Index folder", "Add the notebooks of the current folder to the index", () => onIndex("folder")),
    button("Service…", "Choose the celrec service", onConnect),
    indexed,
  );
  const title = element("h2", "jp-celrec-Title", "Recommended cells");
  // At the top, because JupyterLab's notifications cover the bottom.
  widget.node.append(title, head, notice, welcome, status, tasks, trouble, cards);

  widget.node.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    event.preventDefault();
    event.stopPropagation();
    onLeave();
  });

  /** The position of the card that had the focus when a new question disabled the cards. */
  let focused = -1;
  const focus = (at = 0) => {
    const all = cards.querySelectorAll<HTMLElement>("li");
    (all[at] ?? all[0] ?? status).focus();
  };

  return {
    widget,
    tasks,
    focus: () => focus(),
    tell(text: string): void {
      status.textContent = text;
    },
    showStats(text: string): void {
      stats.textContent = text;
    },
    render(state: State): void {
      widget.toggleClass("jp-mod-asking", state.kind === "asking");
      const at = [...cards.children].findIndex((card) => card.contains(document.activeElement));
      if (at !== -1) focused = at;
      // Keeps the focus in the panel, so that keys for a card do not reach the notebook.
      if (at !== -1 && state.kind === "asking") status.focus();
      // Cards of an older question cannot be used.
      cards.inert = state.kind === "asking";
      if (state.kind === "asking") {
        if (status.textContent === HINT) status.textContent = "Looking for cells…";
        return;
      }
      trouble.hidden = state.kind !== "trouble";
      if (state.kind === "trouble") {
        const again = button("Try again", "Ask the service again", onAgain);
        const connect = button("Connect to a service…", "Use a celrec service on another machine", onConnect);
        trouble.replaceChildren(element("p", "", state.message), again, connect);
        status.textContent = "";
        cards.replaceChildren();
        focused = -1;
        return;
      }
      if (state.kind === "nothing") {
        status.textContent = HINT;
        cards.replaceChildren();
        focused = -1;
        return;
      }
      const { answer, offers, place } = state.asked;
      const count = offers.length;
      const { prefix } = place.completion;
      const line = prefix.slice(prefix.lastIndexOf("\n") + 1);
      status.textContent = describeAnswer(answer, offers);
      cards.replaceChildren(
        ...offers.map((offer, number) => renderCard(offer, { number: number + 1, count, line }, renderCode, actions)),
      );
      const isWaiting = [status, document.body].includes(document.activeElement as HTMLElement);
      if (focused !== -1 && isWaiting) focus(focused);
      focused = -1;
    },
  };
}

function describeAnswer(answer: Answer, offers: readonly Offer[]): string {
  const cells = offers.filter(({ hit }) => hit !== null).length;
  const task = answer.query.primary === null ? "" : `; this looks like: ${readable(answer.query.primary)}`;
  if (cells > 0) return `${cells} ${cells === 1 ? "cell" : "cells"} ${MODES[answer.mode]}${task}`;
  return offers.length > 0 ? `A completion at the cursor${task}` : `No good match${task}.`;
}
