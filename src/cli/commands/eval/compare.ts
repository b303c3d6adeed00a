import { basename } from "node:path";
import { Command } from "commander";
import { RecommenderError } from "../../../errors.js";
import { leaderboardTables } from "../../../evaluate/board-report.js";
import { compareResults, type RunComparison } from "../../../evaluate/compare.js";
import { type Leaderboard, makeLeaderboard, type NamedRun } from "../../../evaluate/leaderboard.js";
import { markLower } from "../../../evaluate/metrics/index.js";
import { alignColumns, tableLines } from "../../../evaluate/reports/text.js";
import { parseResult } from "../../../evaluate/suites/index.js";
import { addConfigFlags, type Context, type Run } from "../../context.js";
import type { Output } from "../../output.js";
import { collect } from "../../parse-options.js";
import { readText } from "../../read-input.js";
import { checkBoardPaths, writeBoards } from "./write-board.js";

const SHOWN = 5;

export function compareCommand(run: Run): Command {
  const command = new Command("compare")
    .description(
      "test test whether one result is better than another: paired permutation tests over seeds or notebooks, Holm-corrected",
    )
    .argument("<result...>", "two or more results (from --json or --report FILE.json) of the same suite and cases")
    .option("--report <file>", "write a leaderboard: .md .html; may be repeated", collect, [])
    .action(run(compare));
  return addConfigFlags(command, []);
}

async function compare(
  { output }: Context,
  paths: string[],
  { report }: { readonly report: string[] },
): Promise<number> {
  if (paths.length < 2) throw new RecommenderError("INPUT_INVALID", "Give at least two results to compare.");
  checkBoardPaths(report);
  const names = paths.map((path) => basename(path, ".json"));
  const runs = paths.map((path, at): NamedRun => {
    const isTwice = names.indexOf(names[at]!) !== names.lastIndexOf(names[at]!);
    return { name: isTwice ? path : names[at]!, document: parseResult(readText(path), path) };
  });
  if (report.length > 0 || runs.length > 2) {
    const board = makeLeaderboard(runs);
    writeBoards(report, `celrec eval ${board.suite}: ${runs.length} runs`, leaderboardTables(board));
    if (runs.length > 2) output.document(board);
    if (runs.length > 2) showBoard(output, board);
  }
  if (runs.length === 2) {
    const comparison = compareResults(runs[0]!.document, runs[1]!.document);
    output.document(comparison);
    show(output, comparison);
  }
  for (const path of report) output.line(`wrote ${path}`);
  return 0;
}

function show(output: Output, { suite, unit, units, differs, decisive, metrics }: RunComparison): void {
  output.line(`${suite}, ${units} ${unit}s; the runs differ in ${differs.join(", ") || "nothing"}`);
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
  for (const { id, a, b } of [...main.gains.slice(0, SHOWN), ...main.losses.slice(0, SHOWN)]) {
    output.line(`  ${a.toFixed(3)} -> ${b.toFixed(3)}  ${id}`);
  }
}

/** All figures, and the tests of the decisive metric. */
function showBoard(output: Output, board: Leaderboard): void {
  const { suite, runs, units, unit, differs, comparisons } = board;
  output.line(
    `${suite}, ${runs.length} runs, ${units} ${unit}s; the runs differ in ${differs.join(", ") || "nothing"}; p is Holm-corrected over ${comparisons} comparisons`,
  );
  const pairs = board.pairs.filter(({ metric }) => metric === board.decisive);
  for (const table of leaderboardTables({ ...board, pairs })) {
    for (const line of tableLines(table, output)) output.line(line);
    output.line();
  }
}
