import { realpathSync, statSync } from "node:fs";
import { relative, sep } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Command } from "commander";
import { RecommenderError } from "../../errors.js";
import { openPaths } from "../../notebook/corpus/open-paths.js";
import type { Context, Run } from "../context.js";
import { asOneLine, type Output } from "../output.js";
import { parseName } from "../parse-options.js";
import { createLocalSink, type Sink, type WatchedFile } from "../watch/local-sink.js";
import { createRemoteSink } from "../watch/remote-sink.js";
import { type Changes, watchFolders } from "../watch/watch-folders.js";

interface Options {
  readonly source?: string;
  readonly server?: string;
}

/** A file that is not JSON may be half written: it is read again before it is reported. */
const RETRIES = 5;
const RETRY_MS = 1_000;

export function watchCommand(run: Run): Command {
  return new Command("watch")
    .description("index the folders, and update the index as notebooks are saved and deleted, until Ctrl-C")
    .argument("<folders...>")
    .option("--source <name>", "a name for the source instead of the folder's path", parseName)
    .option("--server <url>", "send the notebooks to this service (with CELREC_TOKEN) instead of opening an index")
    .action(run(watchPaths));
}

async function watchPaths(context: Context, paths: string[], { source, server }: Options) {
  const { output, signal, open, config } = context;
  const opened = await openPaths(paths, source === undefined ? {} : { source });
  const folders = paths.map((path) => realpathSync(path));
  for (const folder of folders) {
    if (statSync(folder).isDirectory()) continue;
    throw new RecommenderError("INPUT_INVALID", `${folder} is not a folder; only folders can be watched.`);
  }
  const shared = { opened, output, signal };
  const sink =
    server === undefined
      ? // The write lock is held for one change at a time, so that a service can use the same index.
        createLocalSink({
          ...shared,
          // A named source may also contain other folders.
          prune: source === undefined,
          services: await open({ activity: `celrec watch ${paths.join(" ")}`, hold: "call" }),
        })
      : createRemoteSink({ ...shared, url: server, token: config.token });
  const failed = new AbortController();
  try {
    const changes = watchFolders(folders, AbortSignal.any([signal, failed.signal]), {
      onReady: () => output.note(`Watching ${folders.join(", ")}.`),
      onBlind: (message) => output.note(`Some changes may go unnoticed until the folder is indexed again: ${message}.`),
      onAway: (folder) =>
        output.note(`${folder} is missing; its notebooks stay in the index. Waiting for it to return.`),
    });
    // Watching starts first, so that no save during indexing is missed.
    const next = changes.next();
    await retryWhileBusy(() => sink.sync(), signal);
    for (let step = await next; !step.done; step = await changes.next())
      await retryWhileBusy(
        () => apply(step.value as Changes, (file) => identify(file, folders, source), sink, output, signal),
        signal,
        (message) => output.note(`${message} Waiting for it.`),
      );
  } finally {
    // An open watcher would keep the process alive.
    failed.abort();
    await sink.close();
  }
  return 0;
}

async function apply(
  { saved, gone, hasReturned }: Changes,
  identifyFile: (file: string) => WatchedFile,
  sink: Sink,
  output: Output,
  signal: AbortSignal,
): Promise<void> {
  if (hasReturned) await sink.sync();
  for (const file of [...gone].map(identifyFile))
    if (await sink.remove(file)) output.line(asOneLine(`removed ${file.path}`));
  let files = [...saved].map(identifyFile);
  for (let tries = 0; files.length > 0 && !signal.aborted; tries += 1) {
    const halves: WatchedFile[] = [];
    for (const [at, outcome] of (await sink.put(files)).entries()) {
      const file = files[at]!;
      if (outcome === "no notebook") {
        // It may have been a notebook before.
        if (await sink.remove(file)) output.line(asOneLine(`removed ${file.path}: it is a script without cells now`));
      } else if ("cells" in outcome) {
        if (!outcome.unchanged) output.line(asOneLine(`indexed ${file.path}: ${outcome.cells} cells`));
      } else if (outcome.isHalf && tries < RETRIES) halves.push(file);
      else output.note(asOneLine(`${file.path}: ${outcome.reason}`));
    }
    files = halves;
    if (files.length > 0) await sleep(RETRY_MS, undefined, { signal }).catch(() => {});
  }
}

function identify(file: string, folders: readonly string[], source: string | undefined): WatchedFile {
  const folder = folders.find((each) => file.startsWith(`${each}${sep}`))!;
  return { file, source: source ?? folder, path: relative(folder, file).split(sep).join("/") };
}

/** Retries while another writer has the lock, or while a store that worked before is unavailable. */
async function retryWhileBusy(
  act: () => Promise<unknown>,
  signal: AbortSignal,
  onAway: ((message: string) => void) | null = null,
): Promise<void> {
  for (let tries = 0; !signal.aborted; tries += 1) {
    try {
      await act();
      return;
    } catch (error) {
      if (signal.aborted) return;
      const code = error instanceof RecommenderError ? error.code : null;
      if (code !== "INDEX_LOCKED" && (code !== "STORE_UNAVAILABLE" || onAway === null)) throw error;
      if (code === "STORE_UNAVAILABLE" && tries === 0) onAway?.((error as Error).message);
      await sleep(RETRY_MS, undefined, { signal }).catch(() => {});
    }
  }
}
