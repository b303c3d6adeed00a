import { readdirSync } from "node:fs";
import { join } from "node:path";
import { Command } from "commander";
import { RecommenderError } from "../../../errors.js";
import { matrixTable, resultTables } from "../../../evaluate/board-report.js";
import { tableLines } from "../../../evaluate/reports/text.js";
import { parseResult } from "../../../evaluate/suites/index.js";
import { gatherResults, makeMatrix } from "../../../evaluate/system-results.js";
import { addConfigFlags, type Context, type Run } from "../../context.js";
import { collect } from "../../parse-options.js";
import { readText } from "../../read-input.js";
import { checkBoardPaths, writeBoards } from "./write-board.js";

export function matrixCommand(run: Run): Command {
  const command = new Command("matrix")
    .description("table of suites and systems, from a folder of results")
    .argument("<folder>", "folder of results (--report FILE.json), searched recursively")
    .option("--report <file>", "write the table with all figures and commands: .md .html; may be repeated", collect, [])
    .action(run(matrix));
  return addConfigFlags(command, []);
}

async function matrix({ output }: Context, folder: string, { report }: { readonly report: string[] }): Promise<number> {
  checkBoardPaths(report);
  const runs = listResults(folder).flatMap((name) => {
    const path = join(folder, name);
    try {
      return [{ name, document: parseResult(readText(path), path) }];
    } catch (error) {
      if (!(error instanceof RecommenderError)) throw error;
      output.note(`Skipped ${name}: ${error.message}`);
      return [];
    }
  });
  if (runs.length === 0) throw new RecommenderError("NOT_FOUND", `There is no result of celrec eval in ${folder}.`);
  const results = gatherResults(runs);
  const made = makeMatrix(results);
  const table = matrixTable(made);
  writeBoards(report, "Suites by recommenders", [table, ...resultTables(results)]);
  output.document(made);
  for (const line of tableLines(table, output)) output.line(line);
  for (const path of report) output.line(`wrote ${path}`);
  return 0;
}

function listResults(folder: string): string[] {
  try {
    const files = readdirSync(folder, { recursive: true, encoding: "utf8" });
    return files.filter((file) => file.endsWith(".json")).sort();
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    const why = code === "ENOENT" ? "there is no such folder" : code === "ENOTDIR" ? "it is not a folder" : message;
    throw new RecommenderError("NOT_FOUND", `${folder} cannot be read: ${why}.`, { cause });
  }
}
