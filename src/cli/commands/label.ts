import {
  accessSync,
  closeSync,
  constants,
  fchmodSync,
  fsyncSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { Command } from "commander";
import { openLabeller } from "../../app/parts.js";
import { RecommenderError } from "../../errors.js";
import type { ExplainingLabeller } from "../../label/model-labeller.js";
import { writeLabelTags } from "../../label/write-tags.js";
import type { Context, Run } from "../context.js";
import {
  describeFeature,
  isNotebookPath,
  type LabelEntry,
  type LabelOptions,
  labelFile,
  type RejectedSource,
  readSources,
  type SourceFile,
} from "../label-files.js";
import type { Output } from "../output.js";

interface Options extends LabelOptions {
  readonly write?: true;
}

interface LabelledFile extends SourceFile {
  readonly entries: readonly LabelEntry[];
}

const EXIT_PARTIAL = 4;
const SHOWN_CONTRIBUTIONS = 5;

export function labelCommand(run: Run): Command {
  return new Command("label")
    .description("show the machine-learning tasks of cells")
    .argument(
      "[paths...]",
      "notebooks, scripts, .jsonl files of {source}, or folders; by default, code from standard input",
    )
    .option("--partial", "label the cells as half-typed")
    .option("--explain", "show the features that determined each label")
    .option("--write", "write the labels into the notebooks, as cell tags")
    .action(run(labelPaths));
}

async function labelPaths({ config, output }: Context, paths: string[], options: Options): Promise<number> {
  if (options.write) checkWritable(paths, options);
  const { files, rejected: unread } = await readSources(paths);
  if (files.length === 0 && unread.length > 0) throw rejectAll(unread);
  const labeller = await openLabeller(config);
  // Scripts have cells, but cannot have tags.
  const wanted = options.write ? files.filter(({ path }) => path.endsWith(".ipynb")) : files;
  if (options.write && wanted.length === 0)
    throw new RecommenderError("NOT_FOUND", `There is no notebook in ${paths.join(", ")}.`);
  const { labelled, tooLarge } = await labelFiles(labeller, wanted, options);
  const rejected = [...unread, ...tooLarge];
  if (labelled.length === 0 && rejected.length > 0) throw rejectAll(rejected);
  const several = wanted.length > 1;
  output.document(
    labelled.flatMap(({ name, entries }) => entries.map((entry) => ({ ...(several && { path: name }), ...entry }))),
  );
  for (const file of labelled) showFile(output, file, several);
  const unwritten = options.write ? writeTags(output, labelled, labeller.labels) : [];
  for (const { name, reason } of rejected) output.note(`rejected ${name}: ${reason}`);
  for (const { name, reason } of unwritten) output.note(`not written ${name}: ${reason}`);
  if (rejected.length + unwritten.length === 0) return 0;
  return unwritten.length === labelled.length ? 1 : EXIT_PARTIAL;
}

/** Labels the files; a file with a too large cell is rejected. */
async function labelFiles(labeller: ExplainingLabeller, files: readonly SourceFile[], options: Options) {
  const labelled: LabelledFile[] = [];
  const tooLarge: RejectedSource[] = [];
  for (const file of files) {
    try {
      labelled.push({ ...file, entries: await labelFile(labeller, file, options) });
    } catch (error) {
      if (!(error instanceof RecommenderError)) throw error;
      tooLarge.push({ name: file.name, reason: error.message });
    }
  }
  return { labelled, tooLarge };
}

/** Checks before reading that all files can have tags. */
function checkWritable(paths: readonly string[], { partial }: Options): void {
  if (partial) {
    throw new RecommenderError("INPUT_INVALID", "--write cannot be combined with --partial.");
  }
  const others = paths.filter((path) => !isNotebookPath(path));
  if (paths.length > 0 && others.length === 0) return;
  throw new RecommenderError(
    "INPUT_INVALID",
    `--write needs notebooks (.ipynb) or folders of them; ${others.join(", ") || "standard input"} cannot have tags.`,
  );
}

function showFile(output: Output, { name, entries }: LabelledFile, several: boolean): void {
  for (const { index, labels, explain = [] } of entries) {
    const shown = labels.map(({ label, probability }) => `${label} ${probability.toFixed(2)}`).join(", ");
    output.line(`${several ? `${name} ` : ""}[${index}] ${shown || "none"}`);
    const assigned = labels.flatMap(({ label }) => explain.find((one) => one.label === label) ?? []);
    const best = explain.toSorted((one, other) => other.probability - one.probability).slice(0, 1);
    for (const { label, probability, contributions } of assigned.length > 0 ? assigned : best) {
      output.line(`  ${label} ${probability.toFixed(2)}`);
      for (const { feature, amount } of contributions.slice(0, SHOWN_CONTRIBUTIONS))
        output.line(
          output.dim(`    ${amount < 0 ? "-" : "+"}${Math.abs(amount).toFixed(2)}  ${describeFeature(feature)}`),
        );
    }
  }
}

/** Continues after a notebook that cannot be written. With `--json`, messages go to stderr. */
function writeTags(output: Output, files: readonly LabelledFile[], labelSet: readonly string[]): RejectedSource[] {
  const tell = output.json ? output.note : output.line;
  return files.flatMap(({ name, path, entries }): RejectedSource[] => {
    const labels = new Map(entries.map((entry) => [entry.index, entry.labels.map(({ label }) => label)]));
    try {
      const { changed, cells } = tagNotebook(path, labels, labelSet);
      tell(changed === 0 ? `unchanged ${name}` : `wrote ${name}: tags of ${changed} of ${cells} code cells`);
      return [];
    } catch (cause) {
      return [{ name, reason: (cause as Error).message }];
    }
  });
}

function rejectAll(rejected: readonly RejectedSource[]): RecommenderError {
  return new RecommenderError("NOT_A_NOTEBOOK", rejected.map(({ name, reason }) => `${name}: ${reason}`).join("\n"));
}

interface Tagged {
  readonly cells: number;
  /** Number of cells whose tags changed. */
  readonly changed: number;
}

/**
 * Writes labels, by cell index, into the notebook at `path`, unless it already has them. The file is replaced
 * atomically and keeps its mode; a link stays a link.
 */
function tagNotebook(
  path: string,
  labels: ReadonlyMap<number, readonly string[]>,
  labelSet: readonly string[],
): Tagged {
  if (labels.size === 0) return { cells: 0, changed: 0 };
  const file = realpathSync(path);
  const bytes = readFileSync(file);
  const before = bytes.toString("utf8");
  if (!Buffer.from(before).equals(bytes)) {
    throw new RecommenderError(
      "NOT_A_NOTEBOOK",
      "it is not UTF-8, so its other content could not be preserved; save it as UTF-8",
    );
  }
  const after = writeLabelTags(before, labels, labelSet);
  if (after === before) return { cells: labels.size, changed: 0 };
  replaceFile(file, after);
  const [old, written] = [readCells(before), readCells(after)];
  return { cells: labels.size, changed: written.filter((cell, at) => cell !== old[at]).length };
}

/** The text of every cell, in the order of the file. */
function readCells(ipynb: string): string[] {
  const { cells, worksheets = [] } = JSON.parse(ipynb.replace(/^\uFEFF/, "")) as {
    cells?: unknown[];
    worksheets?: { cells?: unknown[] }[];
  };
  return (cells ?? worksheets.flatMap((sheet) => sheet.cells ?? [])).map((cell) => JSON.stringify(cell));
}

/** Replaces atomically: readers see the old file or the new one, never a part, also after a crash. */
function replaceFile(file: string, text: string): void {
  // Checked, because renaming would also replace a read-only file.
  accessSync(file, constants.W_OK);
  const scratch = join(dirname(file), `.${basename(file)}.${process.pid}.part`);
  try {
    const descriptor = openSync(scratch, "wx");
    try {
      fchmodSync(descriptor, statSync(file).mode & 0o7777);
      writeFileSync(descriptor, text);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    renameSync(scratch, file);
  } finally {
    rmSync(scratch, { force: true });
  }
}
