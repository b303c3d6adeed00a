const IGNORED = new Set([".ipynb_checkpoints", "node_modules", "__pycache__"]);

/** Where Elyra keeps code snippets. */
const SNIPPET = /(^|\/)code-snippets\/[^/]+\.json$/;

export const ZIP = /\.zip$/i;
export const TAR = /\.(tar|tar\.gz|tgz)$/i;

/** Hidden files and folders, and what programs keep for themselves. */
export function isIgnored(name: string): boolean {
  return name.startsWith(".") || IGNORED.has(name);
}

/**
 * Whether a file found in a folder may be a notebook. Of scripts only the content tells. Extensions may be in capitals.
 */
export function isCandidate(path: string): boolean {
  if (/\.ipynb$/i.test(path) || SNIPPET.test(path)) return true;
  return /\.py$/i.test(path) && !/(^|\/)__init__\.py$/.test(path);
}

/** Whether a path inside an archive is one of a file that may be a notebook. */
export function isCandidateInside(path: string): boolean {
  return isCandidate(path) && !path.split("/").some(isIgnored);
}

/** What a folder contains and is not searched, though it may hold notebooks. */
export type LeftOutKind = "archives" | "links" | "pipes, sockets or devices";

/** The things of one kind that a pass over a corpus left out. */
export interface LeftOut {
  readonly kind: LeftOutKind;
  readonly count: number;
  /** The paths of the first ones in their source. */
  readonly first: readonly string[];
}

export type LeaveOut = (kind: LeftOutKind, path: string) => void;

const SHOWN = 5;

/** Counts what is left out. */
export function createLeftOut() {
  const kinds = new Map<LeftOutKind, { count: number; first: string[] }>();
  const leave: LeaveOut = (kind, path) => {
    const known = kinds.get(kind) ?? { count: 0, first: [] };
    known.count += 1;
    if (known.first.length < SHOWN) known.first.push(path);
    kinds.set(kind, known);
  };
  return {
    leave,
    list: (): LeftOut[] => [...kinds].map(([kind, { count, first }]) => ({ kind, count, first: [...first] })),
    clear: () => kinds.clear(),
  };
}
