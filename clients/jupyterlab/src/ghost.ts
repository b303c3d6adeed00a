import type { CompletionHandler, IInlineCompletionContext, IInlineCompletionProvider } from "@jupyterlab/completer";
import { NotebookPanel } from "@jupyterlab/notebook";
import type { Recommendation } from "./answers.js";
import { textBehindCursor } from "./behind-cursor.js";
import type { Feedback } from "./feedback.js";
import type { Follower } from "./follow.js";
import { icon } from "./icon.js";
import type { Settings } from "./settings.js";

export interface GhostDeps {
  readonly follower: Follower;
  readonly feedback: Feedback;
  readonly settings: () => Settings;
}

/** Offers the first lines of the best recommendation behind the cursor. */
export function createGhostProvider({ follower, feedback, settings }: GhostDeps): IInlineCompletionProvider {
  return {
    name: "celrec",
    identifier: "celrec",
    icon,
    async fetch({ text, offset }: CompletionHandler.IRequest, { widget }: IInlineCompletionContext) {
      const nothing = { items: [] };
      const { ghostText, ghostConfidence, ghostLines } = settings();
      if (!ghostText || !(widget instanceof NotebookPanel) || !isLineEnd(text, offset)) return nothing;
      const asked = await follower.soon();
      if (asked === null || asked.place.question.code !== text.slice(0, offset)) return nothing;
      const { code } = asked.place.question;
      const isSure = (hit: Recommendation) => (hit.confidence ?? 0) >= ghostConfidence;
      const fits = (hit: Recommendation) => textBehindCursor(hit, code, ghostLines).trim() !== "";
      const hit = asked.answer.recommendations.find((each) => isSure(each) && fits(each));
      if (hit === undefined) return nothing;
      const insertText = textBehindCursor(hit, code, ghostLines);
      const cell = asked.place.cell.model.sharedModel;
      watchTaken(cell, code + insertText, () => feedback.accepted(asked.answer, hit, { cell, text: insertText }));
      return { items: [{ insertText }] };
    },
  };
}

/** Grey text in the middle of a line would be in the way. */
function isLineEnd(text: string, offset: number): boolean {
  return /^[)\]}"']*\s*(\n|$)/.test(text.slice(offset));
}

/** JupyterLab does not tell a provider that its text was taken: the cell does. */
function watchTaken(
  cell: { getSource(): string; changed: { connect(slot: () => void): void; disconnect(slot: () => void): void } },
  taken: string,
  onTaken: () => void,
): void {
  const start = cell.getSource();
  const slot = () => {
    const source = cell.getSource();
    if (source === start) return;
    cell.changed.disconnect(slot);
    if (source.startsWith(taken)) onTaken();
  };
  cell.changed.connect(slot);
}
