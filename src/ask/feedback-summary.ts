import type { Acceptance, FeedbackKind, FeedbackSummary } from "./answers.js";

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

/** A hit that was shown, with the data of its last event. */
interface SeenHit {
  readonly hit: FeedbackEvent;
  readonly isAccepted: boolean;
}

const Z = 1.96;
const BANDS = 5;

/** A hit counts once, however many events it has. An edited hit was accepted, and any event implies that it was shown. */
export function seenHits(events: readonly FeedbackEvent[]): SeenHit[] {
  const hits = new Map<string, SeenHit>();
  for (const each of events) {
    const key = `${each.recommendation} ${each.rank}`;
    const isAccepted = (hits.get(key)?.isAccepted ?? false) || each.event === "accepted" || each.event === "edited";
    hits.set(key, { hit: each, isAccepted });
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
    all: measure(seen),
    byLabel: group(seen, ({ labels }) => (labels.length === 0 ? ["none"] : labels)),
    byRank: group(seen, ({ rank }) => [String(rank)]),
    byMode: group(seen, ({ mode }) => [mode]),
    byConfidence: group(seen, ({ confidence }) => [bandOf(confidence)]),
    byEmbedder: group(seen, ({ embedder }) => [embedder]),
  };
}

function group(seen: readonly SeenHit[], keysOf: (hit: FeedbackEvent) => readonly string[]): Groups {
  const groups = new Map<string, SeenHit[]>();
  for (const each of seen) for (const key of keysOf(each.hit)) groups.set(key, [...(groups.get(key) ?? []), each]);
  return Object.fromEntries(
    [...groups].sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, hits]) => [key, measure(hits)]),
  );
}

function bandOf(confidence: number | null): string {
  if (confidence === null) return "unknown";
  const band = Math.min(BANDS - 1, Math.floor(confidence * BANDS));
  return `${(band / BANDS).toFixed(1)}-${((band + 1) / BANDS).toFixed(1)}`;
}

/** Wilson's interval, because it also holds for few events. */
function measure(seen: readonly SeenHit[]): Acceptance {
  const shown = seen.length;
  const accepted = seen.filter(({ isAccepted }) => isAccepted).length;
  if (shown === 0) return { shown, accepted, rate: null, interval: null };
  const rate = accepted / shown;
  const middle = rate + Z ** 2 / (2 * shown);
  const spread = Z * Math.sqrt((rate * (1 - rate)) / shown + Z ** 2 / (4 * shown ** 2));
  const whole = 1 + Z ** 2 / shown;
  return {
    shown,
    accepted,
    rate,
    interval: [Math.max(0, (middle - spread) / whole), Math.min(1, (middle + spread) / whole)],
  };
}
