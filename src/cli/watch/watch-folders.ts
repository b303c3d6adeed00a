import { existsSync, lstatSync } from "node:fs";
import { sep } from "node:path";
import { type FSWatcher, watch } from "chokidar";
import { isCandidate, isIgnored } from "../../notebook/corpus/candidates.js";

/** Files that were saved, and files that have gone. */
export interface Changes {
  readonly saved: ReadonlySet<string>;
  readonly gone: ReadonlySet<string>;
  /** Whether a missing folder has returned: anything in it may have changed. */
  readonly hasReturned: boolean;
}

interface WatchOptions {
  readonly quietMs?: number;
  readonly lookMs?: number;
  readonly onReady?: () => void;
  /** Called when a folder itself is missing, moved or unmounted; its files do not count as deleted. */
  readonly onAway?: (folder: string) => void;
  /** Called once for each kind of error that may hide changes, such as a folder without permission. */
  readonly onBlind?: (message: string) => void;
}

/** A file counts as written when its size has not changed for this long. */
const SETTLED = { stabilityThreshold: 300, pollInterval: 100 };

/**
 * Yields changes of notebooks below the folders until the signal is aborted; changes within `quietMs` come together. Waits
 * for a folder that disappears. Links are not followed, as when a folder is indexed.
 */
export async function* watchFolders(
  folders: readonly string[],
  signal: AbortSignal,
  { quietMs = 300, lookMs = 1_000, onReady = () => {}, onAway = () => {}, onBlind = () => {} }: WatchOptions = {},
): AsyncGenerator<Changes> {
  const touched = new Set<string>();
  const away = new Set<string>();
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
    onBlind(message);
  });
  signal.addEventListener("abort", () => wake(), { once: true });
  const look = () => {
    for (const folder of folders) {
      const isThere = existsSync(folder);
      if (!isThere && !away.has(folder)) {
        away.add(folder);
        onAway(folder);
      } else if (isThere && away.delete(folder)) {
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
      const isAway = (file: string) => [...away].some((folder) => file.startsWith(`${folder}${sep}`));
      const changes = {
        saved: new Set([...touched].filter(isFile)),
        gone: new Set([...touched].filter((file) => !isAway(file) && !isFile(file))),
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
