import { writeFileSync } from "node:fs";
import { extname } from "node:path";
import { RecommenderError } from "../../../errors.js";
import { type BoardTable, boardMarkdown, boardPage } from "../../../evaluate/reports/board-report.js";

const FORMATS: Readonly<Record<string, (title: string, tables: readonly BoardTable[]) => string>> = {
  ".md": boardMarkdown,
  ".html": boardPage,
};

/** INPUT_INVALID for a path whose extension is no format, before anything is computed. */
export function checkBoardPaths(paths: readonly string[]): void {
  for (const path of paths) {
    if (FORMATS[extname(path)] !== undefined) continue;
    throw new RecommenderError(
      "INPUT_INVALID",
      `no report format for "${path}"; there are ${Object.keys(FORMATS).join(", ")}`,
    );
  }
}

export function writeBoards(paths: readonly string[], title: string, tables: readonly BoardTable[]): void {
  for (const path of paths) {
    try {
      writeFileSync(path, FORMATS[extname(path)]!(title, tables));
    } catch (cause) {
      throw new RecommenderError("INPUT_INVALID", `cannot write ${path}: ${(cause as Error).message}`, { cause });
    }
  }
}
