import { Command } from "commander";
import type { Context } from "../context.js";
import type { Run } from "../run.js";

export function statsCommand(run: Run): Command {
  return new Command("stats").description("what the index holds").action(run(showStats));
}

async function showStats({ output, open }: Context) {
  const services = await open({ activity: "celrec stats", hold: "call", create: false });
  try {
    const stats = await services.ask.stats();
    const { cells, notebooks, occurrences, embedder, store, labels } = stats;
    output.document(stats);
    output.line(`cells      ${cells}`);
    output.line(`notebooks  ${notebooks} (${occurrences} occurrences of cells)`);
    output.line(`embedder   ${embedder.id} (${embedder.dimensions} dimensions)`);
    output.line(`store      ${store.name}`);
    output.line("labels");
    for (const label of services.labeller.labels) output.line(`  ${label.padEnd(18)} ${labels[label] ?? 0}`);
    if (cells === 0) output.note("The index is empty; fill it with: celrec index PATHS");
  } finally {
    await services.close();
  }
  return 0;
}
