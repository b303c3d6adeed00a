import type { Answer, CompletionAnswer, FeedbackEvent, Recommendation } from "./answers.js";
import type { Placed } from "./insertion.js";
import type { Place } from "./place.js";
import type { Service } from "./service.js";

/** Milliseconds after which a visible answer counts as seen. */
const MIN_VISIBLE_MS = 700;
const CHECK_INTERVAL_MS = 1500;

/** Reports to the service which recommendations were used, if the user allowed it. */
export function createFeedback({ service, isOn }: { service: Service; isOn(): boolean }) {
  let seen: { answer: Answer; timer: number } | null = null;
  const told = new Set<string>();
  let stopGhost = () => {};

  function tell(answer: { readonly id: string }, rank: number, event: FeedbackEvent): void {
    const key = `${answer.id} ${rank} ${event}`;
    if (!isOn() || told.has(key)) return;
    told.add(key);
    // The service may have turned feedback off, which must not disturb the user.
    service.feedback(answer.id, rank, event).catch((error: Error) => console.debug(`celrec: ${error.message}`));
  }

  const tellShown = (answer: Answer) => {
    for (const { rank } of answer.recommendations) tell(answer, rank, "shown");
  };

  /** Reports `edited` if the user changes the inserted text within ten minutes. */
  function watch(answer: Answer, rank: number, { cell, text }: Placed): void {
    const timer = window.setInterval(() => {
      if (cell.getSource().includes(text.trim())) return;
      clearInterval(timer);
      tell(answer, rank, "edited");
    }, CHECK_INTERVAL_MS);
    window.setTimeout(() => clearInterval(timer), 10 * 60_000);
  }

  return {
    /** Ghost text counts as seen after a moment, and as accepted if it is inserted at once instead of typed. */
    watchGhost({ cell, completion }: Place, answer: CompletionAnswer): void {
      stopGhost();
      if (!isOn() || answer.completions.length === 0) return;
      const { prefix, suffix } = completion;
      const { sharedModel } = cell.model;
      let { length } = prefix + suffix;
      const onChanged = () => {
        const source = sharedModel.getSource();
        const added = source.length - length;
        length = source.length;
        const at = answer.completions.findIndex(({ text }) => source === prefix + text + suffix);
        if (at === -1 || added < 2) return;
        tell(answer, at + 1, "shown");
        tell(answer, at + 1, "accepted");
      };
      sharedModel.changed.connect(onChanged);
      const timer = window.setTimeout(() => tell(answer, 1, "shown"), MIN_VISIBLE_MS);
      stopGhost = () => {
        clearTimeout(timer);
        sharedModel.changed.disconnect(onChanged);
      };
    },
    /** Reports the outcome of the first card, if that is a completion. */
    completion(answer: CompletionAnswer, event: "accepted" | "dismissed"): void {
      tell(answer, 1, "shown");
      tell(answer, 1, event);
    },
    shown(answer: Answer | null): void {
      if (seen?.answer.id === answer?.id) return;
      if (seen !== null) clearTimeout(seen.timer);
      seen = answer && { answer, timer: window.setTimeout(() => tellShown(answer), MIN_VISIBLE_MS) };
    },
    accepted(answer: Answer, { rank }: Recommendation, placed: Placed | null): void {
      tellShown(answer);
      tell(answer, rank, "accepted");
      if (placed !== null && isOn()) watch(answer, rank, placed);
    },
    dismissed(answer: Answer, { rank }: Recommendation): void {
      tellShown(answer);
      tell(answer, rank, "dismissed");
    },
  };
}

export type Feedback = ReturnType<typeof createFeedback>;
