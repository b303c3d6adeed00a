import type { Complete } from "../complete/request.js";
import type { Config } from "../config.js";
import type { Embedder } from "../embed/embedder.js";
import type { Ingest } from "../ingest/ingest.js";
import type { Workers } from "../ingest/workers/workers.js";
import type { Labeller } from "../label/labeller.js";
import type { Recommend } from "../recommend/recommend.js";
import type { VectorStore } from "../store/vector-store.js";
import type { RunOnWorker } from "./tasks.js";

/** The parts that the use cases put together. */
export interface AskDeps {
  readonly config: Pick<Config, "preset" | "secrets" | "feedback" | "data">;
  readonly embedder: Embedder;
  readonly labeller: Labeller;
  readonly store: VectorStore;
  readonly ingest: Ingest;
  readonly recommend: Recommend;
  readonly complete: Complete;
  readonly workers: Pick<Workers, "make">;
  readonly runOnWorker: RunOnWorker;
}
