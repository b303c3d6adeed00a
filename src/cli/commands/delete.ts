import { Command } from "commander";
import type { Context } from "../context.js";
import type { Run } from "../run.js";

const PARTIAL = 4;

export function deleteCommand(run: Run): Command {
  return new Command("delete")
    .description("remove notebooks and the cells that only they hold")
    .argument("<notebooks...>", "paths of files, paths in their source, or ids")
    .action(run(deleteNotebooks));
}

async function deleteNotebooks({ output, open }: Context, names: string[]) {
  const services = await open({ activity: "celrec delete", hold: "session", create: false });
  try {
    const { deleted, unknown } = await services.ask.deleteNotebooks(names);
    output.document({ deleted, unknown });
    output.line(`deleted ${deleted.length}`);
    if (unknown.length > 0) output.note(`Not in the index: ${unknown.join(", ")}.`);
    return unknown.length > 0 ? PARTIAL : 0;
  } finally {
    await services.close();
  }
}
