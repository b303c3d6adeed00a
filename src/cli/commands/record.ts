import { appendFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { Command } from "commander";
import { RecommenderError } from "../../errors.js";
import { openKernels } from "../../evaluate/execute/kernels.js";
import { readDataBeside, readDataFolder, recordCells } from "../../evaluate/execute/record-cells.js";
import { createUniqueNames, readNotebooks } from "../../notebook/corpus/open-paths.js";
import { extractCells } from "../../notebook/extract.js";
import type { NotebookFile } from "../../notebook/notebook.js";
import { addConfigFlags, type Context, type Run } from "../context.js";
import { parseInteger } from "../parse-options.js";

interface Options {
  readonly out: string;
  readonly python: string;
  readonly files?: string;
  readonly seconds: number;
  readonly task?: string;
}

export function recordCommand(run: Run): Command {
  const command = new Command("record")
    .description("execute notebooks in a sandbox and record each step, for `celrec eval themisto`")
    .argument("<notebook...>", "notebooks or folders; they can read .csv, .tsv, .json and .txt files next to them")
    .requiredOption("--out <file>", "JSON Lines file to write, one line per executed cell")
    .option(
      "--files <folder>",
      "folder of data files, which are copied to the working folder of each notebook and to ../input",
    )
    .option(
      "--python <path>",
      "Python interpreter with jupyter_client, ipykernel and the packages that the notebooks import",
      "python3",
    )
    .option("--task <text>", "the task of the notebooks; default: the Markdown above the first code cell")
    .option("--seconds <number>", "time limit for one notebook", parseInteger(1, 3_600), 120)
    .action(run(record));
  return addConfigFlags(command, []);
}

async function record(
  { output, env }: Context,
  paths: string[],
  { out, python, files: folder, seconds, task }: Options,
): Promise<number> {
  const files = folder === undefined ? null : readDataFolder(folder);
  const kernels = await openKernels({ python, searchPath: env.PATH, jobs: 1, note: (text) => output.note(text) });
  let count = 0;
  try {
    const add = openLines(out);
    const nameOf = createUniqueNames();
    for await (const entry of readNotebooks(paths, (message) => output.note(message))) {
      const { parsed, location } = entry;
      const name = nameOf(entry);
      if ("rejected" in parsed) {
        output.note(`${name} was skipped: ${parsed.rejected.reason}.`);
        continue;
      }
      const codes = extractCells(parsed.notebook).map(({ code }) => code);
      const beside = () => (location === undefined ? {} : readDataBeside(dirname(location)));
      const { steps, failures } = await recordCells(kernels, name, codes, {
        files: files ?? beside(),
        seconds,
        task: task ?? introductionOf(parsed.notebook),
      });
      add(steps);
      count += steps.length;
      output.line(`${name}: ${steps.length} of ${codes.length} cells${describeFailures(failures)}`);
    }
  } finally {
    await kernels.close();
  }
  if (count === 0)
    throw new RecommenderError("NOT_FOUND", `There is no cell to execute in ${paths.join(", ")}; ${out} is empty.`);
  output.document({ steps: count, file: out });
  output.line(`${count} steps in ${out}`);
  return 0;
}

/** The Markdown above the first code cell. */
function introductionOf({ cells }: NotebookFile): string {
  const first = cells.findIndex(({ type }) => type === "code");
  const markdown = cells.slice(0, first === -1 ? 0 : first).filter(({ type }) => type === "markdown");
  return markdown.map(({ source }) => source.trim()).join("\n\n");
}

/**
 * Opens the output file, to which each notebook's steps are appended at once. INPUT_INVALID if it cannot be written.
 */
function openLines(out: string): (steps: readonly object[]) => void {
  try {
    writeFileSync(out, "");
  } catch (cause) {
    throw new RecommenderError("INPUT_INVALID", `${out} cannot be written: ${(cause as Error).message}`, { cause });
  }
  return (steps) => appendFileSync(out, steps.map((step) => `${JSON.stringify(step)}\n`).join(""));
}

function describeFailures([first, ...others]: readonly string[]): string {
  if (first === undefined) return "";
  return `, ${others.length + 1} of them failed, the first with ${first.split("\n")[0]}`;
}
