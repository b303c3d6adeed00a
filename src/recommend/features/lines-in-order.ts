import type { Feature } from "./feature.js";

/** Share of the query's lines, weighted by their words, that the cell has in the same order; free names may differ. */
export const linesInOrder: Feature = {
  name: "lines-in-order",
  sign: 1,
  value: ({ query, cell }) => shareInOrder(query.code.shapes, cell.shapes, query.lineWeights),
};

/** The same with the names as they are. */
export const sameLines: Feature = {
  name: "same-lines",
  sign: 1,
  value: ({ query, cell }) => shareInOrder(query.code.lines, cell.lines, query.lineWeights),
};

/** Greedy: each line is looked for behind the place of the one found before it, and skipped where it is not there. */
function shareInOrder(wanted: Int32Array, lines: Int32Array, weights: Float64Array): number {
  let total = 0;
  let found = 0;
  let next = 0;
  for (let at = 0; at < wanted.length; at += 1) {
    total += weights[at]!;
    const place = lines.indexOf(wanted[at]!, next);
    if (place === -1) continue;
    found += weights[at]!;
    next = place + 1;
  }
  return total === 0 ? 0 : found / total;
}
