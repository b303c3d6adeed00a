import { readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { Command } from "commander";
import { RecommenderError } from "../../../errors.js";
import {
  describeBoard,
  leaderboardFigures,
  leaderboardTables,
  matrixTable,
  resultTables,
} from "../../../evaluate/board-report.js";
import {
  compareResults,
  type Leaderboard,
  makeLeaderboard,
  type NamedRun,
  type RunComparison,
} from "../../../evaluate/compare-results.js";
import { markLower } from "../../../evaluate/metrics/index.js";
import { isOwnRun, targetName } from "../../../evaluate/reports/describe-result.js";
import type { ReportDescription } from "../../../evaluate/reports/description.js";
import { REPORTS } from "../../../evaluate/reports/index.js";
import { alignColumns, tableLines } from "../../../evaluate/reports/text.js";
import { checkReportPaths, writeReports } from "../../../evaluate/reports/write-reports.js";
import type { SuiteDocument } from "../../../evaluate/result-document.js";
import { parseResult } from "../../../evaluate/suites/index.js";
import { gatherResults, makeMatrix } from "../../../evaluate/system-results.js";
import { addConfigFlags, type Context, type Run } from "../../context.js";
import type { Output } from "../../output.js";
import { collect } from "../../parse-options.js";
import { readText } from "../../read-input.js";

const SHOWN_UNITS = 5;
/** The report formats of several runs. */
export const BOARD_FORMATS = ".md .html .tex .svg .pdf";

export function compareCommand(run: Run): Command {
  const command = new Command("compare")
    .description("compare results by paired permutation tests over seeds or notebooks, with Holm correction")
    .argument("<result...>", "two or more results (from --json or --report FILE.json) of the same suite and cases")
    .option("--report <file>", `write a leaderboard: ${BOARD_FORMATS}; may be repeated`, collect, [])
    .action(run(compare));
  return addConfigFlags(command, []);
}

async function compare(
  { output }: Context,
  paths: string[],
  { report }: { readonly report: string[] },
): Promise<number> {
  if (paths.length < 2) throw new RecommenderError("INPUT_INVALID", "Give at least two results to compare.");
  await checkBoardPaths(report);
  const documents = paths.map((path) => parseResult(readText(path), path));
  const names = nameRuns(documents, paths);
  const runs = documents.map((document, at): NamedRun => ({ name: names[at]!, document }));
  const board = report.length > 0 || runs.length > 2 ? makeLeaderboard(runs) : null;
  if (board !== null) {
    const title = `celrec eval ${board.suite}: ${runs.length} runs`;
    await writeBoards(report, describeBoard(title, leaderboardTables(board), leaderboardFigures(board)));
  }
  if (board !== null && runs.length > 2) {
    output.document(board);
    showBoard(output, board);
  } else {
    const comparison = compareResults(runs[0]!.document, runs[1]!.document);
    output.document({ ...comparison, runs: names });
    showComparison(output, comparison, names);
  }
  for (const path of report) output.line(`wrote ${path}`);
  return 0;
}

/** Names runs by their targets and differing settings; if names are ambiguous, the file names are added. */
function nameRuns(documents: readonly SuiteDocument[], paths: readonly string[]): string[] {
  const ownRuns = documents.filter(isOwnRun);
  const settings = ["filter", "mode", "diversity", "k"].filter(
    (setting) => new Set(ownRuns.map(({ config }) => config[setting])).size > 1,
  );
  const names = documents.map((document) => targetName(document, settings));
  return names.map((name, at) =>
    names.indexOf(name) === names.lastIndexOf(name) ? name : `${name} (${basename(paths[at]!, ".json")})`,
  );
}

function showComparison(output: Output, comparison: RunComparison, [first, second]: readonly string[]): void {
  const { suite, unit, units, differs, decisive, metrics } = comparison;
  output.line(`${suite}, ${units} ${unit}s; the runs differ in ${differs.join(", ") || "nothing"}`);
  output.line(`before: ${first}; after: ${second}`);
  const rows = metrics.map(({ metric, better, a, b, difference, ci95, p, holm }) => [
    markLower(metric, better),
    a.toFixed(4),
    b.toFixed(4),
    `${difference >= 0 ? "+" : ""}${difference.toFixed(4)}`,
    `${ci95[0].toFixed(4)} .. ${ci95[1].toFixed(4)}`,
    p.toFixed(4),
    holm.toFixed(4),
  ]);
  const head = ["metric", "before", "after", "change", "95 % interval", "p", "p (Holm)"];
  for (const line of alignColumns(head, rows, output)) output.line(line);
  const main = metrics.find(({ metric }) => metric === decisive) ?? metrics[0];
  if (main === undefined) return;
  output.line();
  output.line(`by ${main.metric}: ${main.gained} ${unit}s gained, ${main.lost} lost`);
  for (const { id, a, b } of [...main.gains.slice(0, SHOWN_UNITS), ...main.losses.slice(0, SHOWN_UNITS)]) {
    output.line(`  ${a.toFixed(3)} -> ${b.toFixed(3)}  ${id}`);
  }
}

/** All figures, and the tests of all pairs in every metric. */
function showBoard(output: Output, board: Leaderboard): void {
  const { suite, runs, units, unit, differs, comparisons } = board;
  output.line(
    `${suite}, ${runs.length} runs, ${units} ${unit}s; the runs differ in ${differs.join(", ") || "nothing"}; p is Holm-corrected over ${comparisons} comparisons`,
  );
  for (const table of leaderboardTables(board)) {
    for (const line of tableLines(table, output)) output.line(line);
    output.line();
  }
}

const BOARD_REPORTS = REPORTS.filter(({ name }) => !["json", "csv", "xlsx"].includes(name));

/** INPUT_INVALID for an unknown extension, before anything is computed. */
export const checkBoardPaths = (paths: readonly string[]): Promise<void> => checkReportPaths(paths, BOARD_REPORTS);

/** Writes the report of several runs; these formats need no result document. */
export const writeBoards = (paths: readonly string[], description: ReportDescription): Promise<void> =>
  writeReports(NO_DOCUMENT, paths, BOARD_REPORTS, () => description);

const NO_DOCUMENT: SuiteDocument = {
  ...{ suite: "", config: {}, counts: {}, problems: {}, ci95: {}, latency: {} },
  manifest: { versions: {}, settings: {}, inputs: {} },
};

export function matrixCommand(run: Run): Command {
  const command = new Command("matrix")
    .description("print a table of suites and systems from a folder of results")
    .argument("<folder>", "folder of results (--report FILE.json), searched recursively")
    .option(
      "--report <file>",
      `write a report with the table, all figures and the commands: ${BOARD_FORMATS}; may be repeated`,
      collect,
      [],
    )
    .action(run(printMatrix));
  return addConfigFlags(command, []);
}

async function printMatrix(
  { output }: Context,
  folder: string,
  { report }: { readonly report: string[] },
): Promise<number> {
  await checkBoardPaths(report);
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
  const resultMatrix = makeMatrix(results);
  const table = matrixTable(resultMatrix);
  await writeBoards(report, describeBoard("Suites by recommenders", [table, ...resultTables(results)]));
  output.document(resultMatrix);
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
