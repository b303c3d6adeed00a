import type { UseCases } from "../../ask/use-cases.js";
import { RecommenderError } from "../../errors.js";
import type { Ingest } from "../../ingest/ingest.js";
import type { VectorStore } from "../../store/vector-store.js";
import {
  OWN_TARGET,
  type RequestSettings,
  type Target,
  TargetFault,
  type TargetHit,
  type TargetQuery,
} from "../target.js";

interface OwnTargetDeps {
  /** The use cases behind `POST /v1/recommendations` and `POST /v1/completions`. */
  readonly ask: Pick<UseCases, "recommend" | "complete">;
  readonly ingest: Ingest;
  readonly store: Pick<VectorStore, "open">;
  readonly request: RequestSettings;
  readonly settings: Target["settings"];
}

/**
 * This recommender as a target, in this process, on an index of its own. It is called through the same use case as the
 * REST API.
 */
export function createOwnTarget({ ask, ingest, store, request, settings }: OwnTargetDeps): Target {
  return {
    name: OWN_TARGET,
    settings: { target: OWN_TARGET, ...settings },
    takesVariables: true,
    takesMinConfidence: true,
    // An interrupted run may have left a part of the index. Adding a notebook again changes nothing.
    prepare: () => store.open(),
    async add(notebooks) {
      await ingest(notebooks);
    },
    async recommend({ code, k, context }) {
      const answer = ask.recommend({ ...request, code, k, ...(context && { context: toContext(context) }) });
      const { recommendations, took } = await answer.catch(rethrow);
      const hits = recommendations.map(
        ({ code: cell, adapted, continuesLine, score, confidence }): TargetHit => ({
          code: cell,
          adapted: adapted.code,
          insert: adapted.insert,
          ...(continuesLine && { continuesLine }),
          score,
          confidence,
        }),
      );
      return { hits, junk: 0, took };
    },
    async complete({ context, ...query }) {
      const start = performance.now();
      // No minimum confidence, so every threshold can be measured.
      const { completions, took } = await ask.complete({
        ...query,
        context: toContext(context),
        maxLines: 1,
        minConfidence: query.minConfidence ?? 0,
      });
      return { completions, junk: 0, took: { ...took, total: performance.now() - start } };
    },
    // The caller closes the services.
    close: async () => {},
  };
}

function toContext({ before, markdown, variables }: NonNullable<TargetQuery["context"]>) {
  return { before: [...before], markdown, ...(variables && { variables: { ...variables } }) };
}

/**
 * Converts the error of a refused question to a fault, which is counted as for any other target. Any other error ends
 * the run.
 */
function rethrow(error: unknown): never {
  if (error instanceof RecommenderError && error.code === "TOO_LARGE")
    throw new TargetFault("errorsOther", error.message, { cause: error });
  throw error;
}
