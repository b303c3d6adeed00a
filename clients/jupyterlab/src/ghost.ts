import type { CompletionHandler, IInlineCompletionContext, IInlineCompletionProvider } from "@jupyterlab/completer";
import { NotebookPanel } from "@jupyterlab/notebook";
import type { Completer } from "./completer.js";
import { icon } from "./icon.js";
import type { Place } from "./place.js";
import type { Settings } from "./settings.js";

export interface GhostDeps {
  readonly completer: Completer;
  readonly settings: () => Settings;
  readonly readPlace: (panel: NotebookPanel) => Place | null;
}

/** Shorter than the pause of the panel: a completion is cheap. */
const PAUSE_MS = 60;

/** The completion at the cursor as ghost text, with alternatives for Alt+]. */
export function createGhostProvider({ completer, settings, readPlace }: GhostDeps): IInlineCompletionProvider {
  const nothing = { items: [] as { insertText: string }[] };
  let newest = 0;

  return {
    name: "celrec",
    identifier: "celrec",
    icon,
    async fetch({ text, offset }: CompletionHandler.IRequest, { widget }: IInlineCompletionContext) {
      const number = ++newest;
      const { ghostText } = settings();
      if (!ghostText || !(widget instanceof NotebookPanel)) return nothing;
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
      // Another key was pressed, or JupyterLab asks about other text.
      const place = number === newest ? readPlace(widget) : null;
      if (place === null || place.completion.prefix !== text.slice(0, offset)) return nothing;
      // The panel reports a service that does not answer.
      const completions = await completer.ask(place.completion).catch(() => []);
      if (number !== newest) return nothing;
      return { items: completions.map(({ text: insertText }) => ({ insertText })) };
    },
  };
}
