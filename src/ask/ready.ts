import { type ErrorCode, RecommenderError } from "../errors.js";
import type { AskDeps } from "./deps.js";

/** `ok`, or the code of what is wrong: the message may name a folder or an address, and is not for strangers. */
export interface Readiness {
  readonly store: "ok" | ErrorCode;
  readonly model: "ok" | ErrorCode;
}

/** Whether questions can be answered now. `onTrouble` is told the whole story. */
export function createReady({ store, embedder }: Pick<AskDeps, "store" | "embedder">) {
  let modelWorks = false;
  const tryModel = async () => {
    // A model that has answered once does not go away, and a large one takes longer than a probe may.
    if (!modelWorks) await embedder.embed(["ready"], "query");
    modelWorks = true;
  };
  return async (onTrouble: (error: RecommenderError) => void = () => {}): Promise<Readiness> => {
    const probe = (action: () => Promise<void>) =>
      action().then(
        () => "ok" as const,
        (error: unknown) => {
          if (!(error instanceof RecommenderError)) throw error;
          onTrouble(error);
          return error.code;
        },
      );
    const [storeState, model] = await Promise.all([probe(() => store.ready()), probe(tryModel)]);
    return { store: storeState, model };
  };
}
