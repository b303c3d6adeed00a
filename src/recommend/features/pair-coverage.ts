import type { Feature } from "./feature.js";

/** Share of the query's neighbouring words that are neighbours in the cell too, weighted by idf. */
export const pairCoverage: Feature = { name: "pair-coverage", sign: 1, value: ({ overlap }) => overlap.pairs };
