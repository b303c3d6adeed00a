import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, extname, join } from "node:path";
import { Command } from "commander";
import { extractCells } from "../../cells/extract.js";
import { RecommenderError } from "../../errors.js";
import { openKernels } from "../../evaluate/execute/kernels.js";
import { recordCells } from "../../evaluate/execute/record.js";
import { listNotebooks, readNotebookFile } from "../../notebook/files.js";
import type { Context } from "../context.js";
import { parseInteger } from "../parse-options.js";
import type { Run } from "../run.js";

interface Options {
  readonly out: string;
  readonly python: string;
  readonly seconds: number;
}

/** Data beside a notebook that its cells may read; larger files are left where they are. */
const DATA = [".csv", ".tsv", ".json", ".txt"];
const MOST_BYTES = 5 * 2 ** 20;

export function recordCommand(run: Run): Command {
  return new Command("record")
    .description("execute notebooks in a sandbox and write what happened, step by step, for `celrec eval themisto`")
    .argument("<notebook...>", "notebooks or folders; .csv, .tsv, .json and .txt files beside them can be read")
    .requiredOption("--out <file>", "JSON lines to write, one per executed cell")
    .option("--python <path>", "a Python with jupyter_client and ipykernel", "python3")
    .option("--seconds <number>", "how long one notebook may take", parseInteger(1, 3_600), 120)
    .action(run(record));
}

async function record({ output, env }: Context, paths: string[], { out, python, seconds }: Options): Promise<number> {
  const kernels = await openKernels({ python, searchPath: env.PATH, jobs: 1 });
  const lines: string[] = [];
  try {
    for (const file of listNotebooks(paths)) {
      const parsed = readNotebookFile(file);
      if ("rejected" in parsed) {
        output.note(`${file.name} is left out: ${parsed.rejected.reason}.`);
        continue;
      }
      const codes = extractCells(parsed.notebook).map(({ code }) => code);
      const steps = await recordCells(kernels, file.name, codes, { files: readData(dirname(file.path)), seconds });
      for (const step of steps) lines.push(`${JSON.stringify(step)}\n`);
      const ended = steps.length < codes.length ? `, ended by ${steps.at(-1)?.output ?? "nothing"}` : "";
      output.line(`${file.name}: ${steps.length} of ${codes.length} cells${ended}`);
    }
  } finally {
    await kernels.close();
  }
  try {
    writeFileSync(out, lines.join(""));
  } catch (cause) {
    throw new RecommenderError("INPUT_INVALID", `${out} cannot be written: ${(cause as Error).message}`, { cause });
  }
  output.document({ steps: lines.length, file: out });
  output.line(`${lines.length} steps in ${out}`);
  return 0;
}

function readData(folder: string): Record<string, string> {
  const files = readdirSync(folder).filter((name) => DATA.includes(extname(name)));
  const small = files.filter((name) => statSync(join(folder, name)).size <= MOST_BYTES);
  return Object.fromEntries(small.map((name) => [name, readFileSync(join(folder, name), "utf8")]));
}
