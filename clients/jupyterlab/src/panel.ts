import { Widget } from "@lumino/widgets";
import { type CardActions, readable, renderCard } from "./card.js";
import type { RenderCode } from "./code-lines.js";
import { button, element } from "./element.js";
import type { State } from "./follow.js";
import { icon } from "./icon.js";

export interface PanelDeps {
  readonly renderCode: RenderCode;
  readonly actions: CardActions;
  readonly onShow: () => void;
  readonly onAgain: () => void;
  readonly onConnect: () => void;
  readonly onIndex: (what: "notebook" | "folder") => void;
}

export type RecommendationPanel = ReturnType<typeof createPanel>;

const HINT =
  "Type some Python in a cell: recommended cells appear here. For an empty cell they are what usually comes next.";
const MODES = { complete: "to go on with", next: "of what usually comes next", similar: "like this one" };

/** Tells when it comes into sight. A hook on its messages would do, were all versions of JupyterLab to share the module for those. */
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

/** The side panel. It shows states; it decides nothing. */
export function createPanel({ renderCode, actions, onShow, onAgain, onConnect, onIndex }: PanelDeps) {
  const widget = new ShownWidget(onShow);
  widget.id = "celrec-panel";
  widget.title.icon = icon;
  widget.title.caption = "Recommended cells (celrec)";
  widget.addClass("jp-celrec-Panel");
  const status = element("p", "jp-celrec-Status", HINT);
  status.setAttribute("role", "status");
  const tasks = element("div", "jp-celrec-Tasks");
  const cards = element("ol", "jp-celrec-Cards");
  cards.setAttribute("aria-label", "Recommended cells");
  const trouble = element("div", "jp-celrec-Trouble");
  trouble.setAttribute("role", "alert");
  trouble.hidden = true;
  const stats = element("span", "jp-celrec-Stats");
  const foot = element(
    "footer",
    "jp-celrec-Foot",
    stats,
    button("Index notebook", "Add this notebook to the index", () => onIndex("notebook")),
    button("Index folder", "Add the notebooks of the current folder to the index", () => onIndex("folder")),
    button("Service…", "Choose the celrec service", onConnect),
  );
  widget.node.append(element("h2", "jp-celrec-Title", "Recommended cells"), status, tasks, trouble, cards, foot);

  return {
    widget,
    tasks,
    focus(): void {
      (cards.querySelector<HTMLElement>("li") ?? status).focus();
    },
    tell(text: string): void {
      status.textContent = text;
    },
    showStats(text: string): void {
      stats.textContent = text;
    },
    render(state: State): void {
      widget.toggleClass("jp-mod-asking", state.kind === "asking");
      if (state.kind === "asking") {
        if (status.textContent === HINT) status.textContent = "Starting the service…";
        return;
      }
      trouble.hidden = state.kind !== "trouble";
      if (state.kind === "trouble") {
        const again = button("Try again", "Ask the service again", onAgain);
        const connect = button("Connect to a service…", "Use a celrec service on another machine", onConnect);
        trouble.replaceChildren(element("p", "", state.message), again, connect);
        status.textContent = "";
        cards.replaceChildren();
        return;
      }
      if (state.kind === "nothing") {
        status.textContent = HINT;
        cards.replaceChildren();
        return;
      }
      const { answer } = state.asked;
      const count = answer.recommendations.length;
      const task = answer.query.primary === null ? "" : `; this looks like: ${readable(answer.query.primary)}`;
      status.textContent =
        count === 0
          ? `No good match${task}.`
          : `${count} ${count === 1 ? "cell" : "cells"} ${MODES[answer.mode]}${task}`;
      cards.replaceChildren(...answer.recommendations.map((hit) => renderCard(hit, count, renderCode, actions)));
    },
  };
}
