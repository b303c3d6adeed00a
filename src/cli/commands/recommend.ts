import { realpathSync } from "node:fs";
import { isAbsolute, relative } from "node:path";
import { Command, InvalidArgumentError } from "commander";
import { DEFAULTS, LIMITS } from "../../ask/limits.js";
import { parseInput } from "../../ask/parse-input.js";
import { askRequest } from "../../ask/requests.js";
import { RecommenderError } from "../../errors.js";
import { FEATURES } from "../../recommend/features/feature-table.js";
import {
  FILTERS,
  MODES,
  type Mode,
  type RecommendAnswer,
  type Recommendation,
} from "../../recommend/recommendation.js";
import { defaultMinConfidence } from "../../recommend/request.js";
import type { Context, Run } from "../context.js";
import type { Output } from "../output.js";
import { collect, diversityOption, parseChoice, parseInteger, parseShare } from "../parse-options.js";
import { readNotebookCell, readText, readTypedCode, resolveSources } from "../read-input.js";

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
    .argument("[file]", "a file with the code of the cell so far; - for standard input; a notebook with --cell")
    .option("--cell <number>", "the notebook's cell, counted from 0, or next for a new cell at the end", parseCell)
    .option("--suffix <file>", "a file with the text after the cursor; FILE then contains the text before the cursor")
    .option("-k, --k <number>", "number of cells", parseInteger(1, LIMITS.k), DEFAULTS.k)
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
    // Only sent if the user turns it off; otherwise the default of the preset applies.
    ...(!collapse && { collapse }),
    context: { before: before?.map(readText) ?? question.before, markdown: markdown ?? question.markdown },
  });
  const { before: cells = [], markdown: above = "" } = request.context ?? {};
  const isEmpty = [question.code, above, ...cells].every((text) => text.trim() === "");
  if (isEmpty)
    output.note("There is no code and no context: pipe in a cell, give a FILE, --before FILE or --markdown TEXT.");
  const services = await open({ activity: "celrec recommend", hold: "call", create: false });
  try {
    // The notebook's own cells are left out, because the author already has them.
    const ownNotebook = cell === undefined ? [] : [file!];
    const excluded = await Promise.all([...ownNotebook, ...(exclude ?? [])].map(services.ask.findNotebooks));
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

/**
 * Prints an answer for people: an excerpt of each cell in the user's names, its origin, and with `why` the parts of its
 * score. `minConfidence` is that of the request.
 */
function showRecommendations(output: Output, answer: RecommendAnswer, full: boolean, minConfidence: number): void {
  const { query, widened, recommendations, highestConfidence } = answer;
  const labels = query.labels.map(({ label, probability }) => `${label} ${probability.toFixed(2)}`).join(", ");
  output.line(
    output.dim(
      `query: ${labels || "no label"}${widened ? "; too few cells with these labels, so others are included" : ""}`,
    ),
  );
  if (recommendations.length === 0) output.line(describeEmpty(highestConfidence, minConfidence));
  for (const hit of recommendations) showHit(output, hit, full);
  const isOrdered = recommendations.every(({ score }, at) => at === 0 || score <= recommendations[at - 1]!.score);
  if (!isOrdered && !widened) {
    output.line();
    output.line(
      output.dim(
        "Hits that differ from those above them are ranked higher than by score alone (--diversity 0 turns this off).",
      ),
    );
  }
}

function describeEmpty(highest: number | null, minConfidence: number): string {
  if (highest === null) return "Nothing found. `celrec stats` shows what is in the index.";
  if (highest >= minConfidence) return "The matching cells add nothing to your code.";
  return `No good match (best: ${Math.round(100 * highest)} %); --min-confidence 0 shows it.`;
}

function showHit(output: Output, hit: Recommendation, full: boolean): void {
  const { rank, score, confidence, notebook, labels, occurrences, why } = hit;
  const times = occurrences === 1 ? "" : `, ${occurrences} times`;
  const sure = confidence === null ? "" : `, ${Math.round(100 * confidence)} % likely to help`;
  output.line();
  output.line(
    `${output.bold(`${rank}. ${notebook.name} [${notebook.cellIndex}]`)}  ${output.dim(`${score.toFixed(3)} ${labels.join(", ")}${times}${sure}`)}`,
  );
  if (notebook.location !== undefined) output.line(output.dim(`   ${shortenPath(notebook.location)}`));
  for (const line of renderCell(output, hit, full)) output.line(`   ${line}`);
  const renamed = Object.entries(hit.adapted.renamed).map(([from, to]) => `${from} -> ${to}`);
  if (renamed.length > 0) output.line(output.dim(`   in your names: ${renamed.join(", ")}`));
  for (const line of explain(why ?? {})) output.line(output.dim(`   ${line}`));
}

/** The contribution of each feature to the score, largest first; the shares add up to 100 %. */
function explain(why: Readonly<Record<string, number>>): string[] {
  const parts = Object.entries(why).sort(([, a], [, b]) => Math.abs(b) - Math.abs(a));
  return parts.map(([name, share]) => {
    const about = FEATURES.find((feature) => feature.name === name)?.about ?? name;
    return `${share >= 0 ? "+" : "-"}${(100 * Math.abs(share)).toFixed(1).padStart(4)} %  ${name}: ${about}`;
  });
}

/** An excerpt of a long cell with line numbers; lines that are already typed are dimmed. */
function renderCell({ dim }: Output, { adapted, matched, excerpt }: Recommendation, full: boolean): string[] {
  const all = adapted.code.split("\n").map((text, line) => ({ text, line }));
  const shown = full ? all : excerpt.map(({ line }) => all[line]!);
  const isTyped = (line: number) => matched.some(({ start, end }) => line >= start && line < end);
  const isCut = shown.length < all.length;
  const width = String(all.length).length;
  const lines = shown.map(({ text, line }) => {
    const numbered = isCut ? `${String(line + 1).padStart(width)}  ${text}` : text;
    return isTyped(line) ? dim(numbered) : numbered;
  });
  return isCut ? [...lines, dim(`(${shown.length} of ${all.length} lines; --full shows all)`)] : lines;
}

/** The path relative to the current folder if it is inside; other paths and URLs are unchanged. */
function shortenPath(location: string): string {
  const path = relative(realpathSync("."), location);
  return isAbsolute(location) && !path.startsWith("..") && !isAbsolute(path) ? path : location;
}
