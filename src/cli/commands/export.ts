import { accessSync, constants, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { Command } from "commander";
import type { Services } from "../../app/compose.js";
import { identityOf } from "../../app/parts.js";
import { listFrequentCells } from "../../ask/find-cells.js";
import { LIMITS } from "../../ask/limits.js";
import { parseInput } from "../../ask/parse-input.js";
import { askRequest, searchRequest } from "../../ask/requests.js";
import { RecommenderError } from "../../errors.js";
import { exportIndex, notebooksFile } from "../../ingest/move/export-index.js";
import { importIndex } from "../../ingest/move/import-index.js";
import { makeFolders } from "../../notebook/file-system.js";
import { makeSnippet, type SnippetCell } from "../../notebook/snippet.js";
import type { Context, Run } from "../context.js";
import { parseInteger } from "../parse-options.js";
import { createProgress } from "../progress.js";
import { readText } from "../read-input.js";

interface Options extends ChosenCells {
  readonly elyra?: true;
}

const DEFAULT_SNIPPETS = 20;

export function exportCommand(run: Run): Command {
  return new Command("export")
    .description("write the index to two Parquet files, or some cells as Elyra snippets")
    .argument("<file>", "the file of cells, such as cells.parquet; with --elyra, the output folder")
    .option("--elyra", "write Elyra code snippets, one file each; choose the cells with --search, --code or --label")
    .option("--search <words>", "with --elyra: cells that contain these words")
    .option("--code <file>", "with --elyra: cells recommended for the code in this file; - for standard input")
    .option(
      "--label <label>",
      "with --elyra: only cells with this label; without --search and --code, the most frequent ones",
    )
    .option("-k, --k <number>", "with --elyra: number of cells", parseInteger(1, LIMITS.k), DEFAULT_SNIPPETS)
    .action(run(exportCells));
}

async function exportCells(context: Context, file: string, { elyra, ...chosen }: Options) {
  const isChosen = [chosen.search, chosen.code, chosen.label].some((each) => each !== undefined);
  if (elyra !== true && isChosen)
    throw new RecommenderError("INPUT_INVALID", "--search, --code and --label need --elyra.");
  const services = await context.open({ activity: "celrec export", hold: "call", create: false });
  try {
    return elyra === true
      ? await exportSnippets(services, context, file, chosen)
      : await writeIndex(services, context, file);
  } catch (error) {
    if (context.signal.aborted && error === context.signal.reason) return 130;
    throw error;
  } finally {
    await services.close();
  }
}

async function writeIndex(
  services: Awaited<ReturnType<Context["open"]>>,
  { output, signal }: Context,
  file: string,
): Promise<number> {
  checkWritable(file);
  const progress = createProgress("notebooks", (await services.store.counts()).notebooks);
  const onProgress = ({ notebooks }: { notebooks: number }) => progress.update(notebooks);
  const moved = await exportIndex(services.store, identityOf(services), file, { signal, onProgress });
  progress.end();
  output.document({ ...moved, files: [file, notebooksFile(file)] });
  output.line(`${moved.cells} cells in ${file}, ${moved.notebooks} notebooks in ${notebooksFile(file)}`);
  return 0;
}

/** Checks the output path before the index is read, which may take long. */
function checkWritable(file: string): void {
  if (statSync(file, { throwIfNoEntry: false })?.isDirectory())
    throw new RecommenderError(
      "INPUT_INVALID",
      `${file} is a folder; name a file, such as ${join(file, "cells.parquet")}.`,
    );
  try {
    accessSync(dirname(file), constants.W_OK);
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    const why = code === "ENOENT" ? `there is no folder ${dirname(file)}` : message;
    throw new RecommenderError("INPUT_INVALID", `${file} cannot be written: ${why}.`, { cause });
  }
}

/** The options that select the exported cells. */
interface ChosenCells {
  readonly k: number;
  readonly search?: string;
  readonly code?: string;
  readonly label?: string;
}

/** Writes cells as code snippets of Elyra, one file each; those of an earlier export are replaced. */
async function exportSnippets(
  services: Services,
  { output, signal }: Pick<Context, "output" | "signal">,
  folder: string,
  chosen: ChosenCells,
): Promise<number> {
  const cells = await chooseCells(services, chosen, signal);
  makeFolders(folder);
  const snippets = cells.map(makeSnippet);
  for (const { file, document } of snippets)
    writeFileSync(join(folder, file), `${JSON.stringify(document, null, 2)}\n`);
  output.document({ folder, snippets: snippets.map(({ file, document }) => ({ file, name: document.display_name })) });
  for (const { file, document } of snippets) output.line(`${file}  ${document.display_name}`);
  output.note(`${snippets.length} snippets in ${folder}`);
  return 0;
}

async function chooseCells(
  services: Services,
  { search, code, label, k }: ChosenCells,
  signal: AbortSignal,
): Promise<readonly SnippetCell[]> {
  if (search !== undefined && code !== undefined)
    throw new RecommenderError("INPUT_INVALID", "Give --search or --code, not both.");
  const within = { k, ...(label !== undefined && { label }) };
  if (search !== undefined)
    return (await services.ask.search(parseInput(searchRequest, { text: search, ...within }), signal)).cells;
  if (code !== undefined) {
    const request = parseInput(askRequest, { code: readText(code), ...within });
    return (await services.ask.recommend(request, signal)).recommendations;
  }
  if (label !== undefined) return listFrequentCells(services, { label, k }, signal);
  throw new RecommenderError("INPUT_INVALID", "Which cells? Give --search WORDS, --code FILE or --label LABEL.");
}

export function importCommand(run: Run): Command {
  return new Command("import")
    .description("add the files of `celrec export` to the index; they may come from another store")
    .argument("<file>", "the file of cells; the file of notebooks must be next to it")
    .action(run(readIndex));
}

async function readIndex({ output, signal, open }: Context, file: string) {
  const services = await open({ activity: `celrec import ${file}`, hold: "session" });
  try {
    const progress = createProgress("notebooks", null);
    const moved = await importIndex(services.store, identityOf(services), file, {
      signal,
      onProgress: ({ notebooks }, of) => {
        progress.expect(of);
        progress.update(notebooks);
      },
    });
    await services.store.settle({ signal });
    progress.end();
    output.document(moved);
    output.line(`${moved.notebooks} notebooks, ${moved.cells} cells`);
    return 0;
  } catch (error) {
    if (!signal.aborted || error !== signal.reason) throw error;
    output.note("Interrupted; run the same command again to continue.");
    return 130;
  } finally {
    await services.close();
  }
}
