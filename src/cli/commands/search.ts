import { Command } from "commander";
import { DEFAULTS, LIMITS } from "../../ask/limits.js";
import { parseInput } from "../../ask/parse-input.js";
import { searchRequest } from "../../ask/requests.js";
import type { SearchAnswer } from "../../ask/search.js";
import type { Context } from "../context.js";
import type { Output } from "../output.js";
import { parseInteger } from "../parse-options.js";
import type { Run } from "../run.js";

interface Options {
  readonly k: number;
  readonly label?: string;
  readonly full?: true;
}

const SHOWN_LINES = 8;

export function searchCommand(run: Run): Command {
  return new Command("search")
    .description("find stored cells by plain words")
    .argument("<words...>", "what the cells are about, in words or code")
    .option("-k <number>", "how many cells", parseInteger(1, LIMITS.k), DEFAULTS.found)
    .option("--label <label>", "only cells with this label")
    .option("--full", "print long cells whole")
    .action(run(searchCells));
}

async function searchCells({ output, open }: Context, words: readonly string[], { k, label, full }: Options) {
  const request = parseInput(searchRequest, { text: words.join(" "), k, ...(label !== undefined && { label }) });
  const services = await open({ activity: "celrec search", hold: "call", create: false });
  try {
    const answer = await services.ask.search(request);
    output.document(answer);
    if (answer.cells.length === 0) output.line("No cell holds any of these words.");
    for (const cell of answer.cells) show(output, cell, full === true);
  } finally {
    await services.close();
  }
  return 0;
}

function show(output: Output, cell: SearchAnswer["cells"][number], full: boolean): void {
  const { rank, code, score, labels, occurrences, notebook } = cell;
  const times = occurrences === 1 ? "" : `, ${occurrences} times`;
  const lines = code.split("\n");
  const shown = full ? lines : lines.slice(0, SHOWN_LINES);
  if (rank > 1) output.line();
  output.line(
    `${output.bold(`${rank}. ${notebook.name} [${notebook.cellIndex}]`)}  ${output.dim(`${score.toFixed(3)} ${labels.join(", ")}${times}`)}`,
  );
  for (const line of shown) output.line(`   ${line}`);
  if (shown.length < lines.length)
    output.line(output.dim(`   (${shown.length} of ${lines.length} lines; --full shows all)`));
}
