import * as vscode from "vscode";
import { CARD_CONFIDENCE, isGhostText } from "../../jupyterlab/src/offers.js";
import { type Place, readPlace } from "./place.js";
import type { Service } from "./service.js";

/** Pause before a request; short, because a completion is cheap. */
const PAUSE_MS = 60;
/** Number of completions: the first one, and those that Alt+] shows after it. */
const COMPLETIONS = 3;

/** The texts to show at a place, the likeliest first. */
export interface CompletionTexts {
  readonly texts: readonly string[];
  /** Whether the texts are likely enough for ghost text; if not, the first one is only shown as a card. */
  readonly isGhostText: boolean;
}

export type AskCompletions = (place: Place, signal: AbortSignal) => Promise<CompletionTexts>;

/** Completions at the cursor; in an empty cell the next cell. */
export function createAskCompletions(service: Service): AskCompletions {
  return async (place, signal) => {
    const settings = vscode.workspace.getConfiguration("celrec");
    const minConfidence = settings.get("ghostConfidence", 0.4);
    const { prefix, suffix, before, after, markdown } = place;
    const context = { before: [...before], ...(markdown !== "" && { markdown }) };
    if (prefix + suffix === "" || (prefix + suffix).trim() === "") {
      if (before.length === 0 && markdown === "") return { texts: [], isGhostText: false };
      const next = await service.ask((client) =>
        client.recommend({ code: "", mode: "next", k: COMPLETIONS, minConfidence, context }, { signal }),
      );
      return { texts: next.recommendations.map(({ adapted }) => adapted.code), isGhostText: true };
    }
    const { completions } = await service.ask((client) =>
      client.complete(
        {
          prefix,
          suffix,
          k: COMPLETIONS,
          maxLines: settings.get("ghostLines", 1),
          minConfidence,
          fallbackConfidence: CARD_CONFIDENCE,
          context: { ...context, after: [...after] },
        },
        { signal },
      ),
    );
    return { texts: completions.map(({ text }) => text), isGhostText: isGhostText(completions, { minConfidence }) };
  };
}

/** Ghost text in notebook cells and in scripts with `# %%` cells. */
export function createGhostProvider(
  ask: AskCompletions,
  onProblem: (error: unknown) => void,
): vscode.InlineCompletionItemProvider {
  return {
    async provideInlineCompletionItems(document, position, { selectedCompletionInfo }, token) {
      const isOn = vscode.workspace.getConfiguration("celrec").get("ghostText", true);
      // The list of suggestions handles the keys while it is open.
      if (!isOn || selectedCompletionInfo !== undefined) return [];
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
      const place = token.isCancellationRequested ? null : readPlace(document, position);
      if (place === null) return [];
      const controller = new AbortController();
      const cancelled = token.onCancellationRequested(() => controller.abort());
      try {
        const { texts, isGhostText } = await ask(place, controller.signal);
        if (!isGhostText) return [];
        return texts.map((text) => new vscode.InlineCompletionItem(text, new vscode.Range(position, position)));
      } catch (error) {
        if (!token.isCancellationRequested) onProblem(error);
        return [];
      } finally {
        cancelled.dispose();
      }
    },
  };
}
