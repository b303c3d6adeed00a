import { Command } from "commander";
import { DEFAULTS, LIMITS } from "../../ask/limits.js";
import { parseInput } from "../../ask/parse-input.js";
import { completeRequest } from "../../ask/requests.js";
import { RecommenderError } from "../../errors.js";
import type { Context, Run } from "../context.js";
import { parseInteger, parseShare } from "../parse-options.js";
import { type Question, readNotebookCell, readText, readTypedCode } from "../read-input.js";

interface Options {
  readonly k: number;
  readonly maxLines: number;
  readonly minConfidence?: number;
  readonly line?: number;
  readonly column?: number;
  readonly suffix?: string;
  readonly cell?: number;
  readonly context?: string;
}

const MAX_POSITION = 10_000_000;

export function completeCommand(run: Run): Command {
  const position = parseInteger(1, MAX_POSITION);
  return new Command("complete")
    .description("continue the code at the cursor")
    .argument(
      "[file]",
      "a file with the code of the cell, without its final line break; - for standard input; a notebook with --cell",
    )
    .option("--line <number>", "the line of the cursor, from 1; by default the cursor is at the end", position)
    .option("--column <number>", "the column of the cursor, from 1; by default the end of the line", position)
    .option("--suffix <file>", "a file with the text after the cursor; FILE then contains the text before the cursor")
    .option("--cell <number>", "the notebook's cell, counted from 0", parseInteger(0, LIMITS.cells))
    .option("--context <notebook>", "a notebook whose cells are above the code")
    .option("-k, --k <number>", "number of completions", parseInteger(1, LIMITS.completions), DEFAULTS.completions)
    .option(
      "--max-lines <number>",
      "maximum number of lines of a completion",
      parseInteger(1, LIMITS.completionLines),
      DEFAULTS.completionLines,
    )
    .option("--min-confidence <number>", "leave out completions with a lower confidence", parseShare)
    .action(run(completeCode));
}

async function completeCode({ output, open, signal }: Context, file: string | undefined, options: Options) {
  const { k, maxLines, minConfidence } = options;
  const question = readQuestion(file, options, output.note);
  const { before, after, markdown } = question;
  const request = parseInput(completeRequest, {
    ...splitAtCursor(question.code, options),
    ...{ k, maxLines, ...(minConfidence !== undefined && { minConfidence }) },
    context: { before, after, markdown },
  });
  const services = await open({ activity: "celrec complete", hold: "call", create: false });
  try {
    const answer = await services.ask.complete(request, signal);
    output.document(answer);
    // A single completion is printed unchanged, for use in pipes.
    const isOne = k === 1;
    for (const { text, confidence } of answer.completions)
      output.line(isOne ? text : `${`${Math.round(confidence * 100)} %`.padStart(5)}  ${text}`);
    if (answer.completions.length === 0) output.note("No completion is likely enough.");
  } finally {
    await services.close();
  }
  return 0;
}

function readQuestion(file: string | undefined, { cell, context }: Options, note: (text: string) => void): Question {
  const isNotebook = file?.endsWith(".ipynb") === true;
  if (isNotebook !== (cell !== undefined))
    throw new RecommenderError(
      "INPUT_INVALID",
      isNotebook
        ? `Which cell of ${file}? Give --cell N, counting all cells from 0.`
        : "--cell needs a notebook: celrec complete NOTEBOOK.ipynb --cell 3 --line 2",
    );
  if (cell !== undefined) return readNotebookCell(file!, cell, LIMITS.cells);
  const typed = readTypedCode(file, note);
  const above = context === undefined ? typed : readNotebookCell(context, "next", LIMITS.cells);
  return { ...above, code: typed.code.replace(/\r?\n$/, "") };
}

/** The text before and after the cursor. INPUT_INVALID if there is no such position. */
function splitAtCursor(code: string, { line, column, suffix }: Options): { prefix: string; suffix: string } {
  if (suffix !== undefined && line !== undefined)
    throw new RecommenderError("INPUT_INVALID", "Give either --suffix or --line, not both.");
  if (line === undefined && column !== undefined)
    throw new RecommenderError("INPUT_INVALID", "--column needs --line: celrec complete FILE --line 2 --column 8");
  if (line === undefined) return { prefix: code, suffix: suffix === undefined ? "" : readText(suffix) };
  const lines = code.split("\n");
  const text = lines[line - 1];
  if (text === undefined)
    throw new RecommenderError("INPUT_INVALID", `--line ${line} does not exist; the text has ${lines.length} lines.`);
  if (column !== undefined && column > text.length + 1)
    throw new RecommenderError(
      "INPUT_INVALID",
      `--column ${column} does not exist; line ${line} has ${text.length} characters and ends at column ${text.length + 1}.`,
    );
  const start = lines.slice(0, line - 1).reduce((sum, each) => sum + each.length + 1, 0);
  const cursor = start + (column === undefined ? text.length : column - 1);
  return { prefix: code.slice(0, cursor), suffix: code.slice(cursor) };
}
