import { mutators } from "../../../../mutators/index.js";
import { openLabeller } from "../../../app/parts.js";
import { packageVersion } from "../../../config.js";
import { RecommenderError } from "../../../errors.js";
import { renderText } from "../../../evaluate/reports/text.js";
import { checkReportPaths, writeReports } from "../../../evaluate/reports/write-reports.js";
import type { Figures, SuiteDocument } from "../../../evaluate/result-document.js";
import type { CaseDeps, MeasuredMetric, Prepared, Suite } from "../../../evaluate/suite.js";
import type { ModelUsage } from "../../../evaluate/target.js";
import { loadGrammar } from "../../../python/grammar.js";
import type { Context } from "../../context.js";
import { createProgress, type Progress } from "../../progress.js";
import { readNotebooks } from "../../read-input.js";
import type { AskingOptions, ReportOptions, SettledOptions, Threshold } from "./options.js";
import { openWorkbench } from "./workbench.js";

export const INTERRUPTED = 130;
const DEFAULT_K = 3;

/** Runs a suite: checks the options, reads the cases, asks the target, writes the reports, checks the thresholds. */
export async function evaluate(suite: Suite, context: Context, given: ReportOptions): Promise<number> {
  const { output } = context;
  const options = suite.asks === null ? given : { ...given, k: resolveK(suite, given as AskingOptions) };
  checkThresholds(options.failUnder, suite.metrics(options));
  await checkReportPaths(options.report, suite.reports);
  const { dryRun } = options as Partial<AskingOptions>;
  const cases = await readCases(suite, context, options);
  const write = async (document: SuiteDocument) => {
    await writeReports(document, options.report, suite.reports, () => suite.describe(document, suite.texts(cases)));
  };
  const document = await runSuite(suite, cases, context, options, write);
  if (document === null) return dryRun ? 0 : INTERRUPTED;
  output.document(document);
  for (const line of renderText(suite.describe(document, suite.texts(cases)), output)) output.line(line);
  for (const path of options.report) output.line(`wrote ${path}`);
  enforceThresholds(options.failUnder, suite.figures(document));
  return 0;
}

/** One run without reports; null if it was interrupted. */
export async function measure(suite: Suite, context: Context, given: ReportOptions): Promise<SuiteDocument | null> {
  const options = suite.asks === null ? given : { ...given, k: resolveK(suite, given as AskingOptions) };
  return runSuite(suite, await readCases(suite, context, options), context, options, async () => {});
}

async function readCases(suite: Suite, context: Context, options: ReportOptions): Promise<Prepared> {
  // Metrics and cases parse code.
  await loadGrammar();
  const { limit } = options as Partial<AskingOptions>;
  const all = await suite.cases(options, caseDeps(context));
  return suite.asks === null || limit === undefined ? all : suite.limit(all, limit);
}

const resolveK = (suite: Extract<Suite, { asks: object }>, options: AskingOptions): number =>
  options.k ?? suite.k?.(options) ?? DEFAULT_K;

/** Runs a suite that asks a target. The run's own index is kept until the reports are written. */
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
    if (document === null) output.note("Interrupted; nothing was written.");
    else await write(document);
    return document;
  }
  const dryRun = (options as AskingOptions).dryRun ? createDryRun(output, signal) : null;
  const bench = await openWorkbench(context, suite, options as SettledOptions, cases, dryRun?.onPrompt);
  try {
    const manifest = { ...origin(), settings: bench.settings, inputs: { ...cases.inputs } };
    const asking = { ...bench, manifest, signal: dryRun?.signal ?? signal, onProgress: bars.update };
    const measured = await suite.run(cases, asking);
    const usage = bench.target.usage?.();
    const document = measured && {
      ...measured,
      manifest: { ...measured.manifest, ...(usage && { usage: { ...usage } }) },
    };
    if (dryRun !== null) bench.journal.finish();
    else if (document === null) output.note("Interrupted; run the same command again to resume.");
    else {
      await write(document);
      bench.journal.finish();
    }
    if (usage && dryRun === null) output.note(describeUsage(usage));
    return document;
  } finally {
    bars.end();
    await bench.close();
  }
}

/** Prints the first prompt and ends the run. */
function createDryRun(output: Context["output"], signal: AbortSignal) {
  const stop = new AbortController();
  return {
    signal: AbortSignal.any([signal, stop.signal]),
    onPrompt(prompt: string) {
      if (stop.signal.aborted) return;
      stop.abort();
      output.document({ prompt });
      for (const line of prompt.split("\n")) output.line(line);
    },
  };
}

function describeUsage({
  answers,
  fromCache,
  tokensIn,
  tokensOut,
  truncated,
  costOfRun,
  costOfAnswers,
}: ModelUsage): string {
  const cut = truncated === 0 ? "" : `; ${truncated} cut off at --max-tokens`;
  const cost =
    costOfRun === null ? "" : `; cost of this run ${costOfRun.toFixed(4)}, of all answers ${costOfAnswers!.toFixed(4)}`;
  return `${answers} answers, ${fromCache} of them from the cache; ${tokensIn} tokens in, ${tokensOut} out${cut}${cost}`;
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

/** Shows one progress bar at a time, one for every stage of a run. */
function createBars() {
  let bar: { what: string; progress: Progress } | null = null;
  return {
    update(what: string, done: number, total: number) {
      if (bar?.what !== what) {
        bar?.progress.end();
        bar = { what, progress: createProgress(what, total) };
      }
      bar.progress.update(done);
    },
    end: () => bar?.progress.end(),
  };
}

/** Flags that do not affect the result: those with a value, and switches. */
const FLAGS_WITH_VALUE = ["--report", "--data"];
const SWITCHES = ["--json", "--quiet", "--reset-target"];
const HIDDEN_VALUE = "'***'";

/** The command that repeats a run, without output files and secrets. */
export function describeCommand(words: readonly string[]): string {
  const kept: string[] = [];
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at]!;
    if (SWITCHES.includes(word) || FLAGS_WITH_VALUE.some((flag) => word.startsWith(`${flag}=`))) continue;
    if (FLAGS_WITH_VALUE.includes(word)) at += 1;
    else if (word === "--target-token") {
      kept.push(word, HIDDEN_VALUE);
      at += 1;
    } else kept.push(word.startsWith("--target-token=") ? `--target-token=${HIDDEN_VALUE}` : quote(word));
  }
  return ["celrec", ...kept].join(" ");
}

const quote = (word: string): string => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);

/** Checks the thresholds before the run: each needs a measured metric for which higher is better. */
function checkThresholds(thresholds: readonly Threshold[], measured: readonly MeasuredMetric[]): void {
  for (const { metric } of thresholds) {
    const found = measured.find(({ name }) => name === metric);
    if (found?.better === "higher") continue;
    const names = measured.filter(({ better }) => better === "higher").map(({ name }) => name);
    const why = found === undefined ? "this run measures" : "lower is better for it; use one of";
    throw new RecommenderError("INPUT_INVALID", `--fail-under ${metric}: ${why} ${names.join(", ")}.`);
  }
}

/** Checks the thresholds after the run; THRESHOLD_MISSED lists every figure that is too low. */
function enforceThresholds(thresholds: readonly Threshold[], figures: Figures): void {
  const missed = thresholds.filter(({ metric, min }) => (figures[metric] ?? Number.NEGATIVE_INFINITY) < min);
  if (missed.length === 0) return;
  const list = missed.map(
    ({ metric, min }) => `${metric} is ${figures[metric]?.toFixed(4) ?? "unknown"}, wanted ${min}`,
  );
  throw new RecommenderError("THRESHOLD_MISSED", list.join("; "));
}
