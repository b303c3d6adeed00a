import { Command } from "commander";
import type { SearchAnswer } from "../../ask/answers.js";
import { DEFAULTS, LIMITS } from "../../ask/limits.js";
import { parseInput } from "../../ask/parse-input.js";
import { searchRequest } from "../../ask/requests.js";
import { readSingleNotebook } from "../../ask/similar.js";
import { subwords } from "../../python/subwords.js";
import type { Context, Run } from "../context.js";
import { asOneLine, type Output } from "../output.js";
import { parseInteger } from "../parse-options.js";
import { resolveSources } from "../read-input.js";

interface Options {
  readonly k: number;
  readonly label?: string;
  readonly sources?: readonly string[];
  readonly full?: true;
}

const SHOWN_LINES = 8;

export function searchCommand(run: Run): Command {
  return new Command("search")
    .description("find stored cells by plain words")
    .argument("<words...>", "what to search for, in plain words or code")
    .option("-k, --k <number>", "number of cells", parseInteger(1, LIMITS.k), DEFAULTS.searchHits)
    .option("--label <label>", "only cells with this label")
    .option("--sources <name...>", "only cells from notebooks of these sources")
    .option("--full", "print long cells in full")
    .action(run(searchCells));
}

async function searchCells({ output, open }: Context, words: readonly string[], options: Options) {
  const { k, label, full } = options;
  const request = parseInput(searchRequest, { text: words.join(" "), k, ...(label !== undefined && { label }) });
  const services = await open({ activity: "celrec search", hold: "call", create: false });
  try {
    const sources = await resolveSources(services.ask, options.sources);
    const answer = await services.ask.search({ ...request, ...(sources && { sources: [...sources] }) });
    output.document(answer);
    if (answer.cells.length === 0) output.line("No cell contains any of these words.");
    for (const cell of answer.cells) showCell(output, cell, request.text, full === true);
  } finally {
    await services.close();
  }
  return 0;
}

function showCell(output: Output, cell: SearchAnswer["cells"][number], text: string, full: boolean): void {
  const { rank, code, score, labels, occurrences, notebook } = cell;
  const times = occurrences === 1 ? "" : `, ${occurrences} times`;
  const lines = code.split("\n");
  const start = full ? 0 : findStart(lines, text);
  const shown = full ? lines : lines.slice(start, start + SHOWN_LINES);
  if (rank > 1) output.line();
  output.line(
    `${output.bold(`${rank}. ${notebook.name} [${notebook.cellIndex}]`)}  ${output.dim(`${score.toFixed(3)} ${labels.join(", ")}${times}`)}`,
  );
  for (const line of shown) output.line(`   ${line}`);
  if (shown.length < lines.length)
    output.line(output.dim(`   (lines ${start + 1} to ${start + shown.length} of ${lines.length}; --full shows all)`));
}

/** The first line of the excerpt that contains most of the searched words. */
function findStart(lines: readonly string[], text: string): number {
  const words = new Set(subwords(text));
  const foundWords = lines.map((line) => subwords(line).filter((word) => words.has(word)));
  const count = (start: number) => new Set(foundWords.slice(start, start + SHOWN_LINES).flat()).size;
  let best = 0;
  for (let start = 1; start + SHOWN_LINES <= lines.length; start += 1) if (count(start) > count(best)) best = start;
  return best;
}

export function similarCommand(run: Run): Command {
  return new Command("similar")
    .description("find the stored notebooks that are most similar to a given one")
    .argument("<notebook>", "a notebook, or a script with cells; the results never include it")
    .option("-k, --k <number>", "number of notebooks", parseInteger(1, LIMITS.k), DEFAULTS.similar)
    .action(run(showSimilar));
}

async function showSimilar({ output, open }: Context, file: string, { k }: { readonly k: number }) {
  const { ask, workers, close } = await open({ activity: "celrec similar", hold: "call", create: false });
  try {
    const { id, ...notebook } = await readSingleNotebook(file, workers);
    const answer = await ask.findSimilarTo({ ...notebook, exclude: [id] }, k);
    output.document(answer);
    for (const { rank, source, name, score, shared, inOrder, theirSteps } of answer.notebooks) {
      output.line(asOneLine(`${rank}. ${source}/${name}  ${score.toFixed(3)}`));
      const steps = [...new Set(theirSteps)].join(", ");
      output.line(
        `   ${shared.length} similar cells, ${inOrder} in the same order${steps === "" ? "" : `; also ${steps}`}`,
      );
    }
    if (answer.notebooks.length === 0) output.line("No similar notebook found.");
    return 0;
  } finally {
    await close();
  }
}
