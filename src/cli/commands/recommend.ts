import { Command, InvalidArgumentError } from "commander";
import { DEFAULTS, LIMITS } from "../../ask/limits.js";
import { parseInput } from "../../ask/parse-input.js";
import { askRequest } from "../../ask/requests.js";
import { RecommenderError } from "../../errors.js";
import { FILTERS, MODES, type Mode } from "../../recommend/recommendation.js";
import { defaultMinConfidence } from "../../recommend/request.js";
import type { Context, Run } from "../context.js";
import { collect, diversityOption, parseChoice, parseInteger, parseShare } from "../parse-options.js";
import { readNotebookCell, readText, readTypedCode, resolveSources } from "../read-input.js";
import { showRecommendations } from "../show-recommendations.js";

interface Options {
  readonly k: number;
  readonly label?: string;
  readonly sources?: readonly string[];
  readonly minVotes?: number;
  readonly filter?: "strict" | "soft" | "off";
  readonly mode?: Mode;
  readonly diversity?: number;
  readonly minConfidence?: number;
  readonly cell?: number | "next";
  readonly suffix?: string;
  readonly before?: readonly string[];
  readonly markdown?: string;
  readonly explain?: true;
  readonly full?: true;
  readonly collapse: boolean;
  readonly exclude?: readonly string[];
}

/** Flags that are fields of a request. */
const SETTINGS = [
  "k",
  "label",
  "sources",
  "minVotes",
  "filter",
  "mode",
  "diversity",
  "minConfidence",
  "explain",
] as const;

export function recommendCommand(run: Run): Command {
  return new Command("recommend")
    .description("recommend stored cells for code in a file or on standard input, or for a cell of a notebook")
    .argument("[file]", "the code of the cell so far; - for standard input; a notebook with --cell")
    .option("--cell <number>", "the notebook's cell, counted from 0, or next for a new cell at the end", parseCell)
    .option("--suffix <file>", "the text after the cursor, where the file is what stands before it")
    .option("-k <number>", "how many cells", parseInteger(1, LIMITS.k), DEFAULTS.k)
    .option("--label <label>", "only cells with this label")
    .option("--sources <name...>", "only cells from notebooks of these sources")
    .option("--min-votes <number>", "only cells from notebooks with at least this many votes", parseInteger(0, 1e9))
    .option("--filter <mode>", "label filter: strict, soft or off", parseChoice(FILTERS))
    .option("--mode <mode>", "auto, similar, complete or next (default: auto)", parseChoice(MODES))
    .addOption(diversityOption("0.5 for complete, 0.3 for next, else 0"))
    .option("--min-confidence <number>", "leave out hits with a lower confidence", parseShare)
    .option("--before <file>", "the cell above; may be repeated, nearest last", collect)
    .option("--markdown <text>", "the Markdown above")
    .option("--explain", "explain each score")
    .option("--full", "print long cells in full")
    .option("--no-collapse", "also show cells that differ only in comments and blank lines")
    .option(
      "--exclude <notebook>",
      "leave out cells that occur only in this notebook (path or id); may be repeated",
      collect,
    )
    .action(run(recommendCells));
}

async function recommendCells({ output, open }: Context, file: string | undefined, options: Options) {
  const { cell, suffix, before, markdown, exclude, collapse, full, ...settings } = options;
  const question = readQuestion(file, cell, output.note);
  const request = parseInput(askRequest, {
    code: question.code,
    ...(suffix !== undefined && { suffix: readText(suffix) }),
    ...Object.fromEntries(SETTINGS.flatMap((name) => (settings[name] === undefined ? [] : [[name, settings[name]]]))),
    // Without the flag, the preset decides.
    ...(!collapse && { collapse }),
    context: { before: before?.map(readText) ?? question.before, markdown: markdown ?? question.markdown },
  });
  const { before: cells = [], markdown: above = "" } = request.context ?? {};
  const isEmpty = [question.code, above, ...cells].every((text) => text.trim() === "");
  if (isEmpty)
    output.note("There is no code and no context: pipe in a cell, give a FILE, --before FILE or --markdown TEXT.");
  const services = await open({ activity: "celrec recommend", hold: "call", create: false });
  try {
    // The notebook's own cells would not help its author.
    const own = cell === undefined ? [] : [file!];
    const excluded = await Promise.all([...own, ...(exclude ?? [])].map(services.ask.findNotebooks));
    const sources = await resolveSources(services.ask, request.sources);
    const answer = await services.ask.recommend({
      ...request,
      ...(sources && { sources: [...sources] }),
      exclude: { notebooks: excluded.flat() },
    });
    output.document(answer);
    const { mode = "auto", minConfidence = defaultMinConfidence(mode) } = settings;
    if (!isEmpty) showRecommendations(output, answer, full === true, minConfidence);
  } finally {
    await services.close();
  }
  return 0;
}

function readQuestion(file: string | undefined, cell: Options["cell"], note: (text: string) => void) {
  const isNotebook = file?.endsWith(".ipynb") === true;
  if (cell === undefined && isNotebook)
    throw new RecommenderError(
      "INPUT_INVALID",
      `Which cell of ${file}? Give --cell N, counting all cells from 0, or --cell next for a new cell at the end.`,
    );
  if (cell === undefined) return readTypedCode(file, note);
  if (file !== undefined && file !== "-") return readNotebookCell(file, cell);
  throw new RecommenderError("INPUT_INVALID", "--cell needs a notebook: celrec recommend NOTEBOOK.ipynb --cell 3");
}

function parseCell(text: string): number | "next" {
  if (text === "next") return text;
  if (!/^\d{1,6}$/.test(text)) throw new InvalidArgumentError("It must be a number from 0, or next.");
  return Number(text);
}
