import { createHash } from "node:crypto";
import type { Labeller } from "../../../label/labeller.js";
import { createUniqueNames, readNotebooks } from "../../../notebook/corpus/open-paths.js";
import { cellId, extractCells, normalizeSource } from "../../../notebook/extract.js";
import type { NamedNotebook } from "../../../notebook/notebook.js";
import { strip } from "../../../python/strip.js";
import { linePrefixes } from "../../notebook-context.js";
import { groupBy } from "../../statistics/bootstrap.js";
import type { SeedTruth } from "./judge.js";
import { type Mutant, makeMutants } from "./mutants.js";
import type { Recipe } from "./protocol.js";
import type { Seed } from "./seeds.js";

/** One question of the suite. */
export interface PlannedQuery {
  readonly id: string;
  readonly seed: string;
  readonly lines: number;
  readonly code: string;
}

/** A seed with its mutants, ratings and queries. */
export interface PlannedSeed {
  readonly seed: Seed;
  readonly label: string | null;
  readonly truth: SeedTruth;
  /** Code of each mutant and hard negative, by id. */
  readonly codes: ReadonlyMap<string, string>;
  readonly queries: readonly PlannedQuery[];
  /** The operators that did not change the seed, and those that failed on it. */
  readonly unchanged: readonly string[];
  readonly failed: readonly string[];
}

export interface Plan {
  readonly seeds: readonly PlannedSeed[];
}

/** Makes the mutants, ratings and queries of every seed. */
export function makePlan(seeds: readonly Seed[], recipe: Recipe, labeller: Labeller): Plan {
  const planned = seeds.map((seed): PlannedSeed => {
    const outcome = makeMutants(seed.source, recipe);
    const queries = linePrefixes(seed.source);
    return {
      seed,
      label: labeller.label(strip(seed.source).text, "cell").primary,
      truth: toTruth(seed, outcome.mutants, queries.length),
      codes: new Map(outcome.mutants.map(({ code }) => [cellId(code), code])),
      queries: queries.map((code, at) => ({ id: `${seed.id}#${at + 1}`, seed: seed.id, lines: at + 1, code })),
      unchanged: outcome.unchanged,
      failed: outcome.failed.map(({ operator }) => operator),
    };
  });
  return { seeds: planned };
}

/** The mutants as notebooks, one per seed, because every recommender takes notebooks. */
export function toNotebooks({ seeds }: Plan): NamedNotebook[] {
  return seeds.map(({ seed, codes }) => ({
    name: `mutants/${seed.id}.ipynb`,
    notebook: { cells: [...codes.values()].map((source, index) => ({ index, type: "code" as const, source })) },
  }));
}

/** Cleaned texts that distractors must not have, because such a distractor would be a right answer counted as wrong. */
export function cleanedTexts({ seeds }: Plan): Set<string> {
  return new Set(seeds.flatMap(({ seed, codes }) => [seed.source, ...codes.values()].map((code) => strip(code).text)));
}

export function toTruth(seed: Seed, mutants: readonly Omit<Mutant, "operators">[], lines: number): SeedTruth {
  const steps = mutants.flatMap(({ mutant, operator, rating, code }) =>
    mutant === null ? [] : [{ mutant, operator, rating, id: cellId(code) }],
  );
  const hardNegatives = mutants.flatMap(({ mutant, operator, code }) =>
    mutant === null ? [{ operator, id: cellId(code) }] : [],
  );
  return {
    seed: seed.id,
    hash: cellId(normalizeSource(seed.source)),
    lines,
    mutants: steps,
    ...(hardNegatives.length > 0 && { hardNegatives }),
  };
}

export interface Distractors {
  readonly notebooks: readonly NamedNotebook[];
  /** Distinct cells. */
  readonly cells: number;
  /** Cells left out because their cleaned text is forbidden. */
  readonly dropped: number;
  /** Hex sha-256 over the ids of the cells. */
  readonly hash: string;
}

/**
 * Reads the distractors: real cells that are indexed together with the mutants. Files that are not notebooks are
 * skipped; cells without code do not count.
 */
export async function readDistractors(paths: readonly string[], forbidden: ReadonlySet<string>): Promise<Distractors> {
  const nameOf = createUniqueNames();
  const notebooks: NamedNotebook[] = [];
  for await (const entry of readNotebooks(paths))
    if (!("rejected" in entry.parsed)) notebooks.push({ name: nameOf(entry), notebook: entry.parsed.notebook });
  return chooseDistractors(notebooks, forbidden);
}

/** The code cells of notebooks without forbidden cleaned texts; at most `max`, chosen by the smallest hashes. */
export function chooseDistractors(
  notebooks: readonly NamedNotebook[],
  forbidden: ReadonlySet<string>,
  max = Number.POSITIVE_INFINITY,
): Distractors {
  const dropped = new Set<string>();
  const kept = notebooks.flatMap(({ name, notebook: { cells } }) =>
    cells.flatMap((cell) => {
      const clean = cell.type === "code" ? strip(cell.source).text : "";
      if (forbidden.has(clean)) dropped.add(cellId(cell.source));
      return clean === "" || forbidden.has(clean) ? [] : [{ name, cell, id: cellId(cell.source) }];
    }),
  );
  const chosen = new Set([...new Set(kept.map(({ id }) => id))].sort().slice(0, max));
  const groups = groupBy(
    kept.filter(({ id }) => chosen.has(id)),
    ({ name }) => name,
  );
  return describeDistractors(
    [...groups].map(([name, own]) => ({
      name: `distractors/${name}`,
      notebook: { cells: own.map(({ cell }) => cell) },
    })),
    dropped.size,
  );
}

/** Counts and hashes the chosen cells. */
export function describeDistractors(notebooks: readonly NamedNotebook[], dropped: number): Distractors {
  const ids = new Set(notebooks.flatMap(({ notebook }) => extractCells(notebook).map(({ id }) => id)));
  const hash = createHash("sha256")
    .update([...ids].sort().join("\n"))
    .digest("hex");
  return { notebooks, cells: ids.size, dropped, hash };
}
