import { Command } from "commander";
import { identityOf } from "../../app/parts.js";
import { importIndex } from "../../ingest/move/import-index.js";
import type { Context, Run } from "../context.js";
import { createProgress } from "../progress.js";

export function importCommand(run: Run): Command {
  return new Command("import")
    .description("add the files of `celrec export` to the index, whichever store they came from")
    .argument("<file>", "the file of cells; the file of notebooks must be next to it")
    .action(run(readIndex));
}

async function readIndex({ output, signal, open }: Context, file: string) {
  const services = await open({ activity: `celrec import ${file}`, hold: "session" });
  try {
    const progress = createProgress("notebooks", null);
    const moved = await importIndex(services.store, identityOf(services), file, {
      signal,
      onProgress: ({ notebooks }, of) => {
        progress.expect(of);
        progress.update(notebooks);
      },
    });
    await services.store.settle({ signal });
    progress.end();
    output.document(moved);
    output.line(`${moved.notebooks} notebooks, ${moved.cells} cells`);
    return 0;
  } catch (error) {
    if (!signal.aborted || error !== signal.reason) throw error;
    output.note("Interrupted; run the same command again to continue.");
    return 130;
  } finally {
    await services.close();
  }
}
