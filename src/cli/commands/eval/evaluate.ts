import { mutators } from "../../../../mutators/index.js";
import { openLabeller } from "../../../app/parts.js";
import type { SuiteDocument } from "../../../evaluate/document.js";
import { renderText } from "../../../evaluate/reports/text.js";
import { checkReportPaths, writeReports } from "../../../evaluate/reports/write-reports.js";
import type { CaseDeps, Prepared, Suite } from "../../../evaluate/suite.js";
import type { Context } from "../../context.js";
import { readNotebooks } from "../../read-notebooks.js";
import { packageVersion } from "../../version.js";
import { createBars } from "./bars.js";
import { describeCommand } from "./describe-command.js";
import { checkThresholds, enforceThresholds } from "./gate.js";
import type { AskingOptions, ReportOptions } from "./options.js";
import { openWorkbench } from "./workbench.js";

const INTERRUPTED = 130;

/** Runs a suite: checks what could fail late, reads the cases, asks, writes the reports, holds the figures against the thresholds. */
export async function evaluate(suite: Suite, context: Context, options: ReportOptions): Promise<number> {
  const { output } = context;
  checkThresholds(options.failUnder, suite.metrics(options));
  await checkReportPaths(options.report, suite.reports);
  const cases = await suite.cases(options, caseDeps(context));
  const write = async (document: SuiteDocument) => {
    await writeReports(document, options.report, suite.reports, () => suite.describe(document, suite.texts(cases)));
  };
  const document = await runSuite(suite, cases, context, options, write);
  if (document === null) return INTERRUPTED;
  output.document(document);
  for (const line of renderText(suite.describe(document, suite.texts(cases)), output)) output.line(line);
  for (const path of options.report) output.line(`wrote ${path}`);
  enforceThresholds(options.failUnder, suite.figures(document));
  return 0;
}

/** A run that asks a recommender has an index of its own, which is kept until the reports are written. */
async function runSuite(
  suite: Suite,
  cases: Prepared,
  context: Context,
  options: ReportOptions,
  write: (document: SuiteDocument) => Promise<void>,
): Promise<SuiteDocument | null> {
  const { output, signal } = context;
  const bars = createBars();
  if (suite.asks === null) {
    const manifest = { ...origin(), settings: { ...cases.settings }, inputs: { ...cases.inputs } };
    const document = await suite.run(cases, { manifest, signal, onProgress: bars.update });
    bars.end();
    if (document === null) output.note("Interrupted; nothing is written.");
    else await write(document);
    return document;
  }
  const bench = await openWorkbench(context, suite, options as AskingOptions, cases);
  try {
    const manifest = { ...origin(), settings: bench.settings, inputs: { ...cases.inputs } };
    const document = await suite.run(cases, { ...bench, manifest, signal, onProgress: bars.update });
    if (document === null) output.note("Interrupted; the same command goes on from here.");
    else {
      await write(document);
      bench.journal.finish();
    }
    return document;
  } finally {
    bars.end();
    await bench.close();
  }
}

function caseDeps({ config, env, output }: Context): CaseDeps {
  return {
    mutators,
    env,
    labeller: () => openLabeller(config),
    readNotebooks: (paths) => readNotebooks(paths, output),
    note: (text) => output.note(text),
  };
}

const origin = () => ({
  versions: { celrec: packageVersion(), node: process.version },
  command: describeCommand(process.argv.slice(2)),
});
