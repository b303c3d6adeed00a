import { realpath, stat } from "node:fs/promises";
import { basename, dirname, sep } from "node:path";
import { RecommenderError } from "../../errors.js";
import { nameKind } from "../regular-file.js";
import type { Found, OpenedCorpus } from "./entry.js";
import { countFolder, describeFile, walkFolder } from "./folder.js";

export interface OpenOptions {
  /** The name of the source, instead of the path that it lies at. */
  readonly source?: string;
}

interface Root {
  readonly path: string;
  readonly real: string;
  readonly kind: "folder" | "file" | "other";
  readonly what: string;
}

/**
 * The notebooks at and below the paths, in the order of the paths. What lies below two of them belongs to the first. Throws
 * NOT_FOUND for a path that is not there, before anything is read.
 */
export async function openPaths(paths: readonly string[], { source }: OpenOptions = {}): Promise<OpenedCorpus> {
  const roots = await Promise.all(paths.map(findRoot));
  const sources = new Set(roots.map(sourceOf));
  if (source !== undefined && sources.size > 1) {
    const problem = `--source names one source, but these paths belong to ${sources.size}`;
    throw new RecommenderError("INPUT_INVALID", `${problem}: ${[...sources].join(", ")}; index them one by one.`);
  }
  const plan = withoutRepeats(roots);
  return { corpus: readRoots(plan, source), count: () => countRoots(plan) };
}

/** A root, and those before it, which are read already. */
interface Planned extends Root {
  readonly except: ReadonlySet<string>;
}

/** Leaves out roots that lie below one before them. */
function withoutRepeats(roots: readonly Root[]): Planned[] {
  const before = new Set<string>();
  return roots.flatMap((root) => {
    if (isBelow(root.real, before)) return [];
    const planned = { ...root, except: new Set(before) };
    before.add(root.real);
    return [planned];
  });
}

async function* readRoots(roots: readonly Planned[], name: string | undefined): AsyncGenerator<Found> {
  for (const root of roots) {
    const source = name ?? sourceOf(root);
    const path = basename(root.real);
    if (root.kind === "folder") yield* walkFolder({ source, folder: root.real, except: root.except });
    else if (root.kind === "file") yield await describeFile(source, path, root.real, true);
    else yield { source, path, rejected: { kind: "unreadable", reason: `${root.what}, not a file` } };
  }
}

async function countRoots(roots: readonly Planned[]): Promise<number> {
  let count = 0;
  for (const { kind, real, except } of roots)
    count += kind === "folder" ? await countFolder({ folder: real, except }) : 1;
  return count;
}

async function findRoot(path: string): Promise<Root> {
  try {
    const real = await realpath(path);
    const stats = await stat(real);
    const kind = stats.isDirectory() ? "folder" : stats.isFile() ? "file" : "other";
    return { path, real, kind, what: nameKind(stats) };
  } catch (cause) {
    throw new RecommenderError("NOT_FOUND", `There is no file or folder ${path}; check the path.`, { cause });
  }
}

function sourceOf({ real, kind }: Root): string {
  return kind === "folder" ? real : dirname(real);
}

/** Whether the path or a folder above it is among these. */
function isBelow(path: string, roots: ReadonlySet<string>): boolean {
  for (let at = path; ; at = dirname(at)) {
    if (roots.has(at)) return true;
    if (at === dirname(at) || !at.includes(sep)) return false;
  }
}
