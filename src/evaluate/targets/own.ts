import type { Complete } from "../../complete/request.js";
import type { Ingest } from "../../ingest/ingest.js";
import type { Recommend, RecommendRequest } from "../../recommend/recommend.js";
import type { VectorStore } from "../../store/vector-store.js";
import type { Target, TargetHit } from "../target.js";

export interface OwnTargetDeps {
  readonly ingest: Ingest;
  readonly recommend: Recommend;
  readonly complete: Complete;
  readonly store: VectorStore;
  /** What every question asks for beside code, k and context. */
  readonly request: Omit<RecommendRequest, "code" | "k" | "context">;
  readonly settings: Target["settings"];
  /** Frees the store, and removes the index that was made for this run. */
  readonly close: () => Promise<void>;
}

/** This recommender, in this process, on an index of its own. */
export function createOwnTarget(deps: OwnTargetDeps): Target {
  const { ingest, recommend, complete, store, request, settings, close } = deps;
  return {
    name: "celrec",
    settings,
    takesVariables: true,
    // An interrupted run has left a part of its index; adding a notebook again changes nothing.
    prepare: () => store.open(),
    async add(notebooks) {
      await ingest(notebooks);
    },
    async recommend({ code, k, context }) {
      const { recommendations, took } = await recommend({ ...request, code, k, ...(context && { context }) });
      const hits = recommendations.map((hit): TargetHit => {
        const { code, insert } = hit.adapted;
        return { code: hit.code, adapted: code, insert, score: hit.score, confidence: hit.confidence };
      });
      return { hits, junk: 0, took };
    },
    async complete(query) {
      const start = performance.now();
      // All of them are wanted, so that every threshold can be looked at.
      const { completions, took } = await complete({ ...query, maxLines: 1, minConfidence: 0 });
      return { completions, junk: 0, took: { ...took, total: performance.now() - start } };
    },
    close,
  };
}
