import { existsSync, lstatSync, realpathSync, statSync } from "node:fs";
import { relative, sep } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type FSWatcher, watch } from "chokidar";
import { Command } from "commander";
import { RecommenderError } from "../../errors.js";
import { isCandidate, isIgnored } from "../../notebook/corpus/candidates.js";
import { openPaths } from "../../notebook/corpus/open-paths.js";
import type { Context, Run } from "../context.js";
import { asOneLine, type Output } from "../output.js";
import { parseName } from "../parse-options.js";
import { createLocalSink, createRemoteSink, type Sink, type WatchedFile } from "../watch-sinks.js";

interface Options {
  readonly source?: string;
  readonly server?: string;
}

/** A file that is not valid JSON may be half written, so it is read again before it is reported. */
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
      ? // The write lock is held for one change at a time, so a service can use the same index.
        createLocalSink({
          ...shared,
          // A source with a given name may also contain other folders.
          prune: source === undefined,
          services: await open({ activity: `celrec watch ${paths.join(" ")}`, hold: "call" }),
        })
      : createRemoteSink({ ...shared, url: server, token: config.token });
  const failed = new AbortController();
  try {
    const changes = watchFolders(folders, AbortSignal.any([signal, failed.signal]), {
      onReady: () => output.note(`Watching ${folders.join(", ")}.`),
      onWatchError: (message) =>
        output.note(`Some changes may go unnoticed until the folder is indexed again: ${message}.`),
      onFolderMissing: (folder) =>
        output.note(`${folder} is missing; its notebooks stay in the index. Waiting for it to return.`),
    });
    // Watching starts before indexing, so no save is missed.
    const next = changes.next();
    await retryWhileBusy(() => sink.sync(), signal);
    for (let step = await next; !step.done; step = await changes.next())
      await retryWhileBusy(
        () => apply(step.value as Changes, (file) => identify(file, folders, source), sink, output, signal),
        signal,
        (message) => output.note(`${message} Waiting for it.`),
      );
  } finally {
    // Closed, because an open watcher would keep the process alive.
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
        // A script without cells may have had cells before, which are then still in the index.
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
  onUnavailable: ((message: string) => void) | null = null,
): Promise<void> {
  for (let tries = 0; !signal.aborted; tries += 1) {
    try {
      await act();
      return;
    } catch (error) {
      if (signal.aborted) return;
      const code = error instanceof RecommenderError ? error.code : null;
      if (code !== "INDEX_LOCKED" && (code !== "STORE_UNAVAILABLE" || onUnavailable === null)) throw error;
      if (code === "STORE_UNAVAILABLE" && tries === 0) onUnavailable?.((error as Error).message);
      await sleep(RETRY_MS, undefined, { signal }).catch(() => {});
    }
  }
}

/** Saved and deleted files. */
interface Changes {
  readonly saved: ReadonlySet<string>;
  readonly gone: ReadonlySet<string>;
  /** Whether a missing folder has returned; all of its files may have changed. */
  readonly hasReturned: boolean;
}

interface WatchOptions {
  readonly quietMs?: number;
  readonly lookMs?: number;
  readonly onReady?: () => void;
  /** Called when a folder itself is missing, moved or unmounted; its files do not count as deleted. */
  readonly onFolderMissing?: (folder: string) => void;
  /** Called once for each kind of error that may hide changes, such as a folder without permission. */
  readonly onWatchError?: (message: string) => void;
}

/** A file counts as written when its size has not changed for this long. */
const SETTLED = { stabilityThreshold: 300, pollInterval: 100 };

/**
 * Yields changes of notebooks below the folders until the signal is aborted; changes within `quietMs` come together. Waits
 * for a folder that disappears. Links are not followed, as when a folder is indexed.
 */
async function* watchFolders(
  folders: readonly string[],
  signal: AbortSignal,
  {
    quietMs = 300,
    lookMs = 1_000,
    onReady = () => {},
    onFolderMissing = () => {},
    onWatchError = () => {},
  }: WatchOptions = {},
): AsyncGenerator<Changes> {
  const touched = new Set<string>();
  const missing = new Set<string>();
  let hasReturned = false;
  let wake = () => {};
  const note = (file: string) => {
    if (!isCandidate(file.split(sep).join("/"))) return;
    touched.add(file);
    wake();
  };
  const watcher: FSWatcher = watch([...folders], {
    ignoreInitial: true,
    awaitWriteFinish: SETTLED,
    followSymlinks: false,
    ignored: (path, stats) =>
      !folders.includes(path) && (isIgnored(path.split(sep).at(-1)!) || stats?.isSymbolicLink() === true),
  });
  watcher.on("add", note).on("change", note).on("unlink", note);
  watcher.on("ready", onReady);
  const troubles = new Set<unknown>();
  watcher.on("error", (error) => {
    const { code = null, message } = error as NodeJS.ErrnoException;
    if (troubles.has(code)) return;
    troubles.add(code);
    onWatchError(message);
  });
  signal.addEventListener("abort", () => wake(), { once: true });
  const look = () => {
    for (const folder of folders) {
      const isThere = existsSync(folder);
      if (!isThere && !missing.has(folder)) {
        missing.add(folder);
        onFolderMissing(folder);
      } else if (isThere && missing.delete(folder)) {
        watcher.unwatch(folder);
        watcher.add(folder);
        hasReturned = true;
        wake();
      }
    }
  };
  // The timer also keeps the process alive while all folders are missing.
  const looking = setInterval(look, lookMs);
  try {
    while (!signal.aborted) {
      if (touched.size === 0 && !hasReturned) await new Promise<void>((resolve) => (wake = resolve));
      await new Promise((resolve) => setTimeout(resolve, quietMs));
      if (signal.aborted) return;
      look();
      const isBelowMissing = (file: string) => [...missing].some((folder) => file.startsWith(`${folder}${sep}`));
      const changes = {
        saved: new Set([...touched].filter(isFile)),
        gone: new Set([...touched].filter((file) => !isBelowMissing(file) && !isFile(file))),
        hasReturned,
      };
      touched.clear();
      hasReturned = false;
      yield changes;
    }
  } finally {
    clearInterval(looking);
    await watcher.close();
  }
}

/** A saved file may have been deleted since, or replaced by a link or a pipe. */
function isFile(path: string): boolean {
  try {
    return lstatSync(path).isFile();
  } catch {
    return false;
  }
}
