import { existsSync } from "node:fs";
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

export interface WatchOptions {
  readonly quietMs?: number;
  readonly lookMs?: number;
  readonly onReady?: () => void;
  /** Told of a folder that is gone itself, moved or unmounted: what was in it counts as there. */
  readonly onAway?: (folder: string) => void;
}

/** A file that is being written is looked at again until its size stays the same for so long. */
const SETTLED = { stabilityThreshold: 300, pollInterval: 100 };

/**
 * Gives changes of notebooks below the folders, those within `quietMs` together, until the signal says stop. A folder that goes
 * away is waited for.
 */
export async function* watchFolders(
  folders: readonly string[],
  signal: AbortSignal,
  { quietMs = 300, lookMs = 1_000, onReady = () => {}, onAway = () => {} }: WatchOptions = {},
): AsyncGenerator<Changes> {
  const saved = new Set<string>();
  const gone = new Set<string>();
  const away = new Set<string>();
  let hasReturned = false;
  let wake = () => {};
  const note = (to: Set<string>, from: Set<string>) => (file: string) => {
    if (!isCandidate(file.split(sep).join("/"))) return;
    to.add(file);
    from.delete(file);
    wake();
  };
  const watcher: FSWatcher = watch([...folders], {
    ignoreInitial: true,
    awaitWriteFinish: SETTLED,
    ignored: (path) => !folders.includes(path) && isIgnored(path.split(sep).at(-1)!),
  });
  watcher.on("add", note(saved, gone)).on("change", note(saved, gone)).on("unlink", note(gone, saved));
  watcher.on("ready", onReady);
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
      if (saved.size + gone.size === 0 && !hasReturned) await new Promise<void>((resolve) => (wake = resolve));
      await new Promise((resolve) => setTimeout(resolve, quietMs));
      if (signal.aborted) return;
      look();
      const isAway = (file: string) => [...away].some((folder) => file.startsWith(`${folder}${sep}`));
      const changes = {
        saved: new Set(saved),
        gone: new Set([...gone].filter((file) => !isAway(file) && !existsSync(file))),
        hasReturned,
      };
      saved.clear();
      gone.clear();
      hasReturned = false;
      yield changes;
    }
  } finally {
    clearInterval(looking);
    await watcher.close();
  }
}
