import { RecommenderError } from "../../../errors.js";
import type { NamedNotebook } from "../../../notebook/notebook.js";
import type { BuildRequest, SuiteOption } from "../../suite.js";
import { writeDataSet } from "./celrec-dataset.js";
import { drawSeeds } from "./draw-seeds.js";
import { chooseDistractors, cleanedTexts, makePlan } from "./plan.js";
import { PAPER_PROTOCOL, readProtocol, resolveProtocol } from "./protocol.js";

interface DataSetOptions {
  readonly seeds: number;
  readonly distractors: number;
  readonly protocol?: string;
}

export const dataSetOptions: readonly SuiteOption[] = [
  {
    flags: "--seeds <number>",
    description: "number of seeds to draw",
    value: { min: 1, max: 100_000 },
    fallback: 114,
  },
  {
    flags: "--distractors <number>",
    description: "number of other cells of the notebooks that become distractors",
    value: { min: 0, max: 1_000_000 },
    fallback: 1_000,
  },
  {
    flags: "--protocol <file>",
    description: "JSON with k, threshold z, ratings and the operators of each mutant (default: the paper's)",
    value: "text",
  },
];

/** Draws seeds from notebooks, makes queries and mutants of them, and takes other cells as distractors. */
export async function buildDataSet(
  notebooks: readonly NamedNotebook[],
  folder: string,
  { options, mutators, labeller: openLabeller, note }: BuildRequest,
): Promise<Readonly<Record<string, number>>> {
  const { seeds: count, distractors: max, protocol: file } = options as DataSetOptions;
  const protocol = file === undefined ? PAPER_PROTOCOL : readProtocol(file);
  const recipe = await resolveProtocol(protocol, mutators);
  const labeller = await openLabeller();
  const seeds = drawSeeds(notebooks, count, { recipe, labeller });
  if (seeds.length === 0)
    throw new RecommenderError(
      "INPUT_INVALID",
      "No cell of these notebooks is suitable as a seed; nothing was written.",
    );
  if (seeds.length < count)
    note(`Only ${seeds.length} of ${count} seeds: these notebooks have no more suitable cells.`);
  const plan = makePlan(seeds, recipe, labeller);
  const distractors = chooseDistractors(notebooks, cleanedTexts(plan), max);
  const origins = new Map(seeds.map(({ id, notebook, cellIndex }) => [id, { notebook, cellIndex }]));
  return writeDataSet(folder, { protocol, plan, distractors }, origins);
}
