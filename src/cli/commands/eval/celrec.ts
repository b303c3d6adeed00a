import { Command } from "commander";
import { mutators, paperMutators } from "../../../../mutators/index.js";
import { assetPath } from "../../../assets.js";
import { cellId, extractCells } from "../../../cells/extract.js";
import { openLabeller } from "../../../compose.js";
import type { Distractors } from "../../../evaluate/distractors.js";
import { readDistractors } from "../../../evaluate/distractors.js";
import { selectMutators } from "../../../evaluate/load-mutators.js";
import { askAll, parseMetric, RANKING_METRICS } from "../../../evaluate/metrics/index.js";
import { cleanedTexts, makePlan, type Plan } from "../../../evaluate/plan.js";
import type { ReportTexts } from "../../../evaluate/reports/report.js";
import { checkReportPaths, writeReports } from "../../../evaluate/reports/write-reports.js";
import type { CelrecResult } from "../../../evaluate/results/celrec.js";
import { type CelrecAnswer, runCelrec } from "../../../evaluate/run-celrec.js";
import { readSeeds } from "../../../evaluate/seeds.js";
import type { Context } from "../../context.js";
import type { Output } from "../../output.js";
import { collect, parseInteger } from "../../parse-options.js";
import type { Run } from "../../program.js";
import { finish } from "./finish.js";
import { checkThresholds } from "./gate.js";
import { addSuiteOptions, type SuiteOptions } from "./options.js";
import { showFigures } from "./show.js";
import { hash, openWorkbench } from "./workbench.js";

interface Options extends SuiteOptions {
  readonly seeds: string;
  readonly mutators: string;
  readonly metrics?: string;
  readonly distractors: readonly string[];
  readonly sample?: number;
}

const PAPER = paperMutators.map(({ name }) => name).join(",");

export function celrecCommand(run: Run): Command {
  const command = new Command("celrec")
    .description("find mutated copies of seed cells from their first lines (CelRecEval)")
    .option("--seeds <path>", "folder of .py files, an .ipynb or a .jsonl of {id, source}", assetPath("seeds"))
    .option("--mutators <names>", "operators in order, or paths of your own", PAPER)
    .option("--metrics <names>", "metrics to report, such as precision@3,ndcg-ideal@3; default all")
    .option("--distractors <path>", "real notebooks to hide the mutants among; may be repeated", collect, [])
    .option("--sample <number>", "only this many seeds, spread over the set", parseInteger(1, 1_000_000));
  return addSuiteOptions(command).action(run(evaluate));
}

async function evaluate(context: Context, options: Options): Promise<number> {
  const { k, failUnder, report } = options;
  const metrics =
    options.metrics === undefined
      ? askAll(RANKING_METRICS, k)
      : options.metrics.split(",").map((name) => parseMetric(name, { k, among: RANKING_METRICS }));
  checkThresholds(
    failUnder,
    metrics.map(({ name }) => name),
  );
  await checkReportPaths(report, "celrec");
  const operators = await selectMutators(options.mutators.split(","), mutators);
  const labeller = await openLabeller(context.config);
  const { seeds: all, problems } = await readSeeds(options.seeds);
  for (const { id, reason } of problems) context.output.note(`Seed ${id} is left out: ${reason}.`);
  const plan = makePlan(sample(all, options.sample), operators, labeller);
  const distractors = readDistractors(options.distractors, cleanedTexts(plan));
  const inputs = { seeds: hash(plan.seeds.map(({ truth }) => truth)), distractors: distractors.hash };
  const settings = {
    mutators: options.mutators,
    metrics: metrics.map(({ name }) => name).join(","),
    sample: options.sample ?? null,
  };
  const bench = await openWorkbench<CelrecAnswer>(context, "celrec", { ...options, settings }, inputs);
  let result: CelrecResult | null;
  try {
    const { services, ...rest } = bench;
    const config = { ...bench.manifest.settings, seeds: options.seeds, distractors: [...options.distractors] };
    result = await runCelrec({
      ...rest,
      embedder: services.embedder,
      plan,
      distractors,
      seedProblems: problems,
      k,
      metrics,
      jobs: options.jobs,
      config,
      signal: context.signal,
    });
    if (result !== null) await writeReports(result, report, textsOf(plan, distractors));
    if (result !== null) bench.journal.finish();
  } finally {
    await bench.close();
  }
  return finish(context, result, options, show, ({ mps1 }) => mps1);
}

/** Every n-th seed, so that all folders of a sorted set are there. */
function sample<T>(seeds: readonly T[], count = seeds.length): T[] {
  if (count >= seeds.length) return [...seeds];
  return Array.from({ length: count }, (_, at) => seeds[Math.floor((at * seeds.length) / count)]!);
}

function textsOf(plan: Plan, distractors: Distractors): ReportTexts {
  const queries = new Map(plan.seeds.flatMap(({ queries: own }) => own.map(({ id, code }) => [id, code] as const)));
  const mutants = new Map(plan.seeds.flatMap(({ codes }) => [...codes]));
  let others: Map<string, string> | null = null;
  return {
    query: (id) => queries.get(id),
    cell(id) {
      others ??= new Map(
        distractors.notebooks.flatMap(({ notebook }) =>
          extractCells(notebook).map(({ code }) => [cellId(code), code] as const),
        ),
      );
      return mutants.get(id) ?? others.get(id);
    },
  };
}

function show(output: Output, result: CelrecResult): void {
  const { counts, problems, published = [] } = result;
  output.line(
    `${counts.seeds} seeds, ${counts.queries} queries, ${counts.recommendationCells} mutants` +
      (counts.distractors > 0 ? ` among ${counts.distractors} other cells` : ""),
  );
  showFigures(output, result.mps1, result.ci95, { ceiling: result.ceiling, paper: published[0]?.figures ?? {} });
  const faults = Object.entries(problems.target).filter(([, count]) => count > 0);
  if (faults.length > 0) output.line(`target: ${faults.map(([name, count]) => `${count} ${name}`).join(", ")}`);
  const unchanged = Object.entries(problems.unchanged).map(([name, count]) => `${name} on ${count}`);
  if (unchanged.length > 0) output.line(`no mutant, because nothing changed: ${unchanged.join(", ")} seeds`);
  if (problems.droppedDistractors > 0)
    output.line(`${problems.droppedDistractors} distractors equal a mutant and were dropped`);
}
