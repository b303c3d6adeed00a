import { type ErrorCode, RecommenderError } from "../errors.js";
import type { AskDeps } from "./deps.js";

/** `ok` or an error code. Messages are left out: they may name folders and addresses. */
export interface Readiness {
  readonly store: "ok" | ErrorCode;
  readonly model: "ok" | ErrorCode;
}

/** The checks, and the full messages for the log. */
export interface ReadinessReport {
  readonly checks: Readiness;
  readonly problems: readonly { readonly code: ErrorCode; readonly message: string }[];
}

/** Whether the store and the model can answer now. */
export function createReady({ store, embedder }: Pick<AskDeps, "store" | "embedder">) {
  let modelWorks = false;
  const tryModel = async () => {
    // Tried once: a loaded model keeps working, and a large one is too slow for every probe.
    if (!modelWorks) await embedder.embed(["ready"], "query");
    modelWorks = true;
  };
  return async (): Promise<ReadinessReport> => {
    const problems: { code: ErrorCode; message: string }[] = [];
    const probe = (action: () => Promise<void>) =>
      action().then(
        () => "ok" as const,
        (error: unknown) => {
          if (!(error instanceof RecommenderError)) throw error;
          problems.push({ code: error.code, message: error.message });
          return error.code;
        },
      );
    const [storeState, model] = await Promise.all([probe(() => store.ready()), probe(tryModel)]);
    return { checks: { store: storeState, model }, problems };
  };
}
