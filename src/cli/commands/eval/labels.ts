import { setImmediate } from "node:timers/promises";
import { Command } from "commander";
import { openLabeller } from "../../../compose.js";
import { labelMetrics } from "../../../evaluate/label-metrics.js";
import { readLabelTruth } from "../../../evaluate/label-truth.js";
import { checkReportPaths, writeReports } from "../../../evaluate/reports/write-reports.js";
import type { LabelsResult } from "../../../evaluate/results/labels.js";
import { runLabels } from "../../../evaluate/run-labels.js";
import type { Context } from "../../context.js";
import type { Output } from "../../output.js";
import type { Run } from "../../program.js";
import { createProgress } from "../../progress.js";
import { packageVersion } from "../../version.js";
import { checkThresholds, enforceThresholds } from "./gate.js";
import { addReportOptions, type ReportOptions } from "./options.js";
import { showFigures } from "./show.js";
import { hash } from "./workbench.js";

interface Options extends ReportOptions {
  readonly truth: string;
  readonly partial?: boolean;
}

const INTERRUPTED = 130;
const SHOWN_PAIRS = 5;
const SHOWN_CELLS = 3;
const SHOWN_LINES = 6;

export function labelsCommand(run: Run): Command {
  const command = new Command("labels")
    .description("compare the labels of cells with those that people gave them")
    .requiredOption("--truth <file>", 'JSON lines of {source, label: [...], notebook?, cell_index?}; ["None"] is none')
    .option("--partial", "also ask about every line prefix of cells with three or more lines");
  return addReportOptions(command, ".json .csv .xlsx .md .html").action(run(evaluate));
}

async function evaluate(context: Context, { truth, partial = false, report, failUnder }: Options): Promise<number> {
  const { config, output, signal } = context;
  // A figure of which less is better cannot be too low.
  const higher = labelMetrics({ partial }).filter(({ better }) => better === "higher");
  checkThresholds(
    failUnder,
    higher.map(({ name }) => name),
  );
  await checkReportPaths(report, "labels");
  const cells = readLabelTruth(truth);
  const labeller = await openLabeller(config);
  const settings = { labeller: labeller.id, partial };
  const progress = createProgress("cells", cells.length);
  const result = await runLabels({
    cells,
    labeller,
    partial,
    config: { truth, ...settings },
    manifest: {
      versions: { celrec: packageVersion(), node: process.version },
      settings,
      inputs: { truth: hash(cells) },
    },
    async onCell(done) {
      progress.update(done);
      // Work that never waits would keep a signal from being heard.
      await setImmediate();
      return !signal.aborted;
    },
  });
  progress.end();
  if (result === null) {
    output.note("Interrupted; nothing is written.");
    return INTERRUPTED;
  }
  await writeReports(result, report);
  output.document(result);
  show(output, result, report);
  enforceThresholds(failUnder, result.metrics);
  return 0;
}

function show(output: Output, result: LabelsResult, reports: readonly string[]): void {
  const { counts, metrics, ci95, byLabel, confusion, problems } = result;
  const prefixes = counts.prefixes > 0 ? `, ${counts.prefixes} prefixes` : "";
  output.line(
    `${counts.cells} cells of ${counts.notebooks} notebooks, ${counts.unlabelled} without a label${prefixes}`,
  );
  showFigures(output, metrics, ci95, {});
  output.line();
  output.line(output.dim(`${"label".padEnd(20)}cells   given   precision  recall  f1      ece`));
  for (const { label, cells, given, precision, recall, f1, ece } of byLabel) {
    const counted = `${String(cells).padEnd(8)}${String(given).padEnd(8)}`;
    const figures = `${format(precision).padEnd(11)}${format(recall).padEnd(8)}${format(f1).padEnd(8)}${format(ece)}`;
    output.line(`${label.padEnd(20)}${counted}${figures}`.trimEnd());
  }
  if (confusion.instead.length > 0) output.line();
  for (const { missed, given, cells } of confusion.instead.slice(0, SHOWN_PAIRS)) {
    output.line(`${String(cells).padStart(4)} ${cells === 1 ? "cell" : "cells"}: ${describe(missed, given)}`);
  }
  showWorst(output, result);
  for (const [label, cells] of Object.entries(problems.unknownLabels))
    output.note(`The labeller does not know ${label}; ${cells} cells have it, and miss it.`);
  for (const path of reports) output.line(`wrote ${path}`);
}

function describe(missed: string | null, given: string | null): string {
  if (given === null) return `${missed} missed, nothing in its place`;
  return missed === null ? `${given} given, nothing missed` : `${given} given instead of ${missed}`;
}

function showWorst(output: Output, { worst }: LabelsResult): void {
  if (worst.length === 0) return;
  output.line();
  output.line("the most confident mistakes:");
  for (const { id, mistake, label, probability, code } of worst.slice(0, SHOWN_CELLS)) {
    output.line(`  ${id}: ${label} ${mistake === "wrong" ? "given" : "missed"}, probability ${probability.toFixed(3)}`);
    for (const line of code.split("\n").slice(0, SHOWN_LINES)) output.line(output.dim(`    ${line}`));
  }
}

const format = (value: number | null): string => value?.toFixed(4) ?? "";
