import { realpath, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { RecommenderError } from "../../errors.js";
import { nameKind } from "../file-system.js";
import { createLeftOut, type LeaveOut } from "./candidates.js";
import type { Found, OpenedCorpus } from "./entry.js";
import { findCommit } from "./git.js";
import { READERS, type Reader, type Root } from "./readers.js";

export interface OpenOptions {
  /** The name of the source, instead of the path that it lies at. */
  readonly source?: string;
  /** The paths are git repositories, to be read at this commit. */
  readonly commit?: string;
}

interface Plan {
  readonly root: Root;
  readonly reader: Reader;
}

/**
 * The notebooks at and below the paths, in the order of the paths. What lies below two of them belongs to the first.
 * Throws NOT_FOUND for a path that does not exist, before anything is read.
 */
export async function openPaths(paths: readonly string[], { source, commit }: OpenOptions = {}): Promise<OpenedCorpus> {
  const before = new Set<string>();
  const plans: Plan[] = [];
  for (const path of paths) {
    const { real, kind } = await findPath(path);
    if (isBelow(real, before)) continue;
    const revision = commit === undefined ? {} : { commit: await findCommit(real, commit) };
    const root: Root = { real, kind, except: new Set(before), ...revision };
    plans.push({ root, reader: READERS.find((reader) => reader.takes(root))! });
    before.add(real);
  }
  checkSource(source, plans);
  const leftOut = createLeftOut();
  const read = () => {
    leftOut.clear();
    return readAll(plans, source, leftOut.leave);
  };
  return {
    corpus: { [Symbol.asyncIterator]: read },
    leftOut: leftOut.list,
    sources: plans.map(({ root, reader }) => ({ name: source ?? reader.source(root), isWhole: reader.isWhole })),
    count: () => countAll(plans),
  };
}

async function* readAll(plans: readonly Plan[], source: string | undefined, leave: LeaveOut): AsyncGenerator<Found> {
  for (const { root, reader } of plans) yield* reader.read(source ?? reader.source(root), root, leave);
}

async function countAll(plans: readonly Plan[]): Promise<number | null> {
  let sum = 0;
  for (const { root, reader } of plans) {
    const count = await reader.count(root);
    if (count === null) return null;
    sum += count;
  }
  return sum;
}

/** Two folders under one name would hide each other's notebooks. */
function checkSource(source: string | undefined, plans: readonly Plan[]): void {
  const sources = new Set(plans.map(({ root, reader }) => reader.source(root)));
  if (source === undefined || sources.size < 2) return;
  const problem = `--source names one source, but these paths belong to ${sources.size}`;
  throw new RecommenderError("INPUT_INVALID", `${problem}: ${[...sources].join(", ")}; index them one by one.`);
}

async function findPath(path: string): Promise<Pick<Root, "real" | "kind">> {
  try {
    const real = await realpath(path);
    const stats = await stat(real);
    return { real, kind: stats.isDirectory() ? "folder" : stats.isFile() ? "file" : { other: nameKind(stats) } };
  } catch (cause) {
    throw new RecommenderError("NOT_FOUND", `There is no file or folder ${path}; check the path.`, { cause });
  }
}

/** Whether the path or a folder above it is among these. */
function isBelow(path: string, roots: ReadonlySet<string>): boolean {
  for (let at = path; ; at = dirname(at)) {
    if (roots.has(at)) return true;
    if (at === dirname(at)) return false;
  }
}
