const IGNORED = new Set([".ipynb_checkpoints", "node_modules", "__pycache__"]);

/** Folder of Elyra's code snippets. */
const SNIPPET = /(^|\/)code-snippets\/[^/]+\.json$/;

export const ZIP = /\.zip$/i;
export const TAR = /\.(tar|tar\.gz|tgz|tar\.bz2|tbz2?)$/i;

/** Hidden files and folders, and internal folders of tools. */
export function isIgnored(name: string): boolean {
  return name.startsWith(".") || IGNORED.has(name);
}

/**
 * Whether a file in a folder may be a notebook, by its extension in any case. Whether a script is a notebook depends on
 * its content.
 */
export function isCandidate(path: string): boolean {
  if (/\.ipynb$/i.test(path) || SNIPPET.test(path)) return true;
  return /\.py$/i.test(path) && !/(^|\/)__init__\.py$/.test(path);
}

/** Whether a file inside an archive may be a notebook, by its path. */
export function isCandidateInside(path: string): boolean {
  return isCandidate(path) && !path.split("/").some(isIgnored);
}

/** Kinds of skipped entries that may contain notebooks. */
export type SkippedKind = "archives" | "links" | "pipes, sockets or devices";

/** The skipped entries of one kind. */
export interface SkippedGroup {
  readonly kind: SkippedKind;
  readonly count: number;
  /** The paths of the first skipped entries in their source. */
  readonly first: readonly string[];
}

export type OnSkipped = (kind: SkippedKind, path: string) => void;

const MAX_SHOWN = 5;

/** Counts skipped entries. */
export function createSkippedCounter() {
  const kinds = new Map<SkippedKind, { count: number; first: string[] }>();
  const add: OnSkipped = (kind, path) => {
    const known = kinds.get(kind) ?? { count: 0, first: [] };
    known.count += 1;
    if (known.first.length < MAX_SHOWN) known.first.push(path);
    kinds.set(kind, known);
  };
  return {
    add,
    list: (): SkippedGroup[] => [...kinds].map(([kind, { count, first }]) => ({ kind, count, first: [...first] })),
    clear: () => kinds.clear(),
  };
}
