import { Command } from "commander";
import { RecommenderError } from "../../errors.js";
import { idOf } from "../../ingest/screen.js";
import { openPaths } from "../../notebook/corpus/open-paths.js";
import { createSimilarNotebooks } from "../../similar/similar-notebooks.js";
import type { Context } from "../context.js";
import { parseInteger } from "../parse-options.js";
import type { Run } from "../run.js";

export function similarCommand(run: Run): Command {
  return new Command("similar")
    .description("the stored notebooks most like a whole one, and what they share")
    .argument("<notebook>", "a notebook or a script with cells; itself is left out if it is stored")
    .option("-k <number>", "how many notebooks", parseInteger(1, 100), 5)
    .action(run(showSimilar));
}

async function showSimilar({ output, open }: Context, file: string, { k }: { readonly k: number }) {
  const { corpus } = await openPaths([file]);
  const services = await open({ activity: "celrec similar", hold: "call", create: false });
  try {
    for await (const found of corpus) {
      const content = "rejected" in found ? found : await found.read();
      const read = "rejected" in content ? content : await services.workers.read(content);
      if ("rejected" in read) throw new RecommenderError("NOT_A_NOTEBOOK", `${file}: ${read.rejected.reason}`);
      const findSimilar = createSimilarNotebooks({ store: services.store, make: services.workers.make });
      const notebooks = await findSimilar(read.code, { k, exclude: [idOf(found)] });
      output.document({ notebooks });
      for (const [place, { source, name, score, shared, inOrder, theirSteps }] of notebooks.entries()) {
        output.line(`${place + 1}. ${source}/${name}  ${score.toFixed(3)}`);
        const steps = [...new Set(theirSteps)].join(", ");
        output.line(
          `   ${shared.length} cells alike, ${inOrder} of them in order${steps === "" ? "" : `; also ${steps}`}`,
        );
      }
      return 0;
    }
    throw new RecommenderError("NOT_FOUND", `There is no notebook in ${file}.`);
  } finally {
    await services.close();
  }
}
