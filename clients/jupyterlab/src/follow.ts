import type { Cell } from "@jupyterlab/cells";
import type { INotebookTracker } from "@jupyterlab/notebook";
import type { Answer } from "./answers.js";
import { type Place, readPlace } from "./question.js";
import type { Service } from "./service.js";
import type { Settings } from "./settings.js";

export interface Asked {
  readonly place: Place;
  readonly answer: Answer;
}

/** What there is to show. `asking` keeps what was shown before. */
export type State =
  | { readonly kind: "nothing" }
  | { readonly kind: "asking" }
  | { readonly kind: "answer"; readonly asked: Asked }
  | { readonly kind: "trouble"; readonly message: string };

export interface FollowDeps {
  readonly tracker: INotebookTracker;
  readonly service: Service;
  readonly settings: () => Settings;
  readonly variables: (panel: Place["panel"]) => Readonly<Record<string, string>>;
  /** Whether anybody would see an answer. */
  readonly isWanted: () => boolean;
  readonly onState: (state: State) => void;
}

/** How long after a failure the service is asked again, if nothing else happens. */
const AGAIN_MS = 3000;

export type Follower = ReturnType<typeof createFollower>;

/**
 * Asks about the active cell after each pause of typing. One question is on its way at most: a newer one cancels it. The
 * panel and the ghost text share its answers.
 */
export function createFollower({ tracker, service, settings, variables, isWanted, onState }: FollowDeps) {
  let timer = 0;
  let asking: AbortController | null = null;
  let last: { key: string; asked: Asked } | null = null;
  let waiting: ((asked: Asked | null) => void)[] = [];
  let followed: Cell | null = null;

  const settle = (asked: Asked | null) => {
    const resolvers = waiting;
    waiting = [];
    for (const resolve of resolvers) resolve(asked);
  };

  function schedule(pause = settings().pause): void {
    clearTimeout(timer);
    asking?.abort();
    timer = window.setTimeout(() => void ask(), pause);
  }

  async function ask(): Promise<void> {
    const panel = tracker.currentWidget;
    const place = panel === null ? null : readPlace(panel, settings().count, variables(panel));
    if (place === null) {
      last = null;
      onState({ kind: "nothing" });
      return settle(null);
    }
    const key = JSON.stringify([panel!.id, place.cell.model.id, place.question]);
    if (last?.key === key) {
      // The text may have moved under an equal question.
      last = { key, asked: { ...last.asked, place } };
      onState({ kind: "answer", asked: last.asked });
      return settle(last.asked);
    }
    asking = new AbortController();
    const { signal } = asking;
    onState({ kind: "asking" });
    try {
      const asked = { place, answer: await service.recommend(place.question, signal) };
      if (signal.aborted) return;
      last = { key, asked };
      onState({ kind: "answer", asked });
      settle(asked);
    } catch (error) {
      if (signal.aborted) return;
      last = null;
      onState({ kind: "trouble", message: (error as Error).message });
      settle(null);
      timer = window.setTimeout(() => void ask(), AGAIN_MS);
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
    /** Asks again soon, as if something was typed. */
    refresh: onTyped,
    /** Asks at once, also where the user did not want that by itself. */
    now(): void {
      last = null;
      schedule(0);
    },
    /** The answer to what stands there after the pause; null where something else is typed before, or nothing is found. */
    soon: (): Promise<Asked | null> =>
      new Promise((resolve) => {
        settle(null);
        waiting.push(resolve);
        schedule();
      }),
  };
}
