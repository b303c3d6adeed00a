import { type FSWatcher, lstatSync, readdirSync, realpathSync, statSync, watch } from "node:fs";
import { basename, dirname, join, relative, sep } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
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
const MAX_RETRIES = 5;
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
  let isWatching = false;
  try {
    const changes = watchFolders(folders, signal, {
      onWatchError: (message) =>
        output.note(`Some changes may go unnoticed until the folder is indexed again: ${message}.`),
      onFolderMissing: (folder) =>
        output.note(`${folder} is missing; its notebooks stay in the index. Waiting for it to return.`),
    });
    for await (const change of changes) {
      await retryWhileBusy(
        () => applyChanges(change, (file) => toWatchedFile(file, folders, source), sink, output, signal),
        signal,
        // A store or service that cannot be used at the start is an error of the command.
        isWatching ? (message) => output.note(`${message} Waiting for it.`) : null,
      );
      if (!isWatching) output.note(`Watching ${folders.join(", ")}.`);
      isWatching = true;
    }
  } finally {
    await sink.close();
  }
  return 0;
}

async function applyChanges(
  { saved, gone, isUnknown }: Changes,
  identifyFile: (file: string) => WatchedFile,
  sink: Sink,
  output: Output,
  signal: AbortSignal,
): Promise<void> {
  if (isUnknown) await sink.sync();
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
      } else if (outcome.isHalf && tries < MAX_RETRIES) halves.push(file);
      else output.note(asOneLine(`${file.path}: ${outcome.reason}`));
    }
    files = halves;
    if (files.length > 0) await sleep(RETRY_MS, undefined, { signal }).catch(() => {});
  }
}

function toWatchedFile(file: string, folders: readonly string[], source: string | undefined): WatchedFile {
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
  /** Whether any file may have changed: at the start, and after a missing folder has returned. */
  readonly isUnknown: boolean;
}

interface WatchHooks {
  /** Called when a folder itself is missing, moved or unmounted; its files do not count as deleted. */
  readonly onFolderMissing: (folder: string) => void;
  /** Called once for each kind of error that may hide changes, such as a folder without permission. */
  readonly onWatchError: (message: string) => void;
}

/** A file counts as written when nothing has touched it for this long. */
const SETTLED_MS = 300;
/** Time between two checks whether the folders themselves still exist. */
const CHECK_MS = 1_000;

/**
 * Yields changes of notebooks below the folders until the signal is aborted. The first value comes when all folders are
 * watched, so what changes after it is reported by a later one. Waits for a folder that disappears.
 */
async function* watchFolders(
  folders: readonly string[],
  signal: AbortSignal,
  { onFolderMissing, onWatchError }: WatchHooks,
): AsyncGenerator<Changes> {
  /** The changed files, with the time of their last change. */
  const touched = new Map<string, number>();
  const trees = new Map<string, Tree>();
  const missing = new Set<string>();
  const reported = new Set<unknown>();
  let isUnknown = false;
  let wake = () => {};
  const onFile = (file: string) => {
    touched.set(file, performance.now());
    wake();
  };
  const onError = ({ code, message }: NodeJS.ErrnoException) => {
    if (reported.has(code)) return;
    reported.add(code);
    onWatchError(message);
  };
  const checkFolders = () => {
    for (const folder of folders) {
      const identity = identifyFolder(folder);
      const tree = trees.get(folder);
      if (identity !== null && tree?.isOf(identity)) continue;
      tree?.close();
      trees.delete(folder);
      if (identity !== null) {
        missing.delete(folder);
        trees.set(folder, watchTree(folder, identity, onFile, onError));
        isUnknown = true;
      } else if (!missing.has(folder)) {
        missing.add(folder);
        onFolderMissing(folder);
      }
    }
    if (isUnknown) wake();
  };
  checkFolders();
  signal.addEventListener("abort", () => wake(), { once: true });
  // The timer also keeps the process alive while all folders are missing.
  const timer = setInterval(checkFolders, CHECK_MS);
  try {
    while (!signal.aborted) {
      if (touched.size === 0 && !isUnknown) await new Promise<void>((resolve) => (wake = resolve));
      if (!isUnknown) await sleep(SETTLED_MS, undefined, { signal }).catch(() => {});
      if (signal.aborted) return;
      checkFolders();
      const settled = [...touched].filter(([, at]) => performance.now() - at >= SETTLED_MS).map(([file]) => file);
      if (settled.length === 0 && !isUnknown) continue;
      for (const file of settled) touched.delete(file);
      const isBelowMissing = (file: string) => [...missing].some((folder) => file.startsWith(`${folder}${sep}`));
      const changes = {
        saved: new Set(settled.filter((file) => kindOf(file) === "file")),
        gone: new Set(settled.filter((file) => !isBelowMissing(file) && kindOf(file) !== "file")),
        isUnknown,
      };
      isUnknown = false;
      yield changes;
    }
  } finally {
    clearInterval(timer);
    for (const tree of trees.values()) tree.close();
  }
}

interface Tree {
  /** False if the watched folder was replaced by another one. */
  isOf(identity: string): boolean;
  close(): void;
}

interface WatchedFolder {
  readonly identity: string;
  readonly watcher: FSWatcher;
  /** The notebooks directly in the folder. */
  readonly files: Set<string>;
}

/**
 * Watches a folder with all folders below it, and reports each notebook that may have changed. A folder is watched before
 * it is listed, so a file that is created in the meantime is not missed. Links are not followed, as when it is indexed.
 */
function watchTree(
  root: string,
  identity: string,
  onFile: (file: string) => void,
  onError: (error: NodeJS.ErrnoException) => void,
): Tree {
  const watched = new Map<string, WatchedFolder>();
  /** The notebooks that are there from the start are not reported. */
  let isOpen = false;
  let isLost = false;

  const open = (folder: string, own: string) => {
    try {
      const watcher = watch(folder, (_event, name) => {
        if (name === null) return list(folder);
        check(folder, name);
        // A watcher reports the end of its own folder under the folder's name.
        if (name === basename(folder)) replace(folder);
      });
      watcher.on("error", onError);
      watched.set(folder, { identity: own, watcher, files: new Set() });
    } catch (error) {
      return onFolderError(error as NodeJS.ErrnoException);
    }
    list(folder);
  };
  const list = (folder: string) => {
    try {
      const names = new Set(readdirSync(folder));
      for (const file of watched.get(folder)?.files ?? []) names.add(basename(file));
      for (const name of names) check(folder, name);
    } catch (error) {
      onFolderError(error as NodeJS.ErrnoException);
    }
  };
  const onFolderError = (error: NodeJS.ErrnoException) => {
    // Deleted in the meantime, which the folder above reports.
    if (error.code !== "ENOENT") onError(error);
  };
  const replace = (folder: string) => {
    if (folder === root) {
      isLost = true;
      return;
    }
    closeBelow(folder);
    check(dirname(folder), basename(folder));
  };
  const check = (folder: string, name: string) => {
    const path = join(folder, name);
    const files = watched.get(folder)?.files;
    if (files === undefined || isIgnored(name)) return;
    const kind = kindOf(path);
    const newIdentity = kind === "folder" ? identifyFolder(path) : null;
    const known = watched.get(path)?.identity ?? null;
    if (newIdentity !== known) {
      if (known !== null) closeBelow(path);
      if (newIdentity !== null) open(path, newIdentity);
    }
    const isNotebook = kind === "file" && isCandidate(path.split(sep).join("/"));
    const wasNotebook = files.delete(path);
    if (isNotebook) files.add(path);
    if (isOpen && (isNotebook || wasNotebook)) onFile(path);
  };
  /** Stops watching a folder that was deleted, moved or replaced; its notebooks have changed. */
  const closeBelow = (path: string) => {
    for (const [folder, { watcher, files }] of watched) {
      if (folder !== path && !folder.startsWith(`${path}${sep}`)) continue;
      watcher.close();
      watched.delete(folder);
      for (const file of files) onFile(file);
    }
  };
  open(root, identity);
  isOpen = true;
  return {
    isOf: (own) => !isLost && own === identity,
    close() {
      for (const { watcher } of watched.values()) watcher.close();
      watched.clear();
    },
  };
}

/** A value that changes if a folder is replaced by another one. Null if there is no folder. */
function identifyFolder(path: string): string | null {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  return stats?.isDirectory() ? `${stats.dev} ${stats.ino}` : null;
}

function kindOf(path: string): "file" | "folder" | "other" {
  try {
    const stats = lstatSync(path);
    return stats.isFile() ? "file" : stats.isDirectory() ? "folder" : "other";
  } catch {
    return "other";
  }
}
