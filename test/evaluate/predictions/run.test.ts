import { describe, expect, it } from "vitest";
import { em } from "../../../src/evaluate/metrics/em.js";
import { type PredictionAnswer, runPredictions } from "../../../src/evaluate/predictions/prediction-run.js";
import { createScorer, measuresOf } from "../../../src/evaluate/predictions/prediction-score.js";
import type { Target } from "../../../src/evaluate/target.js";

describe("runPredictions", () => {
  /** Echoes the question; stops the run after `max` questions. */
  const createEcho = (name: string, asked: string[], stop?: { readonly after: number; now(): void }): Target => ({
    name,
    settings: {},
    prepare: async () => {},
    add: async () => {},
    async recommend({ context }) {
      asked.push(`${name} ${context!.markdown}`);
      if (asked.length === stop?.after) stop.now();
      return { hits: [{ code: context!.markdown, score: null, confidence: null }], junk: 0, took: { total: 1 } };
    },
    close: async () => {},
  });
  const cases = ["a", "b", "c"].map((id) => ({ id, notebook: id, reference: id === "c" ? "other" : id }));
  const run = (entries: PredictionAnswer[], asked: string[], after?: number) => {
    const abort = new AbortController();
    const stop = after === undefined ? undefined : { after, now: () => abort.abort() };
    const score = createScorer([em]);
    return runPredictions({
      target: createEcho("target", asked, stop),
      baselines: new Map([["echo", createEcho("baseline", asked, stop)]]),
      ...{ cases, index: [], k: 1, jobs: 1, measures: measuresOf([em]), published: [], config: {} },
      signal: abort.signal,
      manifest: { versions: {}, settings: {}, inputs: {} },
      onProgress: () => {},
      journal: {
        folder: "",
        entries: [...entries],
        add: (entry) => entries.push(entry),
        finish: () => {},
        isOpen: () => true,
      },
      toQuery: ({ id }, k) => ({ code: "", k, context: { before: [], markdown: id } }),
      score: ({ reference }, hits) =>
        score(
          hits.map(({ code }) => code),
          reference,
        ),
    });
  };

  it("keeps the answers of target and baselines when it is interrupted, and asks each question once", async () => {
    const asked: string[] = [];
    const entries: PredictionAnswer[] = [];
    expect(await run(entries, asked, 3)).toBeNull();
    expect(asked).toEqual(["target a", "baseline a", "target b", "baseline b"]);
    const result = await run(entries, asked);
    expect(asked.slice(4)).toEqual(["target c", "baseline c"]);
    expect(entries.map(({ id, system }) => [id, system])).toEqual([
      ["a", undefined],
      ["a", "echo"],
      ["b", undefined],
      ["b", "echo"],
      ["c", undefined],
      ["c", "echo"],
    ]);
    expect(result!.metrics).toEqual({ em: 2 / 3, "best-em": 2 / 3 });
    expect(result!.baselines.echo!.metrics).toEqual({ em: 2 / 3, "best-em": 2 / 3 });
    expect(result!.cases.map(({ texts }) => Object.values(texts!))).toEqual([["a"], ["b"], ["c"]]);
  });
});
