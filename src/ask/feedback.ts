import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { LRUCache } from "lru-cache";
import { RecommenderError } from "../errors.js";
import { makeFolders } from "../notebook/file-system.js";
import type { RecommendAnswer } from "../recommend/recommendation.js";
import { type FeedbackEvent, summarize } from "./feedback-summary.js";
import type { FeedbackRequest } from "./requests.js";

/** Answers that can still be spoken of. */
const REMEMBERED = 20_000;
const FILE = "feedback.jsonl";

export interface FeedbackOptions {
  /** Events are kept only where whoever runs the service wants them. */
  readonly isOn: boolean;
  /** The folder of the index. */
  readonly folder: string;
  readonly embedder: string;
}

/** What people did with what they were shown; no code is kept, only where a hit stood and what was known of it. */
export function createFeedback({ isOn, folder, embedder }: FeedbackOptions) {
  const answers = new LRUCache<string, readonly Omit<FeedbackEvent, "event" | "at">[]>({ max: REMEMBERED });
  const file = join(folder, FILE);
  const checkOn = () => {
    if (!isOn)
      throw new RecommenderError(
        "NOT_FOUND",
        "Feedback is not kept here; whoever runs the service can set CELREC_FEEDBACK=on.",
      );
  };
  return {
    /** Keeps in mind what was shown, so that an event need only name it. */
    remember({ id, mode, recommendations }: RecommendAnswer): void {
      if (!isOn) return;
      const shown = recommendations.map(({ rank, confidence, labels }) => ({
        recommendation: id,
        rank,
        mode,
        confidence,
        labels,
        embedder,
      }));
      answers.set(id, shown);
    },
    add({ recommendation, rank, event }: FeedbackRequest): void {
      checkOn();
      const shown = answers.get(recommendation);
      const hit = shown?.find((each) => each.rank === rank);
      if (hit === undefined) {
        throw new RecommenderError(
          "NOT_FOUND",
          shown === undefined
            ? `There is no answer ${recommendation}; the last ${REMEMBERED.toLocaleString("en")} since the start are known.`
            : `The answer ${recommendation} has no hit at rank ${rank}.`,
        );
      }
      makeFolders(folder);
      appendFileSync(file, `${JSON.stringify({ at: new Date().toISOString(), event, ...hit })}\n`);
    },
    summary() {
      checkOn();
      return summarize(readEvents(file));
    },
  };
}

export type Feedback = ReturnType<typeof createFeedback>;

/** A last line that a crash cut short is left out. */
function readEvents(file: string): FeedbackEvent[] {
  if (!existsSync(file)) return [];
  return readFileSync(file, "utf8")
    .split("\n")
    .flatMap((line) => {
      try {
        return line === "" ? [] : [JSON.parse(line) as FeedbackEvent];
      } catch {
        return [];
      }
    });
}
