import { RecommenderError } from "../../errors.js";

/** INPUT_INVALID for cases of the same id: answers are kept by id, so that one would count for both. */
export function requireDistinctIds(cases: readonly { readonly id: string }[], from: string): void {
  const ids = new Set<string>();
  for (const { id } of cases) {
    if (ids.has(id)) throw new RecommenderError("INPUT_INVALID", `${from}: two cases have the id ${id}.`);
    ids.add(id);
  }
}
