import type { Complete, CompleteAnswer } from "../complete/completion-request.js";
import { COMPLETION_BYTES, checkCode, endOfCode, nearestCells, startOfCode } from "./limits.js";
import type { CompletionRequest } from "./requests.js";

/** Completes the text at the cursor. Long cells and notebooks are cut to the part nearest to the cursor. */
export function createComplete({ complete }: { readonly complete: Complete }) {
  return async (request: CompletionRequest, signal?: AbortSignal): Promise<CompleteAnswer> => {
    const { prefix, suffix = "", context = {}, ...settings } = request;
    checkCode(prefix, "The prefix");
    checkCode(suffix, "The suffix");
    signal?.throwIfAborted();
    const { before = [], after = [], markdown, variables } = context;
    return complete({
      ...settings,
      prefix: endOfCode(prefix, COMPLETION_BYTES.prefix),
      suffix: startOfCode(suffix, COMPLETION_BYTES.suffix),
      context: {
        before: nearestCells(before, COMPLETION_BYTES.before),
        after: nearestCells(after.toReversed(), COMPLETION_BYTES.after).toReversed(),
        markdown,
        variables,
      },
      signal,
    });
  };
}
