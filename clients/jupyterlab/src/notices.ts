import { Notification } from "@jupyterlab/apputils";
import { button, element } from "./element.js";

/** What celrec reports about its own work. */
export interface Notice {
  readonly message: string;
  readonly kind: "progress" | "done" | "problem";
  /** From 0 to 1, for `progress`. */
  readonly share?: number;
  readonly onStop?: () => void;
}

const DONE_MS = 8_000;

/**
 * Shows one notice at a time: in the panel while that is visible, else as a notification of JupyterLab, which would cover
 * the buttons of the cards.
 */
export function createNotices(isPanelVisible: () => boolean) {
  const node = element("div", "jp-celrec-Notice");
  node.setAttribute("role", "status");
  node.hidden = true;
  let notification: string | null = null;
  let timer = 0;

  function showInPanel({ message, kind, share = 0, onStop }: Notice): void {
    const bar = element("progress", "");
    bar.value = share;
    bar.setAttribute("aria-label", "Indexing");
    const close = button("✕", "Close this message", hide);
    const stop = onStop === undefined ? [] : [button("Stop", "Stop indexing", onStop)];
    node.replaceChildren(element("p", "", message), ...(kind === "progress" ? [bar, ...stop] : [close]));
    node.classList.toggle("jp-mod-problem", kind === "problem");
    node.hidden = false;
    if (kind === "done") timer = window.setTimeout(hide, DONE_MS);
  }

  function hide(): void {
    node.hidden = true;
  }

  function notify({ message, kind, share = 1, onStop }: Notice): void {
    const type = kind === "progress" ? "in-progress" : kind === "done" ? "success" : "warning";
    const autoClose = kind === "done" ? DONE_MS : (false as const);
    const actions = onStop === undefined ? [] : [{ label: "Stop", callback: onStop }];
    if (notification === null) notification = Notification.emit(message, type, { autoClose, actions });
    else Notification.update({ id: notification, message, type, autoClose, actions, progress: share });
    if (kind !== "progress") notification = null;
  }

  return {
    node,
    show(notice: Notice): void {
      clearTimeout(timer);
      if (!isPanelVisible()) {
        hide();
        notify(notice);
        return;
      }
      if (notification !== null) Notification.dismiss(notification);
      notification = null;
      showInPanel(notice);
    },
  };
}
