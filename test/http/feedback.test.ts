import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { problemOf, startService, upload } from "./service.js";

describe("feedback", () => {
  it("is counted by label, rank, mode, confidence and embedder, and holds no code", async () => {
    const service = await startService({ CELREC_FEEDBACK: "on" });
    await upload(service, "a", ["model.fit(X, y)", "x = 1"]);
    const answer = await service.call("POST", "/v1/recommendations", { code: "model.fit(", k: 2, mode: "complete" });
    const tell = (rank: number, event: string, recommendation = answer.body.id) =>
      service.call("POST", "/v1/feedback", { recommendation, rank, event });
    for (const [rank, event] of [
      [1, "shown"],
      [2, "shown"],
      [1, "accepted"],
      [1, "edited"],
      [2, "dismissed"],
    ] as const)
      expect((await tell(rank, event)).status).toBe(204);
    expect(problemOf(await tell(3, "shown"))).toEqual({
      status: 404,
      detail: `The answer ${answer.body.id} has no hit at rank 3.`,
    });
    expect(problemOf(await tell(1, "shown", "other")).status).toBe(404);
    expect(problemOf(await tell(1, "liked"))).toMatchObject({
      status: 400,
      detail: '`event` must be one of shown, accepted, edited, dismissed, not "liked"',
    });
    const { body } = await service.call("GET", "/v1/feedback/summary");
    const interval = (low: number, high: number) => [expect.closeTo(low, 4), expect.closeTo(high, 4)];
    const one = { shown: 1, accepted: 1, rate: 1, interval: interval(0.2065, 1) };
    const none = { shown: 1, accepted: 0, rate: 0, interval: interval(0, 0.7935) };
    const half = { shown: 2, accepted: 1, rate: 0.5, interval: interval(0.0945, 0.9055) };
    expect(body).toEqual({
      events: { shown: 2, accepted: 1, edited: 1, dismissed: 1 },
      all: half,
      byLabel: { train_model: one, none },
      byRank: { 1: one, 2: none },
      byMode: { complete: half },
      byConfidence: { unknown: half },
      byEmbedder: { [service.deps.embedder.id]: half },
      byDay: { [new Date().toISOString().slice(0, 10)]: half },
    });
    expect(readFileSync(join(service.folder, "feedback.jsonl"), "utf8")).not.toContain("fit");
  });

  it("is stored for completions", async () => {
    const service = await startService({ CELREC_FEEDBACK: "on" });
    const { body } = await service.call("POST", "/v1/completions", { prefix: "import pandas as p", minConfidence: 0 });
    const event = { recommendation: body.id, rank: 1, event: "accepted" };
    expect((await service.call("POST", "/v1/feedback", event)).status).toBe(204);
    const summary = (await service.call("GET", "/v1/feedback/summary")).body;
    expect(summary.events).toEqual({ shown: 0, accepted: 1, edited: 0, dismissed: 0 });
    expect(Object.keys(summary.byMode)).toEqual(["cursor"]);
  });

  it("is not stored unless it is turned on", async () => {
    const service = await startService();
    const event = { recommendation: "a", rank: 1, event: "shown" };
    for (const answer of [
      await service.call("POST", "/v1/feedback", event),
      await service.call("GET", "/v1/feedback/summary"),
    ])
      expect(problemOf(answer)).toEqual({
        status: 404,
        detail: "Feedback is turned off; the operator of the service can set CELREC_FEEDBACK=on.",
      });
  });
});
