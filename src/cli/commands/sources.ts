import { Command } from "commander";
import { RecommenderError } from "../../errors.js";
import { openLedger } from "../../ingest/ledger.js";
import { listSources, removeNotebooks } from "../../ingest/sources.js";
import type { Context } from "../context.js";
import type { Run } from "../run.js";

interface Options {
  readonly forget?: string;
}

export function sourcesCommand(run: Run): Command {
  return new Command("sources")
    .description("the corpora in the index: notebooks, cells, when each was last indexed from here")
    .option("--forget <source>", "remove a source (its name or id) with all its notebooks")
    .action(run(showSources));
}

async function showSources({ config, output, open, signal }: Context, { forget }: Options) {
  const services = await open({ activity: "celrec sources", hold: forget === undefined ? "call" : "session" });
  const ledger = openLedger(config.data);
  try {
    const sources = await listSources(services.store);
    if (forget !== undefined) {
      const found = sources.find(({ id, source }) => id === forget || source === forget);
      if (found === undefined) throw new RecommenderError("NOT_FOUND", `There is no source ${forget} in the index.`);
      const removed = await removeNotebooks(services.store, new Set([found.source]), () => false, signal);
      output.document({ source: found.source, removed });
      output.line(`${found.source}: ${removed} notebooks removed`);
      return signal.aborted ? 130 : 0;
    }
    const syncs = new Map(ledger.syncs().map((sync) => [sync.source, sync]));
    const all = sources.map((source) => {
      const { at = null, rejected = null } = syncs.get(source.source) ?? {};
      return { ...source, lastSync: at, rejected };
    });
    output.document({ sources: all });
    for (const { source, notebooks, cells, lastSync, rejected } of all) {
      const sync = lastSync === null ? "" : `, indexed ${lastSync}${rejected ? `, ${rejected} files rejected` : ""}`;
      output.line(`${source}: ${notebooks} notebooks, ${cells} cells${sync}`);
    }
    if (all.length === 0) output.note("The index is empty; fill it with: celrec index PATHS");
    return 0;
  } finally {
    ledger.close();
    await services.close();
  }
}
