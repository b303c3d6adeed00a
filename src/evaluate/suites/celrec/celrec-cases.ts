import { assetPath } from "../../../config.js";
import { RecommenderError } from "../../../errors.js";
import { extractCells } from "../../../notebook/extract.js";
import {
  type AskedMetric,
  allMetrics,
  DEFAULT_RANKING_METRICS,
  parseMetric,
  RANKING_METRICS,
} from "../../metrics/index.js";
import type { CorpusMetric, ListMetric } from "../../metrics/metric.js";
import type { ReportTexts } from "../../reports/write-reports.js";
import { hashOf } from "../../runner/inputs.js";
import type { CaseDeps, Prepared, SuiteOption } from "../../suite.js";
import { readDataSet, readHead } from "./celrec-dataset.js";
import { selectMutators } from "./load-mutators.js";
import { cleanedTexts, type Distractors, describeDistractors, makePlan, type Plan, readDistractors } from "./plan.js";
import { PAPER_PROTOCOL, type Protocol, protocolOfSeries, readProtocol, resolveProtocol } from "./protocol.js";
import { readSeeds, type SeedProblem } from "./seeds.js";

export interface CelrecCases extends Prepared {
  readonly protocol: Protocol;
  readonly plan: Plan;
  readonly distractors: Distractors;
  readonly seedProblems: readonly SeedProblem[];
  readonly metrics: readonly AskedMetric<ListMetric | CorpusMetric>[];
  /** The sources of seeds and distractors. */
  readonly origin: { readonly seeds: string; readonly distractors: string[] };
}

export interface CelrecOptions {
  readonly k: number;
  readonly dataset?: string;
  readonly seeds?: string;
  readonly protocol?: string;
  readonly mutators?: string;
  readonly metrics?: string;
  readonly index?: readonly string[];
  /** Paths of the distractors; false to use none. */
  readonly distractors?: readonly string[] | false;
}

const SEEDS_NAME = "114 seeds of this project";
const SAMPLES_NAME = "sample notebooks of this project";

/** Reads a data set, or reads seeds and makes mutants, queries and ratings of them. */
export async function readCases(options: CelrecOptions, deps: CaseDeps): Promise<CelrecCases> {
  checkSources(options);
  const metrics = chosenMetrics(options);
  const planned = options.dataset === undefined ? await planSeeds(options, deps) : openDataSet(options.dataset);
  const protocol = { ...planned.protocol, k: options.k };
  const { distractors, from } = await loadDistractors(options, planned);
  return {
    protocol,
    plan: planned.plan,
    distractors,
    seedProblems: planned.problems,
    metrics,
    origin: { seeds: options.dataset ?? options.seeds ?? SEEDS_NAME, distractors: from },
    inputs: {
      seeds: hashOf(planned.plan.seeds.map(({ truth }) => truth)),
      protocol: hashOf(protocol),
      distractors: distractors.hash,
    },
    settings: {
      ...(options.mutators !== undefined && { mutators: options.mutators }),
      ...(options.protocol !== undefined && { protocol: options.protocol }),
      metrics: metrics.map(({ name }) => name).join(","),
    },
  };
}

interface PlannedSet {
  readonly protocol: Protocol;
  readonly plan: Plan;
  readonly problems: readonly SeedProblem[];
  /** The distractors of a data set. */
  readonly distractors?: Distractors;
}

function openDataSet(folder: string): PlannedSet {
  return { ...readDataSet(folder), problems: [] };
}

async function planSeeds(options: CelrecOptions, deps: CaseDeps): Promise<PlannedSet> {
  const protocol = await chosenProtocol(options, deps);
  const recipe = await resolveProtocol(protocol, deps.mutators);
  const labeller = await deps.labeller();
  const { seeds, problems } = await readSeeds(options.seeds ?? assetPath("seeds"));
  for (const { id, reason } of problems) deps.note(`Seed ${id} is left out: ${reason}.`);
  return { protocol, plan: makePlan(seeds, recipe, labeller), problems };
}

async function chosenProtocol({ protocol, mutators }: CelrecOptions, deps: CaseDeps): Promise<Protocol> {
  if (protocol !== undefined) return readProtocol(protocol);
  if (mutators === undefined) return PAPER_PROTOCOL;
  const names = mutators.split(",");
  return protocolOfSeries(names, await selectMutators(names, deps.mutators));
}

/** The requested distractors, else those of the data set, else the sample notebooks. */
async function loadDistractors(
  { distractors: requested, index = [] }: CelrecOptions,
  { plan, distractors }: PlannedSet,
): Promise<{ distractors: Distractors; from: string[] }> {
  if (requested === false) return { distractors: describeDistractors([], 0), from: [] };
  const paths = [...(requested ?? []), ...index];
  if (paths.length === 0 && distractors !== undefined) return { distractors, from: ["the data set"] };
  const from = paths.length === 0 ? [SAMPLES_NAME] : paths;
  const read = paths.length === 0 ? [assetPath("examples/notebooks")] : paths;
  return { distractors: await readDistractors(read, cleanedTexts(plan)), from };
}

function checkSources({ dataset, seeds, protocol, mutators, distractors, index = [] }: CelrecOptions): void {
  const givenFlags = Object.entries({ seeds, protocol, mutators }).flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name}`],
  );
  if (dataset !== undefined && givenFlags.length > 0)
    throw invalid(`--dataset has seeds, mutants and protocol of its own: leave out ${givenFlags.join(", ")}.`);
  if (protocol !== undefined && mutators !== undefined)
    throw invalid("Give either --protocol FILE or --mutators NAMES: both name the operators.");
  if (distractors === false && index.length > 0) throw invalid("Give either --no-distractors or --index, not both.");
}

/** The code of queries, mutants and distractors. */
export function celrecTexts({ plan, distractors }: CelrecCases): ReportTexts {
  const queries = new Map(plan.seeds.flatMap(({ queries: own }) => own.map(({ id, code }) => [id, code] as const)));
  const mutants = new Map(plan.seeds.flatMap(({ codes }) => [...codes]));
  let others: Map<string, string> | null = null;
  return {
    query: (id) => queries.get(id),
    cell(id) {
      others ??= new Map(
        distractors.notebooks.flatMap(({ notebook }) =>
          extractCells(notebook).map((cell) => [cell.id, cell.code] as const),
        ),
      );
      return mutants.get(id) ?? others.get(id);
    },
  };
}

export const celrecOptions: readonly SuiteOption[] = [
  {
    flags: "--dataset <folder>",
    description: "queries, mutants and distractors from `celrec eval build celrec`",
    value: "text",
  },
  {
    flags: "--seeds <path>",
    description: `folder of .py files, an .ipynb or a .jsonl of {id, source} (default: ${SEEDS_NAME})`,
    value: "text",
  },
  {
    flags: "--protocol <file>",
    description:
      "JSON with k, threshold z, ratings and the operators of each mutant (default: the paper's, examples/celrec-protocol.json)",
    value: "text",
  },
  {
    flags: "--mutators <names>",
    description: "operators in order, or paths of your own modules, instead of --protocol",
    value: "text",
  },
  {
    flags: "--metrics <names>",
    description: "metrics to report, such as precision@3,map-cut@3; default all but map-cut",
    value: "text",
  },
  {
    flags: "--index <paths...>",
    description: `notebooks whose cells are the distractors (default: ${SAMPLES_NAME})`,
    value: "list",
  },
  { flags: "--distractors <paths...>", description: "the same as --index", value: "list" },
  { flags: "--no-distractors", description: "index only the mutants, as in the paper" },
];

/** The k of the data set or the protocol. */
export function prescribedK({ dataset, protocol }: Omit<CelrecOptions, "k">): number {
  if (dataset !== undefined) return readHead(dataset).protocol.k;
  return (protocol === undefined ? PAPER_PROTOCOL : readProtocol(protocol)).k;
}

/** The requested metrics; INPUT_INVALID for an unknown name. */
export function chosenMetrics({ metrics, k }: CelrecOptions): AskedMetric<ListMetric | CorpusMetric>[] {
  if (metrics === undefined) return allMetrics(DEFAULT_RANKING_METRICS, k);
  return metrics.split(",").map((name) => parseMetric(name, { k, among: RANKING_METRICS }));
}

const invalid = (message: string): RecommenderError => new RecommenderError("INPUT_INVALID", message);
