import { existsSync, lstatSync } from "node:fs";
import { sep } from "node:path";
import { type FSWatcher, watch } from "chokidar";
import { isCandidate, isIgnored } from "../../notebook/corpus/candidates.js";

/** Files that were saved, and files that have gone. */
export interface Changes {
  readonly saved: ReadonlySet<string>;
  readonly gone: ReadonlySet<string>;
  /** Whether a folder that was away as a whole is there again: much may have changed in it. */
  readonly hasReturned: boolean;
}

interface WatchOptions {
  readonly quietMs?: number;
  readonly lookMs?: number;
  readonly onReady?: () => void;
  /** Told of a folder that is gone itself, moved or unmounted: what was in it counts as there. */
  readonly onAway?: (folder: string) => void;
  /** Told once of each kind of trouble that may keep changes from being seen, such as a folder without permission. */
  readonly onBlind?: (message: string) => void;
}

/** A file that is being written is looked at again until its size stays the same for so long. */
const SETTLED = { stabilityThreshold: 300, pollInterval: 100 };

/**
 * Gives changes of notebooks below the folders, those within `quietMs` together, until the signal says stop. A folder that goes
 * away is waited for. Links are not followed, as when a folder is indexed.
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
  // It also keeps the process: a watcher whose folders are gone does not.
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

/** What was saved a moment ago may have gone since, or be a link or a pipe in its place. */
function isFile(path: string): boolean {
  try {
    return lstatSync(path).isFile();
  } catch {
    return false;
  }
}
