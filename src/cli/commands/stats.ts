import { Command } from "commander";
import type { Context } from "../context.js";
import type { Run } from "../program.js";

export function statsCommand(run: Run): Command {
  return new Command("stats").description("what the index holds").action(run(showStats));
}

async function showStats({ output, open }: Context) {
  const services = await open({ activity: "celrec stats", hold: "call" });
  try {
    const { store, embedder, labeller } = services;
    const counts = await store.counts();
    output.document({
      ...counts,
      embedder: { id: embedder.id, dimensions: embedder.dimensions },
      labeller: labeller.id,
      store: { name: store.name, stalenessMs: store.stalenessMs },
    });
    output.line(`cells      ${counts.cells}`);
    output.line(`notebooks  ${counts.notebooks} (${counts.occurrences} places of cells)`);
    output.line(`embedder   ${embedder.id} (${embedder.dimensions} dimensions)`);
    output.line(`store      ${store.name}`);
    output.line("labels");
    for (const label of labeller.labels) output.line(`  ${label.padEnd(18)} ${counts.labels[label] ?? 0}`);
    if (counts.cells === 0) output.note("The index is empty; fill it with: celrec index PATHS");
  } finally {
    await services.close();
  }
  return 0;
}
