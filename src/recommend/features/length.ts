import type { Feature } from "./feature.js";

/** Log of how much longer the raw cell is than the query; 0 where it is not. */
export const longer: Feature = {
  name: "longer",
  sign: 0,
  value: ({ query, cell }) => Math.max(0, ratio(cell.length, query.code.length)),
};

/** Log of how much shorter. A cell that ends before the query cannot complete it. */
export const shorter: Feature = {
  name: "shorter",
  sign: -1,
  value: ({ query, cell }) => Math.max(0, -ratio(cell.length, query.code.length)),
};

/** Log of the raw length beyond some 600 characters: nobody reads a recommendation of three screens. */
export const long: Feature = {
  name: "long",
  sign: -1,
  value: ({ cell }) => Math.max(0, Math.log((cell.length + 20) / 620)),
};

function ratio(cell: number, query: number): number {
  return Math.log((cell + 20) / (query + 20));
}
