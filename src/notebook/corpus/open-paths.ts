import { realpath, stat } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { RecommenderError } from "../../errors.js";
import { nameKind, readListedFile } from "../file-system.js";
import { parseBytes } from "../formats.js";
import type { ParsedNotebook } from "../notebook.js";
import { createSkippedCounter, type OnSkipped, type SkippedGroup } from "./candidates.js";
import type { Content, Corpus, CorpusItem, OpenedCorpus } from "./entry.js";
import { findCommit } from "./git.js";
import { READERS, type Reader, type Root } from "./readers.js";

export interface OpenOptions {
  /** The name of the source; by default its path. */
  readonly source?: string;
  /** The paths are git repositories, to be read at this commit. */
  readonly commit?: string;
}

interface Plan {
  readonly root: Root;
  readonly reader: Reader;
}

/**
 * The notebooks at and below the paths, in the order of the paths. A file below two of them belongs to the first.
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
    plans.push({ root, reader: READERS.find((reader) => reader.accepts(root))! });
    before.add(real);
  }
  checkSource(source, plans);
  const skipped = createSkippedCounter();
  const parseEntry = () => {
    skipped.clear();
    return readAll(plans, source, skipped.add);
  };
  return {
    corpus: { [Symbol.asyncIterator]: parseEntry },
    skipped: skipped.list,
    sources: plans.map(({ root, reader }) => ({ name: source ?? reader.source(root), isWhole: reader.isWhole })),
    count: () => countAll(plans),
  };
}

async function* readAll(
  plans: readonly Plan[],
  source: string | undefined,
  onSkipped: OnSkipped,
): AsyncGenerator<CorpusItem> {
  for (const { root, reader } of plans) yield* reader.read(source ?? reader.source(root), root, onSkipped);
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

/** One name for two folders is refused, because their notebooks would replace each other. */
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

/** Whether the path or a folder above it is one of `roots`. */
function isBelow(path: string, roots: ReadonlySet<string>): boolean {
  for (let at = path; ; at = dirname(at)) {
    if (roots.has(at)) return true;
    if (at === dirname(at)) return false;
  }
}

/** A notebook of a corpus with all of its content. */
export interface ReadEntry {
  readonly source: string;
  readonly path: string;
  /** The path or URL of the notebook, if it has one. */
  readonly location: string | undefined;
  readonly parsed: ParsedNotebook;
}

/** Reads the notebooks at and below the paths. A plain script is skipped unless it is named. */
export async function* readNotebooks(
  paths: readonly string[],
  onLinks: (message: string) => void = () => {},
): AsyncGenerator<ReadEntry> {
  if (paths.length === 0) return;
  const opened = await openPaths(paths);
  yield* readCorpus(opened.corpus);
  const links = opened.skipped().find(({ kind }) => kind === "links");
  if (links !== undefined) onLinks(describeLinks(links));
}

function describeLinks({ count, first }: SkippedGroup): string {
  const more = count > first.length ? ", ..." : "";
  return `Skipped ${count === 1 ? "1 link" : `${count} links`} (${first.join(", ")}${more}): links are not followed; give their targets instead.`;
}

async function* readCorpus(corpus: Corpus): AsyncGenerator<ReadEntry> {
  for await (const found of corpus) {
    const parsed = await read(found);
    if ("rejected" in parsed && parsed.rejected.kind === "plain-script" && !isNamed(found)) continue;
    const location = "rejected" in found ? undefined : found.facts.location;
    yield { source: found.source, path: found.path, location, parsed };
  }
}

async function read(found: CorpusItem): Promise<ParsedNotebook> {
  const content = "rejected" in found ? found : await found.read();
  return "rejected" in content ? content : parseContent(content);
}

function parseContent(content: Content): ParsedNotebook {
  const read = "file" in content ? readListedFile(content.file) : content;
  return "rejected" in read ? read : parseBytes(content.format, read.bytes);
}

const isNamed = (found: CorpusItem) => "named" in found && found.named;

/**
 * Makes unique names of notebooks: the path in the source. If that is taken, the last part of the source or the whole
 * source is prefixed.
 */
export function createUniqueNames(): (notebook: { readonly source: string; readonly path: string }) => string {
  const usedNames = new Set<string>();
  return ({ source, path }) => {
    const name = [path, `${basename(source)}/${path}`, `${source}/${path}`].find((each) => !usedNames.has(each))!;
    usedNames.add(name);
    return name;
  };
}
