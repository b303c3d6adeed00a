import { Command } from "commander";
import { DEFAULTS, LIMITS } from "../../ask/limits.js";
import { readSingleNotebook } from "../../ingest/read-single-notebook.js";
import type { Context, Run } from "../context.js";
import { asOneLine } from "../output.js";
import { parseInteger } from "../parse-options.js";

export function similarCommand(run: Run): Command {
  return new Command("similar")
    .description("find the stored notebooks most like a given one, and what they share")
    .argument("<notebook>", "a notebook, or a script with cells; it is never in its own results")
    .option("-k <number>", "how many notebooks", parseInteger(1, LIMITS.k), DEFAULTS.similar)
    .action(run(showSimilar));
}

async function showSimilar({ output, open }: Context, file: string, { k }: { readonly k: number }) {
  const { ask, workers, close } = await open({ activity: "celrec similar", hold: "call", create: false });
  try {
    const { id, ...asked } = await readSingleNotebook(file, workers);
    const answer = await ask.findSimilarTo({ ...asked, exclude: [id] }, k);
    output.document(answer);
    for (const { rank, source, name, score, shared, inOrder, theirSteps } of answer.notebooks) {
      output.line(asOneLine(`${rank}. ${source}/${name}  ${score.toFixed(3)}`));
      const steps = [...new Set(theirSteps)].join(", ");
      output.line(
        `   ${shared.length} similar cells, ${inOrder} in the same order${steps === "" ? "" : `; also ${steps}`}`,
      );
    }
    if (answer.notebooks.length === 0) output.line("No stored notebook shares a cell with it.");
    return 0;
  } finally {
    await close();
  }
}
