import { realpathSync, statSync } from "node:fs";
import { relative, sep } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Command } from "commander";
import { notebookId } from "../../cells/extract.js";
import type { Services } from "../../compose.js";
import { RecommenderError } from "../../errors.js";
import type { RejectedEntry } from "../../ingest/corpus-report.js";
import { ingestCorpus } from "../../ingest/ingest-corpus.js";
import { describeFile } from "../../notebook/corpus/folder.js";
import { openPaths } from "../../notebook/corpus/open-paths.js";
import type { Context } from "../context.js";
import { indexCorpus } from "../index-corpus.js";
import { createIndexProgress } from "../index-progress.js";
import type { Output } from "../output.js";
import type { Run } from "../run.js";
import { type Changes, watchFolders } from "../watch-folders.js";

/** A file that is no JSON yet is looked at again; one that stays so is told. */
const RETRIES = 5;
const RETRY_MS = 1_000;

export function watchCommand(run: Run): Command {
  return new Command("watch")
    .description("index the folders, and keep them indexed as notebooks are saved and deleted, until Ctrl-C")
    .argument("<folders...>")
    .action(run(watchPaths));
}

async function watchPaths({ output, signal, open }: Context, paths: string[]) {
  const opened = await openPaths(paths);
  const folders = paths.map((path) => realpathSync(path));
  for (const folder of folders) {
    if (statSync(folder).isDirectory()) continue;
    throw new RecommenderError("INPUT_INVALID", `${folder} is no folder; only folders can be watched.`);
  }
  // The writer's place is taken for each change only, so that a server can use the same index.
  const services = await open({ activity: `celrec watch ${paths.join(" ")}`, hold: "call" });
  try {
    const changes = watchFolders(folders, signal, { onReady: () => output.note(`Watching ${folders.join(", ")}.`) });
    // Listening comes first: what is saved while the folders are indexed is found twice, not never.
    const next = changes.next();
    const progress = createIndexProgress(output, false);
    await patiently(() => indexCorpus(opened, services, { prune: false, list: false, signal, progress }), signal);
    for (let step = await next; !step.done; step = await changes.next())
      await patiently(() => apply(step.value as Changes, folders, services, output, signal), signal);
  } finally {
    await services.close();
  }
  return 0;
}

async function apply(
  { saved, gone }: Changes,
  folders: readonly string[],
  { store, workers }: Services,
  output: Output,
  signal: AbortSignal,
): Promise<void> {
  for (const file of gone) {
    const [source, path] = identify(file, folders);
    if (await store.remove(notebookId(path, source))) output.line(`removed ${path}`);
  }
  let files = [...saved];
  for (let tries = 0; files.length > 0; tries += 1) {
    const wanted = files;
    const corpus = async function* () {
      for (const file of wanted) {
        const [source, path] = identify(file, folders);
        yield await describeFile(source, path, file);
      }
    };
    const halves: RejectedEntry[] = [];
    for await (const { reports, rejected } of ingestCorpus(corpus(), { store, workers }, { signal })) {
      for (const { name, cells, unchanged } of reports) if (!unchanged) output.line(`indexed ${name}: ${cells} cells`);
      for (const each of rejected)
        if (each.kind === "not-json" && tries < RETRIES) halves.push(each);
        else output.note(`${each.name}: ${each.reason}`);
    }
    files = wanted.filter((file) => halves.some(({ name }) => identify(file, folders)[1] === name));
    if (files.length > 0) await sleep(RETRY_MS, undefined, { signal }).catch(() => {});
    if (signal.aborted) return;
  }
}

/** The source and path of a file: those that `celrec index FOLDER` gives it. */
function identify(file: string, folders: readonly string[]): [source: string, path: string] {
  const folder = folders.find((each) => file.startsWith(`${each}${sep}`))!;
  return [folder, relative(folder, file).split(sep).join("/")];
}

/** Another writer is soon done. */
async function patiently(act: () => Promise<unknown>, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      await act();
      return;
    } catch (error) {
      if (!(error instanceof RecommenderError) || error.code !== "INDEX_LOCKED") throw error;
      await sleep(RETRY_MS, undefined, { signal }).catch(() => {});
    }
  }
}
