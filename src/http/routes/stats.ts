import type { Express } from "express";
import type { AppDeps } from "../app.js";

/** Counts of the index, and emptying it. */
export function addStats(app: Express, { store, embedder, labeller }: AppDeps): void {
  app.get("/v1/stats", async (_request, response) => {
    const counts = await store.counts();
    response.json({
      ...counts,
      embedder: { id: embedder.id, dimensions: embedder.dimensions },
      labeller: labeller.id,
      store: { name: store.name, stalenessMs: store.stalenessMs },
    });
  });
  app.delete("/v1/index", async (_request, response) => {
    await store.clear();
    response.status(204).end();
  });
}
