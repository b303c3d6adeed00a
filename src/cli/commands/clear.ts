import { Command } from "commander";
import { RecommenderError } from "../../errors.js";
import type { Context } from "../context.js";
import type { Run } from "../run.js";

export function clearCommand(run: Run): Command {
  return new Command("clear")
    .description("remove everything from the index")
    .option("--yes", "do it; without this nothing happens")
    .action(run(clearIndex));
}

async function clearIndex({ config, output, open }: Context, { yes }: { yes?: true }) {
  const where = config.store === "milvus" ? `Milvus at ${config.milvusAddress}` : config.data;
  if (yes !== true) {
    throw new RecommenderError(
      "INPUT_INVALID",
      `This removes everything from the index in ${where}; if you mean it, add --yes.`,
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
