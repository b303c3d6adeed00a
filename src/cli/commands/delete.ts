import { Command } from "commander";
import { RecommenderError } from "../../errors.js";
import type { Context, Run } from "../context.js";

const EXIT_PARTIAL = 4;

export function deleteCommand(run: Run): Command {
  return new Command("delete")
    .description("remove notebooks and the cells that occur only in them")
    .argument("<notebooks...>", "the path of each file, its path within the indexed folder or archive, or its id")
    .action(run(deleteNotebooks));
}

async function deleteNotebooks({ output, open }: Context, names: string[]) {
  const services = await open({ activity: "celrec delete", hold: "session", create: false });
  try {
    const { deleted, unknown } = await services.ask.deleteNotebooks(names);
    output.document({ deleted, unknown });
    output.line(`deleted ${deleted.length}`);
    if (unknown.length > 0) output.note(`Not in the index: ${unknown.join(", ")}.`);
    return unknown.length > 0 ? EXIT_PARTIAL : 0;
  } finally {
    await services.close();
  }
}

export function clearCommand(run: Run): Command {
  return new Command("clear")
    .description("remove everything from the index")
    .option("--yes", "confirm; without it nothing is removed")
    .action(run(clearIndex));
}

async function clearIndex({ config, output, open }: Context, { yes }: { yes?: true }) {
  const where = config.store === "milvus" ? `Milvus at ${config.milvusAddress}` : config.data;
  if (yes !== true) {
    throw new RecommenderError(
      "INPUT_INVALID",
      `This removes everything from the index in ${where}; add --yes to confirm.`,
    );
  }
  const services = await open({ activity: "celrec clear", hold: "session", create: false });
  try {
    await services.ask.clear();
  } finally {
    await services.close();
  }
  output.document({ cleared: true });
  output.line(`The index in ${where} is empty.`);
  return 0;
}
