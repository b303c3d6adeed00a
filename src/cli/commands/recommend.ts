import { realpathSync } from "node:fs";
import { isAbsolute, relative } from "node:path";
import { Command } from "commander";
import { DEFAULTS, LIMITS } from "../../ask/limits.js";
import { parseInput } from "../../ask/parse-input.js";
import { askRequest } from "../../ask/requests.js";
import type { RecommendAnswer } from "../../recommend/recommend.js";
import type { Recommendation, RecommendMode } from "../../recommend/request.js";
import type { Context } from "../context.js";
import type { Output } from "../output.js";
import { collect, diversityOption, parseChoice, parseInteger, parseShare } from "../parse-options.js";
import { readText } from "../read-code.js";
import type { Run } from "../run.js";

interface Options {
  readonly k: number;
  readonly label?: string;
  readonly sources?: readonly string[];
  readonly minVotes?: number;
  readonly filter?: "strict" | "soft" | "off";
  readonly mode?: RecommendMode;
  readonly diversity?: number;
  readonly minConfidence?: number;
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
    .description("find stored cells for the code in a file or on standard input")
    .argument("[file]", "the cell as far as it is typed; - for standard input")
    .option("-k <number>", "how many cells", parseInteger(1, LIMITS.k), DEFAULTS.k)
    .option("--label <label>", "only cells with this label")
    .option("--sources <name...>", "only cells that stand in a notebook of these sources")
    .option("--min-votes <number>", "only cells that stand in a notebook with so many votes", parseInteger(0, 1e9))
    .option("--filter <mode>", "strict, soft or off", parseChoice(["strict", "soft", "off"] as const))
    .option(
      "--mode <mode>",
      "auto, similar, complete or next",
      parseChoice(["auto", "similar", "complete", "next"] as const),
    )
    .addOption(diversityOption("0.5 for complete, 0.3 for next, else 0"))
    .option("--min-confidence <number>", "leave out hits with a lower confidence", parseShare)
    .option("--before <file>", "the cell above; may be repeated, nearest last", collect)
    .option("--markdown <text>", "the Markdown above")
    .option("--explain", "say what each feature added to a score")
    .option("--full", "print long cells whole")
    .option("--no-collapse", "show cells that differ only in comments and blank lines, too")
    .option("--exclude <notebook>", "leave out what only this notebook (path or id) holds; may be repeated", collect)
    .action(run(recommendCells));
}

async function recommendCells({ output, open }: Context, file: string | undefined, options: Options) {
  const { before, markdown, exclude, collapse, full, ...settings } = options;
  const request = parseInput(askRequest, {
    code: readText(file ?? "-"),
    ...Object.fromEntries(SETTINGS.flatMap((name) => (settings[name] === undefined ? [] : [[name, settings[name]]]))),
    // Without the flag it is for the preset to say.
    ...(!collapse && { collapse }),
    context: { before: (before ?? []).map(readText), markdown: markdown ?? "" },
  });
  const services = await open({ activity: "celrec recommend", hold: "call", create: false });
  try {
    const excluded = await Promise.all((exclude ?? []).map(services.ask.findNotebooks));
    const answer = await services.ask.recommend({ ...request, exclude: { notebooks: excluded.flat() } });
    output.document(answer);
    show(output, answer, full === true);
  } finally {
    await services.close();
  }
  return 0;
}

function show(output: Output, answer: RecommendAnswer, full: boolean): void {
  const { query, widened, recommendations, highestConfidence } = answer;
  const labels = query.labels.map(({ label, probability }) => `${label} ${probability.toFixed(2)}`).join(", ");
  output.line(
    output.dim(`query: ${labels || "no label"}${widened ? "; too few cells with these labels, others follow" : ""}`),
  );
  if (recommendations.length === 0) output.line(sayNothing(highestConfidence));
  for (const hit of recommendations) showHit(output, hit, full);
}

function sayNothing(highest: number | null): string {
  if (highest === null) return "Nothing found. `celrec stats` tells what the index holds.";
  return `Nothing in this index comes close; the nearest has confidence ${highest.toFixed(2)} (--min-confidence 0 shows it).`;
}

function showHit(output: Output, hit: Recommendation, full: boolean): void {
  const { rank, score, confidence, notebook, labels, occurrences, why } = hit;
  const times = occurrences === 1 ? "" : `, ${occurrences} times`;
  const sure = confidence === null ? "" : `, confidence ${confidence.toFixed(2)}`;
  output.line();
  output.line(
    `${output.bold(`${rank}. ${notebook.name} [${notebook.cellIndex}]`)}  ${output.dim(`${score.toFixed(3)} ${labels.join(", ")}${times}${sure}`)}`,
  );
  if (notebook.location !== undefined) output.line(output.dim(`   ${shortenPath(notebook.location)}`));
  for (const line of renderCell(output, hit, full)) output.line(`   ${line}`);
  const renamed = Object.entries(hit.adapted.renamed).map(([from, to]) => `${from} -> ${to}`);
  if (renamed.length > 0) output.line(output.dim(`   in your names: ${renamed.join(", ")}`));
  for (const [feature, share] of Object.entries(why ?? {}).sort(([, a], [, b]) => Math.abs(b) - Math.abs(a))) {
    output.line(output.dim(`   ${share >= 0 ? "+" : "-"}${Math.abs(share).toFixed(3)} ${feature}`));
  }
}

/** What matters of a long cell, with the numbers of its lines; lines that are typed already are dimmed. */
function renderCell({ dim }: Output, { code, matched, excerpt }: Recommendation, full: boolean): string[] {
  const all = code.split("\n").map((text, line) => ({ text, line }));
  const shown = full ? all : excerpt;
  const isTyped = (line: number) => matched.some(({ start, end }) => line >= start && line < end);
  const isCut = shown.length < all.length;
  const width = String(all.length).length;
  const lines = shown.map(({ text, line }) => {
    const numbered = isCut ? `${String(line + 1).padStart(width)}  ${text}` : text;
    return isTyped(line) ? dim(numbered) : numbered;
  });
  return isCut ? [...lines, dim(`(${shown.length} of ${all.length} lines; --full shows all)`)] : lines;
}

/** As one would type it here; a URL, and what lies elsewhere, as it is. */
function shortenPath(location: string): string {
  const path = relative(realpathSync("."), location);
  return isAbsolute(location) && !path.startsWith("..") && !isAbsolute(path) ? path : location;
}
