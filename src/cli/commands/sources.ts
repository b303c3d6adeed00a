import { Command } from "commander";
import { forgetSource } from "../../ask/contents.js";
import { openRetryingStore } from "../../ingest/retrying-store.js";
import type { Context, Run } from "../context.js";
import { asOneLine } from "../output.js";
import { resolveSources } from "../read-input.js";

interface Options {
  readonly forget?: string;
}

export function sourcesCommand(run: Run): Command {
  return new Command("sources")
    .description("list the sources in the index, with counts and the time when each was last indexed")
    .option("--forget <source>", "remove a source (its name, id or path) with all its notebooks")
    .action(run(showSources));
}

async function showSources({ output, open, signal }: Context, { forget }: Options) {
  const role = { activity: "celrec sources", create: false };
  const { ask, store, close } = await open({ ...role, hold: forget === undefined ? "call" : "session" });
  try {
    if (forget !== undefined) {
      const [source] = (await resolveSources(ask, [forget]))!;
      const forgotten = await forgetSource(await openRetryingStore(store, signal, output.note), source!, signal);
      output.document(forgotten);
      output.line(`${forgotten.source}: ${forgotten.removed} notebooks removed`);
      return signal.aborted ? 130 : 0;
    }
    const listed = await ask.listSources();
    output.document(listed);
    for (const { source, notebooks, cells, lastSync, rejected } of listed.sources) {
      const sync = lastSync === null ? "" : `, indexed ${lastSync}${rejected ? `, ${rejected} files rejected` : ""}`;
      output.line(asOneLine(`${source}: ${notebooks} notebooks, ${cells} cells${sync}`));
    }
    if (listed.sources.length === 0) output.note("The index is empty; add notebooks with: celrec index PATHS");
    return 0;
  } finally {
    await close();
  }
}

export function statsCommand(run: Run): Command {
  return new Command("stats")
    .description("show the size of the index, its embedder, store and labels")
    .action(run(showStats));
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
    if (cells === 0) output.note("The index is empty; add notebooks with: celrec index PATHS");
  } finally {
    await services.close();
  }
  return 0;
}
