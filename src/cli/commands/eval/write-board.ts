import { writeFileSync } from "node:fs";
import { extname } from "node:path";
import { RecommenderError } from "../../../errors.js";
import { describeBoard } from "../../../evaluate/board-report.js";
import type { ReportDescription, Table } from "../../../evaluate/reports/description.js";
import { renderPage } from "../../../evaluate/reports/html.js";
import { renderMarkdown } from "../../../evaluate/reports/markdown.js";

const FORMATS: Readonly<Record<string, (description: ReportDescription) => Iterable<string>>> = {
  ".md": renderMarkdown,
  ".html": renderPage,
};

/** INPUT_INVALID for an unknown extension, before anything is computed. */
export function checkBoardPaths(paths: readonly string[]): void {
  for (const path of paths) {
    if (FORMATS[extname(path)] !== undefined) continue;
    throw new RecommenderError(
      "INPUT_INVALID",
      `No report format for "${path}"; known formats: ${Object.keys(FORMATS).join(", ")}`,
    );
  }
}

export function writeBoards(paths: readonly string[], title: string, tables: readonly Table[]): void {
  const description = describeBoard(title, tables);
  for (const path of paths) {
    try {
      writeFileSync(path, [...FORMATS[extname(path)]!(description)].join(""));
    } catch (cause) {
      throw new RecommenderError("INPUT_INVALID", `Cannot write ${path}: ${(cause as Error).message}`, { cause });
    }
  }
}
