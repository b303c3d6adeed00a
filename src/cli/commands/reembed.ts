import { Command } from "commander";
import { createRevise } from "../../ingest/revise.js";
import type { Context } from "../context.js";
import type { Run } from "../program.js";
import { createProgress } from "../progress.js";

export function reembedCommand(run: Run): Command {
  return new Command("reembed")
    .description("give every stored cell the labels and the vector of the embedder that is set now")
    .action(run(reembed));
}

async function reembed({ output, open }: Context) {
  const services = await open({ activity: "celrec reembed", hold: "session" });
  try {
    const { cells } = await services.store.counts().catch(() => ({ cells: 0 }));
    const progress = createProgress("cells", cells);
    let done = 0;
    const revise = createRevise(services, (count) => {
      done += count;
      progress.update(done);
    });
    await services.store.rewrite(revise);
    await services.store.settle();
    progress.end();
    output.document({ cells: done, embedder: services.embedder.id });
    output.line(`${done} cells now have vectors of ${services.embedder.id}`);
  } finally {
    await services.close();
  }
  return 0;
}
