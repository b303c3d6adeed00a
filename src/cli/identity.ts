import type { Services } from "../app/compose.js";
import type { IndexIdentity } from "../store/vector-store.js";

/** What an index of these parts is made with. */
export function identityOf({ embedder, labeller }: Pick<Services, "embedder" | "labeller">): IndexIdentity {
  return { embedder: embedder.id, dimensions: embedder.dimensions, labeller: labeller.id, labels: labeller.labels };
}
