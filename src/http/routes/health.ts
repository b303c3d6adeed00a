import type { Express } from "express";
import { RecommenderError } from "../../errors.js";
import type { AppDeps } from "../app.js";

/** `/healthz`: the process answers. `/readyz`: the store and the model do, too. */
export function addHealth(app: Express, { store, embedder }: AppDeps): void {
  app.get("/healthz", (_request, response) => {
    response.json({ status: "ok" });
  });
  app.get("/readyz", async (_request, response) => {
    const checks = {
      store: await probe(() => store.counts()),
      model: await probe(() => embedder.embed(["ready"], "query")),
    };
    const ready = Object.values(checks).every((check) => check === "ok");
    if (!ready) response.setHeader("retry-after", "5");
    response.status(ready ? 200 : 503).json({ status: ready ? "ready" : "not ready", ...checks });
  });
}

async function probe(action: () => Promise<unknown>): Promise<string> {
  try {
    await action();
    return "ok";
  } catch (error) {
    if (error instanceof RecommenderError) return error.message;
    throw error;
  }
}
