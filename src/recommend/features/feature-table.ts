import type { ProfileView } from "../../store/profile-pack.js";
import type { Feature } from "./compare-cells.js";
import { indexIn } from "./overlap.js";

/**
 * All features. Never add a feature that prefers unknown words, undoes prefixes or drops mirrored lines: it would
 * recognise the evaluation's mutants without helping users.
 */
export const FEATURES: readonly Feature[] = [
  {
    name: "cosine",
    about: "cosine of the vectors of the typed code and of the cell",
    sign: 1,
    value: (comparison) => comparison.cosine,
  },
  {
    name: "bm25",
    about: "BM25 over subwords, relative to the best candidate",
    sign: 1,
    relative: true,
    value: ({ overlap }) => overlap.bm25.code,
  },
  {
    name: "coverage",
    about: "share of the typed words found in the cell, weighted by how rare they are",
    sign: 1,
    value: ({ overlap }) => overlap.share.code,
  },
  {
    name: "fixed-coverage",
    about:
      "coverage of the words that do not change when variables are renamed: attributes, calls, keyword arguments, modules, literals",
    sign: 1,
    value: ({ overlap }) => overlap.share.fixed,
  },
  {
    name: "pair-coverage",
    about: "share of the pairs of adjacent typed words that are also adjacent in the cell",
    sign: 1,
    value: ({ overlap }) => overlap.pairs,
  },
  {
    name: "early-coverage",
    about: "share of the typed words found near the cell's start, because users type the start of a cell",
    sign: 1,
    value: ({ overlap }) => overlap.early,
  },
  {
    name: "last-line",
    about: "share of the words of the last typed line found in the cell",
    sign: 1,
    value: ({ overlap }) => overlap.share.last,
  },
  {
    name: "remarks",
    about:
      "share of the words of the typed comments found in the cell, because comments such as `# split the data` announce code",
    sign: 1,
    value: ({ overlap }) => overlap.share.remarks,
  },
  {
    name: "lines-in-order",
    about: "share of the typed lines that the cell has in the same order; free names may differ",
    sign: 1,
    value: ({ query, cell }) => shareInOrder(query.code.shapes, cell, cell.shapes, query.lineWeights),
  },
  {
    name: "same-lines",
    about: "share of the typed lines that the cell has in the same order, with the same names",
    sign: 1,
    value: ({ query, cell }) => shareInOrder(query.code.lines, cell, cell.lines, query.lineWeights),
  },
  {
    name: "first-line",
    about: "whether the cell starts with the first typed line",
    sign: 1,
    value: ({ query, cell }) => startsAlike(query.code.lines, cell, cell.lines),
  },
  {
    name: "first-shape",
    about: "whether the cell starts with the first typed line; free names may differ",
    sign: 1,
    value: ({ query, cell }) => startsAlike(query.code.shapes, cell, cell.shapes),
  },
  {
    name: "longer",
    about: "log of how much longer the cell is than the typed code; 0 if it is shorter",
    sign: 0,
    value: ({ query, cell }) => Math.max(0, logRatio(cell.length, query.code.length)),
  },
  {
    name: "shorter",
    about: "log of how much shorter the cell is than the typed code, because a shorter cell cannot complete it",
    sign: -1,
    value: ({ query, cell }) => Math.max(0, -logRatio(cell.length, query.code.length)),
  },
  {
    name: "long",
    about: "log of the length beyond about 600 characters, because users do not read longer ones",
    sign: -1,
    value: ({ cell }) => Math.max(0, logRatio(cell.length, 600)),
  },
  {
    name: "unlike-length",
    about: "log of how much longer or shorter the cell is than the cells before usually are",
    sign: -1,
    value: ({ query, cell }) => Math.abs(logRatio(cell.length, query.usualLength)),
  },
  {
    name: "comments",
    about: "share of the cell's lines that are only a comment",
    sign: -1,
    value: ({ cell }) => cell.comments / Math.max(1, cell.comments + cell.lineCount),
  },
  {
    name: "known-calls",
    about: "share of the cell's calls that the typed code or the cells before make as well",
    sign: 1,
    ofCalls: true,
    value: ({ calls }) => calls.known,
  },
  {
    name: "done-calls",
    about:
      "share of the added calls that the cells before already make and that notebooks rarely repeat, such as splitting the data",
    sign: -1,
    ofCalls: true,
    value: ({ calls }) => calls.done,
  },
  {
    name: "open-call",
    about: "whether the cell makes the call whose bracket is open at the cursor",
    sign: 1,
    value: ({ query, cell }) =>
      query.openCall !== 0 && indexIn(cell.integers, cell.calls, cell.callCount, query.openCall) !== -1 ? 1 : 0,
  },
  {
    name: "added-calls",
    about: "log of how many calls the cell would add",
    sign: 0,
    ofCalls: true,
    value: ({ calls }) => Math.log1p(calls.added),
  },
  {
    name: "shared-calls",
    about: "of all calls that the candidates would add, the share that this cell and another one would add",
    sign: 1,
    ofCalls: true,
    value: ({ calls }) => calls.shared,
  },
  {
    name: "common-calls",
    about: "how many of the candidates, on average, make a call that this one would add",
    sign: 1,
    ofCalls: true,
    value: ({ calls }) => calls.common,
  },
  ...contextFeatures("before", "the cells before", "the cell before"),
  ...contextFeatures("markdown", "the Markdown above"),
  {
    name: "follows",
    // Raised to the fourth power, because only close similarity predicts the next cell.
    about: "similarity of the cell above the cursor to the cell above this one in its own notebook",
    sign: 1,
    value: (comparison) => comparison.follows ** 4,
  },
  {
    name: "mixed-cosine",
    about: "cosine of the vectors of the typed code with its context and of the cell",
    sign: 1,
    value: (comparison) => comparison.mixedCosine,
  },
  {
    name: "typed-length",
    about: "log of the length of the typed code, because other features count more if little is typed",
    sign: 0,
    value: ({ query }) => Math.log(query.code.length + 20),
  },
  {
    name: "repeated-lines",
    about: "share of the cell's lines that are typed already; free names may differ",
    sign: 0,
    value: ({ query, cell }) => shareOfShapes(cell, query.code.shapes),
  },
  {
    name: "words-behind",
    about: "log of the number of words after the last typed line, which is about the length of the insertion",
    sign: 0,
    ofBehind: true,
    value: ({ behind }) => Math.log1p(behind.words),
  },
  {
    name: "share-behind",
    about: "share of the cell's words that come after the last typed line",
    sign: 0,
    ofBehind: true,
    value: ({ behind }) => behind.share,
  },
  {
    name: "known-behind",
    about: "share of the words after the last typed line that the typed code or the cells before contain",
    sign: 1,
    ofBehind: true,
    value: ({ behind }) => behind.known,
  },
];

/** The three features of one part of the context: cosine, BM25 and coverage. */
function contextFeatures(part: "before" | "markdown", words: string, nearest = words): Feature[] {
  return [
    {
      name: `${part}-cosine`,
      about: `cosine of the vectors of ${nearest} and of this cell`,
      sign: 1,
      value: (comparison) => comparison[`${part}Cosine`],
    },
    {
      name: `${part}-bm25`,
      about: `BM25 for the words of ${words}, relative to the best candidate`,
      sign: 1,
      relative: true,
      value: ({ overlap }) => overlap.bm25[part],
    },
    {
      name: `${part}-coverage`,
      about: `share of the words of ${words} found in the cell`,
      sign: 1,
      value: ({ overlap }) => overlap.share[part],
    },
  ];
}

/** Adds 20 characters to both lengths, which keeps the ratio small while only a few letters are typed. */
function logRatio(length: number, other: number): number {
  return Math.log((length + 20) / (other + 20));
}

/**
 * The weighted share of the wanted lines that the cell has in the same order. The search is greedy: it looks for each
 * line after the previous match, and skips a missing line. The list of the cell's lines starts at index `lines` of
 * `integers`.
 */
export function shareInOrder(
  wanted: Int32Array,
  { integers, lineCount }: ProfileView,
  lines: number,
  weights: Float64Array,
): number {
  let total = 0;
  let found = 0;
  let from = 0;
  for (let line = 0; line < wanted.length; line += 1) {
    total += weights[line]!;
    const index = indexIn(integers, lines, lineCount, wanted[line]!, from);
    if (index === -1) continue;
    found += weights[line]!;
    from = index + 1;
  }
  return total === 0 ? 0 : found / total;
}

/** 1 if the typed code and the cell start with the same line, else 0. */
export function startsAlike(wanted: Int32Array, { integers, lineCount }: ProfileView, lines: number): number {
  return wanted.length > 0 && lineCount > 0 && wanted[0] === integers[lines] ? 1 : 0;
}

/** Share of the cell's lines that equal a wanted line, ignoring variable names. */
function shareOfShapes({ integers, shapes, lineCount }: ProfileView, wanted: Int32Array): number {
  let found = 0;
  for (let at = 0; at < lineCount; at += 1) if (wanted.includes(integers[shapes + at]!)) found += 1;
  return found / Math.max(1, lineCount);
}
