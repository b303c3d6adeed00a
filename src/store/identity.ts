import { RecommenderError } from "../errors.js";
import type { IndexIdentity } from "./vector-store.js";

/** The error for an index of another embedder or label set; null if they match. */
export function describeMismatch(index: string, found: IndexIdentity, wanted: IndexIdentity): RecommenderError | null {
  const differences: string[] = [];
  if (found.embedder !== wanted.embedder || found.dimensions !== wanted.dimensions) {
    differences.push(
      `was made with the embedder ${found.embedder} (${found.dimensions} dimensions), not ${wanted.embedder} (${wanted.dimensions})`,
    );
  }
  if (found.labels.join() !== wanted.labels.join()) {
    differences.push(`has the labels ${found.labels.join(", ")}, not ${wanted.labels.join(", ")}`);
  }
  if (differences.length === 0) return null;
  return new RecommenderError(
    "INDEX_MISMATCH",
    `${index} ${differences.join(" and ")}. Go back to its own settings${settingOf(found.embedder)}, or convert it: celrec reembed`,
  );
}

/** The flag that chooses an embedder, by its id. */
function settingOf(embedder: string): string {
  const [name] = /^(lexical|codebert)/.exec(embedder) ?? [embedder.startsWith("celrec-pieces") ? "default" : null];
  return name === null ? "" : ` (--embedder ${name}, or CELREC_EMBEDDER=${name})`;
}
