import { createHash } from "node:crypto";
import type { Found } from "./entry.js";

/** Enough of a hash to tell millions of paths apart, in less memory than the paths. */
const KEPT = 16;
const REPEATED = {
  kind: "unreadable",
  reason: "another one of this path stands before it; only the first is taken",
} as const;

/**
 * Of notebooks with one path, which an archive can hold, the first; the others are rejected by name. Else each would replace
 * the one before it, in every run anew.
 */
export async function* onceEach(found: AsyncIterable<Found>): AsyncGenerator<Found> {
  const seen = new Set<string>();
  for await (const each of found) {
    const key = createHash("sha256").update(each.path).digest().toString("latin1", 0, KEPT);
    if ("rejected" in each) yield each;
    else if (seen.has(key)) yield { source: each.source, path: each.path, rejected: REPEATED };
    else {
      seen.add(key);
      yield each;
    }
  }
}
