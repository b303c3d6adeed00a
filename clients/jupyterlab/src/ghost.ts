import type { CompletionHandler, IInlineCompletionContext, IInlineCompletionProvider } from "@jupyterlab/completer";
import { NotebookPanel } from "@jupyterlab/notebook";
import type { Completer } from "./completer.js";
import type { Feedback } from "./feedback.js";
import { icon } from "./icon.js";
import { GHOST_PAUSE_MS, isGhostText } from "./offers.js";
import type { Place } from "./place.js";
import type { Settings } from "./settings.js";

export interface GhostDeps {
  readonly completer: Completer;
  readonly feedback: Feedback;
  readonly settings: () => Settings;
  readonly readPlace: (panel: NotebookPanel) => Place | null;
}

/** The first token of a text with the space before it, or a line break with the indentation after it. */
export function firstToken(text: string): string {
  const token = /^(?:[^\S\n]*\n\s*|[^\S\n]*(?:\w+|"[^"\n]*"?|'[^'\n]*'?|[^\w\s"']+))/;
  return token.exec(text)?.[0] ?? text;
}

/** The completion at the cursor as ghost text, with alternatives for Alt+]. */
export function createGhostProvider({
  completer,
  feedback,
  settings,
  readPlace,
}: GhostDeps): IInlineCompletionProvider {
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
      await new Promise((resolve) => setTimeout(resolve, GHOST_PAUSE_MS));
      // Another key was pressed, or JupyterLab asks about other text.
      const place = number === newest ? readPlace(widget) : null;
      if (place === null || place.completion.prefix !== text.slice(0, offset)) return nothing;
      // The panel reports a service that does not answer.
      const answer = await completer.ask(place.completion).catch(() => null);
      if (answer === null || number !== newest || !isGhostText(answer.completions, place.completion)) return nothing;
      feedback.watchGhost(place, answer);
      return { items: answer.completions.map(({ text: insertText }) => ({ insertText })) };
    },
  };
}
