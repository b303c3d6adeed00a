import { Command } from "commander";
import { RecommenderError } from "../../errors.js";
import { findNotebooks, onlyOne } from "../../ingest/find-notebooks.js";
import type { Context } from "../context.js";
import type { Run } from "../program.js";

const PARTIAL = 4;

export function deleteCommand(run: Run): Command {
  return new Command("delete")
    .description("remove notebooks and the cells that only they hold")
    .argument("<notebooks...>", "files, paths in their source, or ids")
    .action(run(deleteNotebooks));
}

async function deleteNotebooks({ output, open }: Context, names: string[]) {
  const services = await open({ activity: "celrec delete", hold: "session" });
  const deleted: string[] = [];
  const unknown: string[] = [];
  try {
    const found = await findNotebooks(services.store, names);
    const ids = new Map(names.map((name) => [name, onlyOne(name, found.get(name)!)]));
    for (const [name, id] of ids) (id !== null && (await services.store.remove(id)) ? deleted : unknown).push(name);
  } finally {
    await services.close();
  }
  if (deleted.length === 0) throw new RecommenderError("NOT_FOUND", `Not in the index: ${unknown.join(", ")}.`);
  output.document({ deleted, unknown });
  output.line(`deleted ${deleted.length}`);
  if (unknown.length > 0) output.note(`Not in the index: ${unknown.join(", ")}.`);
  return unknown.length > 0 ? PARTIAL : 0;
}
