import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { LRUCache } from "lru-cache";
import { RecommenderError } from "../errors.js";
import { makeFolders } from "../notebook/file-system.js";
import type { RecommendAnswer, Recommendation } from "../recommend/recommendation.js";
import type { Acceptance, FeedbackKind, FeedbackSummary } from "./answers.js";
import type { FeedbackRequest } from "./requests.js";

/** Feedback is accepted for this many of the latest answers. */
const MAX_ANSWERS = 20_000;
const FILE = "feedback.jsonl";

interface FeedbackOptions {
  /** Events are stored only if the operator turned feedback on. */
  readonly isOn: boolean;
  /** The folder of the index. */
  readonly folder: string;
  readonly embedder: string;
}

/** The parts of an answer that feedback needs. */
export interface ShownAnswer extends Pick<RecommendAnswer, "id"> {
  /** The mode of an answer with cells; `cursor` for completions. */
  readonly mode: RecommendAnswer["mode"] | "cursor";
  readonly recommendations: readonly Pick<Recommendation, "rank" | "confidence" | "labels">[];
}

/** Records whether users accepted recommendations. Stores the rank, labels and confidence of a hit, never code. */
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
    /** Remembers an answer, so an event only needs its id and a rank. */
    remember({ id, mode, recommendations }: ShownAnswer): void {
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
            ? `There is no answer ${recommendation}; feedback is accepted for the last ${MAX_ANSWERS.toLocaleString("en")} answers since the start.`
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

export { EVENTS } from "./answers.js";

/** One event as stored. */
export interface FeedbackEvent {
  readonly at: string;
  readonly event: FeedbackKind;
  readonly recommendation: string;
  readonly rank: number;
  readonly mode: string;
  readonly confidence: number | null;
  readonly labels: readonly string[];
  readonly embedder: string;
}

type Groups = Readonly<Record<string, Acceptance>>;

/** A hit that was shown, with the data of its last event and the time of its first one. */
interface SeenHit {
  readonly hit: FeedbackEvent;
  readonly isAccepted: boolean;
}

const Z_95 = 1.96;
const CONFIDENCE_BANDS = 5;

/**
 * A hit counts once, however many events it has. An edited hit was accepted, and any event implies that it was shown.
 */
export function seenHits(events: readonly FeedbackEvent[]): SeenHit[] {
  const hits = new Map<string, SeenHit>();
  for (const each of events) {
    const key = `${each.recommendation} ${each.rank}`;
    const known = hits.get(key);
    const isAccepted = (known?.isAccepted ?? false) || each.event === "accepted" || each.event === "edited";
    hits.set(key, { hit: { ...each, at: known?.hit.at ?? each.at }, isAccepted });
  }
  return [...hits.values()];
}

export function summarize(events: readonly FeedbackEvent[]): FeedbackSummary {
  const seen = seenHits(events);
  const count = (event: string) => events.filter((each) => each.event === event).length;
  return {
    events: {
      shown: count("shown"),
      accepted: count("accepted"),
      edited: count("edited"),
      dismissed: count("dismissed"),
    },
    all: measureAcceptance(seen),
    byLabel: groupHits(seen, ({ labels }) => (labels.length === 0 ? ["none"] : labels)),
    byRank: groupHits(seen, ({ rank }) => [String(rank)]),
    byMode: groupHits(seen, ({ mode }) => [mode]),
    byConfidence: groupHits(seen, ({ confidence }) => [bandOf(confidence)]),
    byEmbedder: groupHits(seen, ({ embedder }) => [embedder]),
    byDay: groupHits(seen, ({ at }) => [at.slice(0, 10)]),
  };
}

function groupHits(seen: readonly SeenHit[], keysOf: (hit: FeedbackEvent) => readonly string[]): Groups {
  const groups = new Map<string, SeenHit[]>();
  for (const each of seen) for (const key of keysOf(each.hit)) groups.set(key, [...(groups.get(key) ?? []), each]);
  return Object.fromEntries(
    [...groups].sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, hits]) => [key, measureAcceptance(hits)]),
  );
}

function bandOf(confidence: number | null): string {
  if (confidence === null) return "unknown";
  const band = Math.min(CONFIDENCE_BANDS - 1, Math.floor(confidence * CONFIDENCE_BANDS));
  return `${(band / CONFIDENCE_BANDS).toFixed(1)}-${((band + 1) / CONFIDENCE_BANDS).toFixed(1)}`;
}

/** Wilson's interval, because it also holds for few events. */
function measureAcceptance(seen: readonly SeenHit[]): Acceptance {
  const shown = seen.length;
  const accepted = seen.filter(({ isAccepted }) => isAccepted).length;
  if (shown === 0) return { shown, accepted, rate: null, interval: null };
  const rate = accepted / shown;
  const middle = rate + Z_95 ** 2 / (2 * shown);
  const spread = Z_95 * Math.sqrt((rate * (1 - rate)) / shown + Z_95 ** 2 / (4 * shown ** 2));
  const whole = 1 + Z_95 ** 2 / shown;
  return {
    shown,
    accepted,
    rate,
    interval: [Math.max(0, (middle - spread) / whole), Math.min(1, (middle + spread) / whole)],
  };
}
