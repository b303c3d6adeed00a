import { sep } from "node:path";
import { type FSWatcher, watch } from "chokidar";
import { isCandidate, isIgnored } from "../../notebook/corpus/candidates.js";

/** Files that were saved, and files that have gone. */
export interface Changes {
  readonly saved: ReadonlySet<string>;
  readonly gone: ReadonlySet<string>;
}

/** A file that is being written is looked at again until its size stays the same for so long. */
const SETTLED = { stabilityThreshold: 300, pollInterval: 100 };

/** Gives changes of notebooks below the folders, those within `quietMs` together, until the signal says stop. */
export async function* watchFolders(
  folders: readonly string[],
  signal: AbortSignal,
  { quietMs = 300, onReady = () => {} }: { readonly quietMs?: number; readonly onReady?: () => void } = {},
): AsyncGenerator<Changes> {
  const saved = new Set<string>();
  const gone = new Set<string>();
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
  try {
    while (!signal.aborted) {
      if (saved.size + gone.size === 0) await new Promise<void>((resolve) => (wake = resolve));
      await new Promise((resolve) => setTimeout(resolve, quietMs));
      if (signal.aborted) return;
      const changes = { saved: new Set(saved), gone: new Set(gone) };
      saved.clear();
      gone.clear();
      yield changes;
    }
  } finally {
    await watcher.close();
  }
}
