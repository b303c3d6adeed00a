import { statSync } from "node:fs";
import { extractCells } from "../cells/extract.js";
import { RecommenderError } from "../errors.js";
import { listNotebooks, type NotebookPath, readNotebookFile } from "../notebook/files.js";
import { asRecord } from "../notebook/json.js";
import { parseJsonLines } from "../notebook/json-lines.js";
import { isNotebookScript } from "../notebook/parse-script.js";
import { readText } from "./read-code.js";

/** A cell to work on; `index` is its place in the notebook, its line in a .jsonl, or 0 for plain code. */
export interface Source {
  readonly index: number;
  readonly code: string;
}

/** The cells of one file. Those of a notebook follow each other; others have nothing to do with one another. */
export interface SourceFile {
  /** How people are told about it. */
  readonly name: string;
  readonly path: string;
  readonly isNotebook: boolean;
  readonly cells: readonly Source[];
}

export interface RejectedSource {
  readonly name: string;
  readonly reason: string;
}

/** What was read, and the notebooks that are none. */
export interface Sources {
  readonly files: readonly SourceFile[];
  readonly rejected: readonly RejectedSource[];
}

/** The cells of notebooks, folders, .jsonl files and plain code; standard input where no path is given. */
export function readSources(paths: readonly string[]): Sources {
  const notebooks = new Map(listNotebooks(paths.filter(isNotebookPath)).map((file) => [file.path, file]));
  const read = (paths.length === 0 ? ["-"] : paths).flatMap((path) => readPath(path, notebooks));
  return {
    files: read.flatMap((part) => ("reason" in part ? [] : [part])),
    rejected: read.flatMap((part) => ("reason" in part ? [part] : [])),
  };
}

/** Whether a path is one that `readSources` looks for notebooks at. */
export function isNotebookPath(path: string): boolean {
  return path !== "-" && (path.endsWith(".ipynb") || isFolder(path));
}

/** `notebooks` are those of all paths, because only together they have names that tell them apart; each is read once. */
function readPath(path: string, notebooks: Map<string, NotebookPath>): readonly (SourceFile | RejectedSource)[] {
  if (path.endsWith(".jsonl")) return [{ name: path, path, isNotebook: false, cells: readLines(path) }];
  if (isNotebookPath(path)) {
    return listNotebooks([path]).flatMap((file) => {
      const named = notebooks.get(file.path);
      notebooks.delete(file.path);
      return named === undefined ? [] : [readCells(named)];
    });
  }
  const code = readText(path);
  if (path !== "-" && isNotebookScript(code)) return [readCells({ path, name: path })];
  return [{ name: path, path, isNotebook: false, cells: [{ index: 0, code }] }];
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

function readCells({ path, name }: NotebookPath): SourceFile | RejectedSource {
  const parsed = readNotebookFile({ path, name });
  if ("rejected" in parsed) return { name, reason: parsed.rejected.reason };
  const cells = extractCells(parsed.notebook).map(({ cellIndex, code }) => ({ index: cellIndex, code }));
  return { name, path, isNotebook: true, cells };
}

function readLines(path: string): Source[] {
  return Array.from(parseJsonLines(readText(path)), (each) => {
    const where = `${path}, line ${each.line}`;
    if ("fault" in each) throw new RecommenderError("INPUT_INVALID", `${where} is not JSON: ${each.fault}`);
    const code = asRecord(each.value)?.source;
    if (typeof code === "string") return { index: each.line - 1, code };
    throw new RecommenderError("INPUT_INVALID", `${where} has no "source" of type string.`);
  });
}
