import { statSync } from "node:fs";
import { extractCells } from "../cells/extract.js";
import { RecommenderError } from "../errors.js";
import { listNotebooks, type NotebookPath, readNotebookFile } from "../notebook/files.js";
import { asRecord } from "../notebook/json.js";
import { isPercentScript } from "../notebook/parse-percent.js";
import { readCode, readText } from "./read-code.js";

/** A cell to work on; `index` is its place in the notebook, its line in a .jsonl, or 0 for plain code. */
export interface Source {
  readonly path: string;
  readonly index: number;
  readonly code: string;
}

/** What was read, and the notebooks that are none. */
export interface Sources {
  readonly sources: readonly Source[];
  readonly rejected: readonly { readonly name: string; readonly reason: string }[];
}

/** The cells of notebooks, folders, .jsonl files and plain code; standard input where no path is given. */
export function readSources(paths: readonly string[]): Sources {
  const read = (paths.length === 0 ? ["-"] : paths).flatMap(readPath);
  return {
    sources: read.flatMap((part) => ("reason" in part ? [] : [part])),
    rejected: read.flatMap((part) => ("reason" in part ? [part] : [])),
  };
}

function readPath(path: string): readonly (Source | Sources["rejected"][number])[] {
  if (path === "-") return [{ path, index: 0, code: readCode(path) }];
  if (path.endsWith(".jsonl")) return readLines(path);
  if (path.endsWith(".ipynb") || isFolder(path)) return listNotebooks([path]).flatMap(readCells);
  const code = readCode(path);
  return isPercentScript(code) ? readCells({ path, name: path }) : [{ path, index: 0, code }];
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

function readCells({ path, name }: NotebookPath): readonly (Source | Sources["rejected"][number])[] {
  const parsed = readNotebookFile({ path, name });
  if ("rejected" in parsed) return [{ name, reason: parsed.rejected.reason }];
  return extractCells(parsed.notebook).map(({ cellIndex, code }) => ({ path: name, index: cellIndex, code }));
}

function readLines(path: string): Source[] {
  const lines = readText(path).split("\n");
  return lines.flatMap((line, index) => {
    if (line.trim() === "") return [];
    return [{ path, index, code: readLine(path, index, line) }];
  });
}

function readLine(path: string, index: number, line: string): string {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (cause) {
    throw new RecommenderError("INPUT_INVALID", `${path}, line ${index + 1} is not JSON: ${(cause as Error).message}`, {
      cause,
    });
  }
  const source = asRecord(value)?.source;
  if (typeof source === "string") return source;
  throw new RecommenderError("INPUT_INVALID", `${path}, line ${index + 1} has no "source" of type string.`);
}
