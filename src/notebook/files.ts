import { type Dirent, readdirSync, readFileSync, statSync } from "node:fs";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { RecommenderError } from "../errors.js";
import type { ParsedNotebook } from "./notebook.js";
import { parseNotebook } from "./parse.js";
import { isNotebookScript, parseScript } from "./parse-script.js";

/** A file that may hold a notebook, and the name it is known by: its path below the folder that was named. */
export interface NotebookPath {
  readonly path: string;
  readonly name: string;
}

/** Larger files are not notebooks that anybody wrote; a string of theirs would not fit into memory. */
const LARGEST_FILE = 256 * 1024 * 1024;
const IGNORED = new Set([".ipynb_checkpoints", "node_modules", "__pycache__"]);

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
  try {
    const { size } = statSync(path);
    if (size > LARGEST_FILE) {
      return reject(`${Math.round(size / 2 ** 20)} MB, over the limit of ${LARGEST_FILE / 2 ** 20} MB`);
    }
    const text = decode(readFileSync(path));
    return name.endsWith(".py") ? parseScript(text) : parseNotebook(text);
  } catch (error) {
    return reject(`cannot be read: ${(error as Error).message}`);
  }
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
    .filter(({ name }) => !name.startsWith(".") && !IGNORED.has(name))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return walk(path);
      return entry.isFile() && isCandidate(path) ? [path] : [];
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

/** Most scripts in a folder are plain modules; only those that are notebooks are taken without being named. */
function isCandidate(path: string): boolean {
  if (path.endsWith(".ipynb")) return true;
  if (!path.endsWith(".py") || basename(path) === "__init__.py") return false;
  try {
    return isNotebookScript(readFileSync(path, "utf8"));
  } catch {
    return true;
  }
}

/** UTF-8, or UTF-16 where the file says so, as some Windows tools write it. */
function decode(bytes: Buffer): string {
  const mark = bytes.length < 2 ? 0 : bytes.readUInt16BE();
  return new TextDecoder(mark === 0xfffe ? "utf-16le" : mark === 0xfeff ? "utf-16be" : "utf-8").decode(bytes);
}

function reject(reason: string): ParsedNotebook {
  return { rejected: { kind: "not-a-notebook", reason } };
}
