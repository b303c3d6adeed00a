import { statSync } from "node:fs";
import { extractCells } from "../cells/extract.js";
import { RecommenderError } from "../errors.js";
import { listNotebooks, readNotebookFile } from "../notebook/files.js";
import { isPercentScript } from "../notebook/parse-percent.js";
import { readCode, readText } from "./read-code.js";

/** A cell to work on; `index` is its place in the notebook, its line in a .jsonl, or 0 for plain code. */
export interface Source {
  readonly path: string;
  readonly index: number;
  readonly code: string;
}

/** The cells of notebooks, folders, .jsonl files and plain code; standard input where no path is given. */
export function readSources(paths: readonly string[]): Source[] {
  if (paths.length === 0) return [{ path: "-", index: 0, code: readCode("-") }];
  return paths.flatMap((path) => {
    if (path === "-") return [{ path, index: 0, code: readCode(path) }];
    if (path.endsWith(".jsonl")) return readLines(path);
    if (path.endsWith(".ipynb") || isFolder(path))
      return listNotebooks([path]).flatMap((file) => readCells(file.path, file.name));
    const code = readCode(path);
    return isPercentScript(code) ? readCells(path, path) : [{ path, index: 0, code }];
  });
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

function readCells(path: string, name: string): Source[] {
  const parsed = readNotebookFile({ path, name });
  if ("rejected" in parsed) throw new RecommenderError("NOT_A_NOTEBOOK", `${path}: ${parsed.rejected.reason}`);
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
  try {
    const { source } = JSON.parse(line) as { source?: unknown };
    if (typeof source === "string") return source;
  } catch (cause) {
    throw new RecommenderError("INPUT_INVALID", `${path}, line ${index + 1} is not JSON: ${(cause as Error).message}`, {
      cause,
    });
  }
  throw new RecommenderError("INPUT_INVALID", `${path}, line ${index + 1} has no "source" of type string.`);
}
