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

/** This recommender, in this process, on an index of its own. It is asked as a user of the REST service asks it. */
export function createOwnTarget({ ask, ingest, store, request, settings }: OwnTargetDeps): Target {
  return {
    name: OWN_TARGET,
    settings: { target: OWN_TARGET, ...settings },
    takesVariables: true,
    takesMinConfidence: true,
    // An interrupted run has left a part of its index; adding a notebook again changes nothing.
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
      // Without a threshold, so that every threshold can be measured.
      const { completions, took } = await ask.complete({
        ...query,
        context: toContext(context),
        maxLines: 1,
        minConfidence: query.minConfidence ?? 0,
      });
      return { completions, junk: 0, took: { ...took, total: performance.now() - start } };
    },
    // The caller opened the services, and closes them.
    close: async () => {},
  };
}

function toContext({ before, markdown, variables }: NonNullable<TargetQuery["context"]>) {
  return { before: [...before], markdown, ...(variables && { variables: { ...variables } }) };
}

/** A question that the service refuses is counted, as for any other target; everything else ends the run. */
function rethrow(error: unknown): never {
  if (error instanceof RecommenderError && error.code === "TOO_LARGE")
    throw new TargetFault("errorsOther", error.message, { cause: error });
  throw error;
}
