import type { Labeller } from "../../../label/labeller.js";
import { cellId, extractCells } from "../../../notebook/extract.js";
import type { NamedNotebook } from "../../../notebook/notebook.js";
import { parses } from "../../../python/grammar.js";
import { filledLines, strip } from "../../../python/strip.js";
import { maskMagics } from "../../../python/tokenize.js";
import { makeMutants } from "./mutants.js";
import type { Recipe } from "./protocol.js";
import type { Seed } from "./seeds.js";

/** A cell of a corpus that became a seed. */
interface DrawnSeed extends Seed {
  readonly notebook: string;
  readonly cellIndex: number;
  readonly label: string | null;
}

/**
 * The lengths of the paper's seeds: 114 cells with 810 lines in all, 14 cells of one line, none longer than 20 lines.
 */
const MAX_LINES = 20;
const ONE_LINERS = 14 / 114;
const MEAN_OF_LONGER = (810 - 14) / (114 - 14);
/** The mean length is only checked after this many longer seeds. */
const MIN_LONGER = 10;

/** The rules of `drawSeeds`, as stated in the data set. */
export const SEED_RULES = [
  "A seed is a code cell that Python can parse (magics allowed), with 1 to 20 lines that are not blank, at least one of them more than a comment.",
  "Every mutant of the protocol can be made of it, and no two of them are equal.",
  "No two seeds have the same text without comments, blank lines and trailing spaces.",
  "Cells are drawn in the order of a hash of that text, so neither file names nor the order of reading matter.",
  "Every label (the most probable task of the cell, or none) gets the same number of seeds.",
  "A notebook gives one seed.",
  "At most 14 of 114 seeds have one line. Shorter cells are passed over while the longer seeds have fewer than 7.96 lines on average.",
  "Where the corpus has too few such cells, the last three rules are dropped, one after another, until there are enough.",
] as const;

interface Candidate {
  readonly seed: Seed;
  readonly notebook: string;
  readonly cellIndex: number;
  readonly clean: string;
  readonly lines: number;
}

/** Draws seeds from notebooks by `SEED_RULES`; fewer than `count` if there are not enough. In the order of their ids. */
export function drawSeeds(
  notebooks: readonly NamedNotebook[],
  count: number,
  { recipe, labeller }: { recipe: Recipe; labeller: Labeller },
): DrawnSeed[] {
  const candidates = candidatesOf(notebooks);
  const facts = new Map<Candidate, { readonly label: string | null } | null>();
  // Mutants and labels are only computed for the cells that are considered.
  const examine = (each: Candidate) => {
    if (!facts.has(each)) {
      const isUsable = isSuitable(each.seed.source, recipe);
      facts.set(each, isUsable ? { label: labeller.label(each.clean, "cell").primary } : null);
    }
    return facts.get(each)!;
  };
  const draw = createDraw(count, labeller.labels.length + 1);
  for (const rules of RELAXED_RULES) {
    for (const candidate of candidates) {
      if (draw.isFull()) break;
      if (!draw.mayTake(candidate, rules)) continue;
      const known = examine(candidate);
      if (known === null || (rules.labels && draw.isCovered(known.label))) continue;
      draw.take(candidate, known.label);
    }
  }
  return draw.taken().sort((a, b) => (a.id < b.id ? -1 : 1));
}

interface Rules {
  readonly labels: boolean;
  readonly notebooks: boolean;
  readonly shape: boolean;
}

const RELAXED_RULES: readonly Rules[] = [
  { labels: true, notebooks: true, shape: true },
  { labels: false, notebooks: true, shape: true },
  { labels: false, notebooks: false, shape: true },
  { labels: false, notebooks: false, shape: false },
];

function createDraw(count: number, labels: number) {
  const seedOf = new Map<Candidate, DrawnSeed>();
  const used = new Set<string>();
  const perLabel = new Map<string | null, number>();
  const perLines = { one: 0, longer: 0, sum: 0 };
  const fitsShape = (lines: number) => {
    if (lines === 1) return perLines.one < Math.round(count * ONE_LINERS);
    const isBelow = perLines.longer > MIN_LONGER && perLines.sum / perLines.longer < MEAN_OF_LONGER;
    return !(isBelow && lines < MEAN_OF_LONGER);
  };
  return {
    isFull: () => seedOf.size >= count,
    isCovered: (label: string | null) => (perLabel.get(label) ?? 0) >= Math.ceil(count / labels),
    mayTake: (candidate: Candidate, { notebooks, shape }: Rules) =>
      !seedOf.has(candidate) && !(notebooks && used.has(candidate.notebook)) && !(shape && !fitsShape(candidate.lines)),
    take(candidate: Candidate, label: string | null) {
      const { seed, notebook, cellIndex, lines } = candidate;
      seedOf.set(candidate, { ...seed, notebook, cellIndex, label });
      used.add(notebook);
      perLabel.set(label, (perLabel.get(label) ?? 0) + 1);
      if (lines === 1) perLines.one += 1;
      else {
        perLines.longer += 1;
        perLines.sum += lines;
      }
    },
    taken: () => [...seedOf.values()],
  };
}

function candidatesOf(notebooks: readonly NamedNotebook[]): Candidate[] {
  const byText = new Map<string, Candidate>();
  for (const { name, notebook } of notebooks) {
    for (const { code, cellIndex } of extractCells(notebook)) {
      const lines = filledLines(code).length;
      if (lines === 0 || lines > MAX_LINES) continue;
      const clean = strip(code).text;
      if (clean === "") continue;
      const candidate = { seed: { id: `${name}#${cellIndex}`, source: code }, notebook: name, cellIndex, clean, lines };
      const known = byText.get(clean);
      if (known === undefined || candidate.seed.id < known.seed.id) byText.set(clean, candidate);
    }
  }
  return [...byText.values()]
    .map((candidate) => ({ candidate, key: cellId(candidate.clean) }))
    .sort((a, b) => (a.key < b.key ? -1 : 1))
    .map(({ candidate }) => candidate);
}

function isSuitable(source: string, recipe: Recipe): boolean {
  if (!parses(maskMagics(source))) return false;
  const steps = makeMutants(source, recipe).mutants.filter(({ mutant }) => mutant !== null);
  return steps.length === recipe.steps.length && new Set(steps.map(({ code }) => cellId(code))).size === steps.length;
}
