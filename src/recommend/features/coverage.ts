import type { Feature } from "./feature.js";

/** Share of the query's words found in the cell, weighted by idf. */
export const coverage: Feature = { name: "coverage", sign: 1, value: ({ overlap }) => overlap.share.code };
