import type { Feature } from "./feature.js";

/** Whether the cell starts with the query's first line. */
export const firstLine: Feature = {
  name: "first-line",
  sign: 1,
  value: ({ query, cell }) => same(query.code.lines, cell.lines),
};

/** The same where free names may differ. */
export const firstShape: Feature = {
  name: "first-shape",
  sign: 1,
  value: ({ query, cell }) => same(query.code.shapes, cell.shapes),
};

function same(wanted: Int32Array, lines: Int32Array): number {
  return wanted.length > 0 && wanted[0] === lines[0] ? 1 : 0;
}
