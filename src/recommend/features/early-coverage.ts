import type { Feature } from "./feature.js";

/** Share of the query's words found near the cell's start: what is typed is the start of a cell. */
export const earlyCoverage: Feature = { name: "early-coverage", sign: 1, value: ({ overlap }) => overlap.early };
