import { setImmediate } from "node:timers/promises";
import { Command } from "commander";
import { RecommenderError } from "../../errors.js";
import { createRevise } from "../../ingest/make-cells.js";
import type { VectorStore } from "../../store/vector-store.js";
import type { Context, Run } from "../context.js";
import { createProgress } from "../progress.js";

export function reembedCommand(run: Run): Command {
  return new Command("reembed")
    .description("recompute the vectors and labels of all stored cells with the configured embedder")
    .action(run(reembed));
}

async function reembed({ output, signal, open }: Context) {
  const services = await open({ activity: "celrec reembed", hold: "session", create: false });
  try {
    const progress = createProgress("cells", await countCells(services.store));
    let embedded = 0;
    const revise = createRevise(services, (count) => {
      embedded += count;
      progress.update(embedded);
    });
    await services.store.rewrite(async (cells) => {
      // Yields, so that signals are handled.
      await setImmediate();
      if (signal.aborted) throw new RecommenderError("INTERRUPTED", "Interrupted; the index is unchanged.");
      return revise(cells);
    });
    await services.store.settle();
    progress.end();
    output.document({ cells: embedded, embedder: services.embedder.id });
    output.line(`${embedded} cells now have vectors of ${services.embedder.id}`);
  } finally {
    await services.close();
  }
  return 0;
}

/** The number of cells; null for an index of another embedder, which cannot be opened for counting. */
async function countCells(store: VectorStore): Promise<number | null> {
  try {
    return (await store.counts()).cells;
  } catch (error) {
    if (error instanceof RecommenderError && error.code === "INDEX_MISMATCH") return null;
    throw error;
  }
}
