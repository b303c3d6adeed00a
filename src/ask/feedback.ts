import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { LRUCache } from "lru-cache";
import { RecommenderError } from "../errors.js";
import { makeFolders } from "../notebook/file-system.js";
import type { RecommendAnswer } from "../recommend/recommendation.js";
import { type FeedbackEvent, summarize } from "./feedback-summary.js";
import type { FeedbackRequest } from "./requests.js";

/** Feedback is accepted for this many of the latest answers. */
const MAX_ANSWERS = 20_000;
const FILE = "feedback.jsonl";

export interface FeedbackOptions {
  /** Events are stored only if the operator turned feedback on. */
  readonly isOn: boolean;
  /** The folder of the index. */
  readonly folder: string;
  readonly embedder: string;
}

/** What users did with recommendations. No code is stored, only the rank, labels and confidence of a hit. */
export function createFeedback({ isOn, folder, embedder }: FeedbackOptions) {
  const answers = new LRUCache<string, readonly Omit<FeedbackEvent, "event" | "at">[]>({ max: MAX_ANSWERS });
  const file = join(folder, FILE);
  const checkOn = () => {
    if (!isOn)
      throw new RecommenderError(
        "NOT_FOUND",
        "Feedback is turned off; the operator of the service can set CELREC_FEEDBACK=on.",
      );
  };
  return {
    /** Remembers an answer, so that an event need only name its id and a rank. */
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
            ? `There is no answer ${recommendation}; feedback is taken for the last ${MAX_ANSWERS.toLocaleString("en")} answers since the start.`
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

/** Skips a last line that a crash cut short. */
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
