import { type Dirent, readdirSync, statSync } from "node:fs";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { RecommenderError } from "../errors.js";
import { isCandidate, isIgnored } from "./corpus/candidates.js";
import { formatOf, parseBytes } from "./formats.js";
import type { ParsedNotebook } from "./notebook.js";
import { readRegularFile } from "./regular-file.js";

/** A file that may hold a notebook, and the name it is known by: its path below the folder that was named. */
export interface NotebookPath {
  readonly path: string;
  readonly name: string;
}

/**
 * The notebooks at and below the paths, each once, in the order of the paths and then of the names. Where two folders hold
 * a file of one name, the later one's name starts with its folder.
 */
export function listNotebooks(paths: readonly string[]): NotebookPath[] {
  const found = new Map<string, NotebookPath>();
  const names = new Set<string>();
  for (const path of paths) {
    const absolute = resolve(path);
    const files = statPath(path).isDirectory() ? walk(absolute) : [absolute];
    const root = files[0] === absolute ? dirname(absolute) : absolute;
    for (const file of files) {
      if (found.has(file)) continue;
      const short = relative(root, file).split(sep).join("/");
      const candidates = [short, `${basename(root)}/${short}`, file.split(sep).join("/")];
      const name = candidates.find((candidate) => !names.has(candidate))!;
      names.add(name);
      found.set(file, { path: file, name });
    }
  }
  return [...found.values()];
}

/** Never throws on content; a file that cannot be read is rejected like one that is no notebook. */
export function readNotebookFile({ path, name }: NotebookPath): ParsedNotebook {
  const content = readRegularFile(path);
  return "rejected" in content ? content : parseBytes(formatOf(name), content.bytes);
}

function statPath(path: string) {
  try {
    return statSync(path);
  } catch (cause) {
    throw new RecommenderError("NOT_FOUND", `There is no file or folder ${path}; check the path.`, { cause });
  }
}

function walk(folder: string): string[] {
  return listFolder(folder)
    .filter(({ name }) => !isIgnored(name))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return walk(path);
      return entry.isFile() && isNotebook(path) ? [path] : [];
    });
}

function listFolder(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (cause) {
    const reason = (cause as Error).message;
    throw new RecommenderError("NOT_FOUND", `The folder ${folder} cannot be read (${reason}); check its permissions.`, {
      cause,
    });
  }
}

/** Most scripts in a folder are plain modules; only those with cells are taken without being named. */
function isNotebook(path: string): boolean {
  if (!isCandidate(path)) return false;
  if (formatOf(path) !== "script") return true;
  const parsed = readNotebookFile({ path, name: path });
  return !("rejected" in parsed) || parsed.rejected.kind !== "plain-script";
}
