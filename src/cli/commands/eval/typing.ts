import { Command } from "commander";
import { cellId, extractCells } from "../../../cells/extract.js";
import { TEXT_METRICS } from "../../../evaluate/metrics/index.js";
import type { ReportTexts } from "../../../evaluate/reports/report.js";
import { checkReportPaths, writeReports } from "../../../evaluate/reports/write-reports.js";
import type { TypingResult } from "../../../evaluate/results/typing.js";
import { runTyping, type TypingAnswer } from "../../../evaluate/run-typing.js";
import { readTypingCases, type TypingInput } from "../../../evaluate/typing-cases.js";
import type { NamedNotebook } from "../../../ingest/ingest.js";
import type { Context } from "../../context.js";
import type { Output } from "../../output.js";
import { collect } from "../../parse-options.js";
import type { Run } from "../../program.js";
import { readNotebooks } from "../../read-notebooks.js";
import { finish } from "./finish.js";
import { checkThresholds } from "./gate.js";
import { addSuiteOptions, type SuiteOptions } from "./options.js";
import { showFigures } from "./show.js";
import { hash, openWorkbench } from "./workbench.js";

interface Options extends SuiteOptions {
  readonly cases: string;
  readonly index: readonly string[];
  readonly context: boolean;
}

export function typingCommand(run: Run): Command {
  const command = new Command("typing")
    .description("real cells, half typed: does a recommended cell hold what was typed next?")
    .requiredOption("--cases <file>", "JSON lines, as `celrec eval build typing` makes them")
    .requiredOption(
      "--index <path>",
      "notebooks to recommend from, other ones than those of the cases; may be repeated",
      collect,
    );
  command.option("--no-context", "do not tell the target what stands before the cell");
  return addSuiteOptions(command).action(run(evaluate));
}

async function evaluate(context: Context, options: Options): Promise<number> {
  const { k, failUnder, report } = options;
  checkThresholds(
    failUnder,
    TEXT_METRICS.map(({ name }) => name),
  );
  await checkReportPaths(report, "typing");
  const read = readTypingCases(options.cases);
  const cases = options.context ? read : read.map((each) => ({ ...each, preceding: [], markdown: "" }));
  const index = readNotebooks(options.index, context.output);
  const ids = index.flatMap(({ notebook }) => extractCells(notebook).map(({ id }) => id));
  const inputs = { cases: hash(cases), index: hash(ids) };
  const bench = await openWorkbench<TypingAnswer>(context, "typing", { ...options, settings: {} }, inputs);
  let result: TypingResult | null;
  try {
    const config = { ...bench.manifest.settings, cases: options.cases, index: [...options.index] };
    result = await runTyping({ ...bench, cases, index, k, jobs: options.jobs, config, signal: context.signal });
    if (result !== null) await writeReports(result, report, textsOf(cases, index));
    if (result !== null) bench.journal.finish();
  } finally {
    await bench.close();
  }
  return finish(context, result, options, show, ({ metrics }) => metrics);
}

function textsOf(cases: readonly TypingInput[], index: readonly NamedNotebook[]): ReportTexts {
  const byId = new Map(cases.map((each) => [each.id, each]));
  let cells: Map<string, string> | null = null;
  return {
    query: (id) => byId.get(id)?.prefix,
    expected: (id) => byId.get(id)?.rest,
    cell(id) {
      cells ??= new Map(
        index.flatMap(({ notebook }) => extractCells(notebook).map(({ code }) => [cellId(code), code] as const)),
      );
      return cells.get(id);
    },
  };
}

function show(output: Output, result: TypingResult): void {
  const { counts, baselines, metrics, ci95, withoutCopies, confidence } = result;
  const { ci95: _, ...fresh } = withoutCopies;
  output.line(
    `${counts.cases} cases of ${counts.notebooks} notebooks (${counts.copies} copies), ${counts.indexedCells} cells to recommend from`,
  );
  const columns = Object.entries(baselines).map(
    ([name, { ci95: _ci, withoutCopies: _copies, ...figures }]) => [name, figures] as const,
  );
  showFigures(output, metrics, ci95, { "no copies": fresh, ...Object.fromEntries(columns) });
  if (confidence === null) return;
  const { ece, hits, withoutCopies: sure } = confidence;
  const others =
    counts.copies === 0 || sure === null ? "" : `; without copies ${sure.ece.toFixed(4)} over ${sure.hits}`;
  output.line(`confidence: expected calibration error ${ece.toFixed(4)} over ${hits} hits${others}`);
}
