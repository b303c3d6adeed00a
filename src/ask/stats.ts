import type { Stats } from "./answers.js";
import type { AskDeps } from "./deps.js";

/** What the index holds, and what made it. */
export async function readStats({ store, embedder, labeller }: Pick<AskDeps, "store" | "embedder" | "labeller">) {
  const stats: Stats = {
    ...(await store.counts()),
    embedder: { id: embedder.id, dimensions: embedder.dimensions },
    labeller: labeller.id,
    store: { name: store.name, stalenessMs: store.stalenessMs },
  };
  return stats;
}

/** The label set with the number of stored cells that have each. */
export async function countLabels({ store, labeller }: Pick<AskDeps, "store" | "labeller">) {
  const { labels } = await store.counts();
  return { labels: labeller.labels.map((label) => ({ label, cells: labels[label] ?? 0 })) };
}
