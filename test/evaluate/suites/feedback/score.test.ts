import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { FeedbackEvent } from "../../../../src/ask/feedback.js";
import { readEvents, scoreFeedback } from "../../../../src/evaluate/suites/feedback/feedback-score.js";
import { makeFolder } from "../../../http/service.js";

const event = (
  recommendation: string,
  rank: number,
  what: FeedbackEvent["event"],
  confidence: number | null,
): FeedbackEvent => ({
  at: "2026-01-01T00:00:00.000Z",
  event: what,
  recommendation,
  rank,
  mode: "auto",
  confidence,
  labels: rank === 1 ? ["train_model"] : [],
  embedder: "pieces",
});

const EVENTS = [
  event("a", 1, "shown", 0.9),
  event("a", 2, "shown", 0.2),
  event("a", 1, "accepted", 0.9),
  event("a", 1, "edited", 0.9),
  event("b", 1, "shown", 0.5),
  event("b", 2, "dismissed", 0.1),
  event("c", 2, "accepted", null),
];
const bench = { manifest: { versions: {}, settings: {}, inputs: {} } };
const score = (events = EVENTS) => scoreFeedback({ events, unreadable: 0 }, bench, {});

describe("scoreFeedback", () => {
  it("counts every hit once: five were seen, two accepted, in two of three answers", () => {
    const { counts, metrics, byLabel, byRank } = score();
    expect(counts).toEqual({
      answers: 3,
      hits: 5,
      accepted: 2,
      "shown events": 3,
      "accepted events": 2,
      "edited events": 1,
      "dismissed events": 1,
    });
    expect([metrics.acceptance, metrics.helped]).toEqual([0.4, 2 / 3]);
    expect(byLabel.map(({ name, shown, accepted }) => [name, shown, accepted])).toEqual([
      ["none", 3, 1],
      ["train_model", 2, 1],
    ]);
    expect(byRank.map(({ name, rate }) => [name, rate])).toEqual([
      ["1", 0.5],
      ["2", 1 / 3],
    ]);
  });

  it("compares confidences with acceptance, and shows the effect of a higher minimum", () => {
    const { confidence, metrics } = score();
    // |1 - .9|, |0 - .2|, |0 - .5| and |0 - .1|, each of one hit in four.
    expect(metrics.ece).toBeCloseTo(0.225);
    expect(confidence!.hits).toBe(4);
    expect(confidence!.cutoffs[0]).toEqual({
      minConfidence: 0,
      hits: 4,
      answered: 1,
      helped: 0.5,
      shareAccepted: 0.25,
    });
    expect(confidence!.cutoffs[6]).toEqual({
      minConfidence: 0.6,
      hits: 1,
      answered: 0.5,
      helped: 0.5,
      shareAccepted: 1,
    });
  });

  it("has null figures without confidences, and without any events", () => {
    expect(score([event("a", 1, "shown", null)]).confidence).toBeNull();
    expect(score([]).metrics).toEqual({ acceptance: null, helped: null, ece: null });
  });
});

describe("readEvents", () => {
  it("skips and counts lines that are not events", () => {
    const file = join(makeFolder(), "feedback.jsonl");
    writeFileSync(file, `${JSON.stringify(EVENTS[0])}\n{"event": "shown"}\n{"at": "2026`);
    expect(readEvents(file)).toEqual({ events: [EVENTS[0]], unreadable: 2 });
  });

  it("explains where feedback comes from if there is none", () => {
    const file = join(makeFolder(), "feedback.jsonl");
    expect(() => readEvents(file)).toThrow(
      `There is no feedback in ${file}; a service keeps it if CELREC_FEEDBACK=on is set.`,
    );
  });
});
