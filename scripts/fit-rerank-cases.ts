// Writes the training cases of fit-rerank.py: one JSON line per query, with the feature values and gains of its
// candidates. Run by fit-rerank.py. To run it alone:
//   node dist/scripts/fit-rerank-cases.js EMBEDDER_FOLDER RERANK_FOLDER PATHS...

import { createPiecesEmbedder } from "../src/embed/pieces.js";
import { loadGrammar } from "../src/python/grammar.js";
import { filledLines, strip } from "../src/python/strip.js";
import { createHitAdapter } from "../src/recommend/answer/answer.js";
import { compareCells } from "../src/recommend/features/compare-cells.js";
import { FEATURES } from "../src/recommend/features/feature-table.js";
import { profileQuery } from "../src/recommend/features/query-profile.js";
import { readInverseFrequency, readOnceCalls } from "../src/recommend/rerank-model.js";
import { createTarget, measureGain } from "./fit-rerank-gain.js";
import { createLibrary, type Library, type LibraryQuery } from "./fit-rerank-library.js";
import { type Material, makeVariants } from "./fit-rerank-variants.js";
import { type CorpusNotebook, readCorpus, splitOf } from "./train-embedder-notebooks.js";
import { createRandom, shuffle } from "./train-embedder-rename.js";

/** Typing cases per notebook, and total number of seeds for variants. */
const CASES_PER_NOTEBOOK = 6;
const MAX_SEEDS = 400;
/** The gains of the three variants of a seed. */
const VARIANT_GAINS = [1, 0.6, 0.4];
const MAX_CHARACTERS = 5000;

const [embedderFolder, rerankFolder, ...paths] = process.argv.slice(2);
await loadGrammar();
const random = createRandom(1);
const embedder = await createPiecesEmbedder({ folder: embedderFolder! });
const idf = await readInverseFrequency(rerankFolder!);
const isOnce = await readOnceCalls(rerankFolder!);
const notebooks: CorpusNotebook[] = [];
for await (const notebook of readCorpus(paths)) notebooks.push(notebook);
const own = notebooks.filter(({ group }) => splitOf(group) === "fit");
const written = notebooks.filter(({ group }) => splitOf(group) === "train").map(codeOf);
const others = written.flat();

printLine({ features: FEATURES.map(({ name, sign }) => ({ name, sign })), embedder: embedder.id });
await writeTyping(await createLibrary(embedder, others, written));
await writeVariants(3000);
await writeVariants(0);

/**
 * Writes queries from half-typed real cells: `complete` with and without context, `next` and `markdown` without the
 * code.
 */
async function writeTyping(library: Library): Promise<void> {
  for (const { group, cells } of own) {
    const indexes = shuffle(cells.keys(), random).filter((at) => cells[at]!.type === "code");
    let left = CASES_PER_NOTEBOOK;
    for (const at of indexes) {
      const { source } = cells[at]!;
      const lines = filledLines(source);
      if (left === 0) break;
      if (filledLines(strip(source).text).length < 3 || source.length > MAX_CHARACTERS) continue;
      left -= 1;
      const cut = Math.max(1, Math.floor(lines.length / (random() < 0.5 ? 2 : 3)));
      const code = lines.slice(0, cut).join("\n");
      const before = cells.slice(0, at).flatMap((cell) => (cell.type === "code" ? [cell.source] : []));
      const above = cells[at - 1];
      const markdown = above?.type === "markdown" ? above.source : "";
      const context = { before: before.slice(-5), markdown };
      const rest = lines.slice(cut).join("\n");
      await writeCase("complete", group, library, { code, ...context }, rest, source);
      if (random() < 0.3) await writeCase("complete", group, library, { code, before: [], markdown: "" }, rest, source);
      if (before.length > 0) {
        // Half of the cells have only a few letters of the first line.
        const letters = random() < 0.5 ? "" : lines[0]!.slice(0, 3 + Math.floor(random() * 15));
        await writeCase("next", group, library, { code: letters, ...context }, source, source);
      }
      if (markdown !== "")
        await writeCase("markdown", group, library, { code: "", before: [], markdown }, source, source);
    }
  }
}

async function writeCase(
  kind: string,
  group: string,
  library: Library,
  query: LibraryQuery,
  rest: string,
  whole: string,
) {
  const target = createTarget(rest, whole);
  const { rows, cells } = await compareCandidates(library, query, kind === "next");
  const help = kind === "complete" ? createHitAdapter(query.code, query) : null;
  const gains = cells.map(({ code }) =>
    Object.values(measureGain(code, help?.(code).adapted.insert ?? code, target)).map(round),
  );
  printLine({ kind, group, calls: target.rest.size, lengths: cells.map(({ code }) => code.length), rows, gains });
}

/**
 * Writes queries from the first lines of a cell. The library contains altered variants of this cell, but not the cell
 * itself.
 */
async function writeVariants(distractors: number): Promise<void> {
  const codes = shuffle(own.flatMap(codeOf), random).filter((code) => {
    const lines = filledLines(code).length;
    return lines <= 20 && strip(code).text !== "" && random() < 0.3 + lines / 10;
  });
  const seeds = [...new Set(codes.map((code) => filledLines(code).join("\n")))].slice(0, MAX_SEEDS);
  const material = collectMaterial();
  const variants = seeds.map((seed) => makeVariants(seed, material, random));
  const library = await createLibrary(embedder, [
    ...variants.flat(),
    ...shuffle(others, random).slice(0, distractors * 3),
  ]);
  for (const [at, seed] of seeds.entries()) {
    const lines = filledLines(seed);
    const worth = new Map(variants[at]!.map((variant, rank) => [variant, VARIANT_GAINS[rank]!] as const).reverse());
    for (const cut of new Set([1, Math.ceil(lines.length * random()), Math.ceil(lines.length * random())])) {
      const query = { code: lines.slice(0, Math.max(1, cut)).join("\n"), before: [], markdown: "" };
      const { rows, cells } = await compareCandidates(library, query);
      const gains = cells.map(({ code }) => [worth.get(code) ?? 0]);
      if (gains.some(([gain]) => gain! > 0)) printLine({ kind: "similar", group: String(at), rows, gains });
    }
  }
}

async function compareCandidates(library: Library, query: LibraryQuery, looksBehind = false) {
  const vectors = await library.embedQuery(query);
  const following = looksBehind ? await library.findFollowing(query.before.at(-1)!) : new Map<number, number>();
  const found = new Set([...library.findCandidates(query, vectors), ...following.keys()]);
  const cells = [...found].map((row) => ({ ...library.cells[row]!, follows: following.get(row) }));
  const profile = profileQuery(query.code, query, idf, isOnce);
  const rows = compareCells(FEATURES, profile, vectors, cells).map((row) => Array.from(row, round));
  return { rows, cells };
}

function collectMaterial(): Material {
  const lines = shuffle(others, random).slice(0, 5000).flatMap(filledLines);
  const words = lines.flatMap((line) => line.match(/[a-z]{2,12}/g) ?? []).filter((word) => word !== "new");
  const comments = lines.filter((line) => /^\s*#/.test(line));
  return { words: shuffle(words, random).slice(0, 5000), comments, lines: lines.filter((line) => !/^\s*#/.test(line)) };
}

function codeOf({ cells }: CorpusNotebook): string[] {
  return cells.flatMap(({ type, source }) => (type === "code" && source.length < 20_000 ? [source] : []));
}

function round(value: number): number {
  return Math.round(value * 1e4) / 1e4;
}

function printLine(line: object): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}
