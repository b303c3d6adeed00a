import { Command } from "commander";
import { exportIndex } from "../../ingest/move/export-index.js";
import { notebooksFile } from "../../ingest/move/tables.js";
import type { Context } from "../context.js";
import { identityOf } from "../identity.js";
import { createProgress } from "../progress.js";
import type { Run } from "../run.js";

export function exportCommand(run: Run): Command {
  return new Command("export")
    .description("write the index to a Parquet file of cells, and one of notebooks beside it")
    .argument("<file>", "such as cells.parquet")
    .action(run(writeIndex));
}

async function writeIndex({ output, signal, open }: Context, file: string) {
  const services = await open({ activity: "celrec export", hold: "call", create: false });
  try {
    const progress = createProgress("notebooks", (await services.store.counts()).notebooks);
    const onProgress = ({ notebooks }: { notebooks: number }) => progress.update(notebooks);
    const moved = await exportIndex(services.store, identityOf(services), file, { signal, onProgress });
    progress.end();
    output.document({ ...moved, files: [file, notebooksFile(file)] });
    output.line(`${moved.cells} cells in ${file}, ${moved.notebooks} notebooks in ${notebooksFile(file)}`);
    return 0;
  } catch (error) {
    if (signal.aborted && error === signal.reason) return 130;
    throw error;
  } finally {
    await services.close();
  }
}
