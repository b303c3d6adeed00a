import type { Cell } from "@jupyterlab/cells";
import type { INotebookTracker } from "@jupyterlab/notebook";
import type { Answer, CompletionAnswer } from "./answers.js";
import type { Completer } from "./completer.js";
import { createOffers, type Offer } from "./offers.js";
import type { Place } from "./place.js";
import type { Service } from "./service.js";
import type { Settings } from "./settings.js";

export interface AskedAnswers {
  readonly place: Place;
  readonly answer: Answer;
  /** The first completion becomes the first offer; null if an older remote service has no completions. */
  readonly completed: CompletionAnswer | null;
  /** One offer per card, in order. */
  readonly offers: readonly Offer[];
}

/** The state of the panel. `asking` keeps the previous cards. */
export type State =
  | { readonly kind: "nothing" }
  | { readonly kind: "asking" }
  | { readonly kind: "answer"; readonly asked: AskedAnswers }
  | { readonly kind: "trouble"; readonly message: string };

export interface FollowDeps {
  readonly tracker: INotebookTracker;
  readonly service: Service;
  readonly completer: Completer;
  readonly settings: () => Settings;
  readonly readPlace: (panel: Place["panel"]) => Place | null;
  /** Whether an answer would be visible. */
  readonly isWanted: () => boolean;
  readonly onState: (state: State) => void;
}

const RETRY_DELAY_MS = 3000;

export type Follower = ReturnType<typeof createFollower>;

/**
 * Requests recommendations for the active cell after each pause in typing. A new request cancels the previous one. The
 * state is `asking` from the first key on, so that outdated answers cannot be used.
 */
export function createFollower({ tracker, service, completer, settings, readPlace, isWanted, onState }: FollowDeps) {
  let timer = 0;
  let asking: AbortController | null = null;
  let last: { key: string; asked: AskedAnswers } | null = null;
  let followed: Cell | null = null;

  function schedule(pause = settings().pause): void {
    clearTimeout(timer);
    asking?.abort();
    onState({ kind: "asking" });
    timer = window.setTimeout(() => void ask(), pause);
  }

  async function ask(): Promise<void> {
    const panel = tracker.currentWidget;
    const place = panel === null ? null : readPlace(panel);
    if (place === null) {
      last = null;
      onState({ kind: "nothing" });
      return;
    }
    const key = JSON.stringify([panel!.id, place.cell.model.id, place.question, place.completion.suffix]);
    if (last?.key === key) {
      // The request is unchanged, but offsets may have changed.
      last = { key, asked: { ...last.asked, place } };
      onState({ kind: "answer", asked: last.asked });
      return;
    }
    asking = new AbortController();
    const { signal } = asking;
    try {
      const asks = [
        service.recommend(place.question, signal),
        completer.ask(place.completion).catch(() => null),
      ] as const;
      const [answer, completed] = await Promise.all(asks);
      if (signal.aborted) return;
      const [first = null] = completed?.completions ?? [];
      const { prefix, suffix, context } = place.completion;
      const cursor = { prefix, suffix, before: context.before };
      const asked = { place, answer, completed, offers: createOffers(cursor, first, answer.recommendations) };
      last = { key, asked };
      onState({ kind: "answer", asked });
    } catch (error) {
      if (signal.aborted) return;
      last = null;
      onState({ kind: "trouble", message: (error as Error).message });
      timer = window.setTimeout(() => void ask(), RETRY_DELAY_MS);
    }
  }

  const onTyped = () => {
    if (settings().follow && isWanted()) schedule();
  };

  function follow(cell: Cell | null): void {
    followed?.model?.contentChanged.disconnect(onTyped);
    followed?.editor?.model.selections.changed.disconnect(onTyped);
    followed = cell;
    cell?.model.contentChanged.connect(onTyped);
    void cell?.ready.then(() => {
      if (followed === cell) cell.editor?.model.selections.changed.connect(onTyped);
    });
    onTyped();
  }

  tracker.activeCellChanged.connect((_, cell) => follow(cell));
  tracker.currentChanged.connect(onTyped);

  return {
    /** Asks again after the usual pause. */
    refresh: onTyped,
    /** Asks at once, even if automatic requests are turned off. */
    now(): void {
      last = null;
      schedule(0);
    },
  };
}
