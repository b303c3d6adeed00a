import type { Feature } from "./feature.js";

/** Cosine of the query's vector and the cell's. */
export const cosine: Feature = { name: "cosine", sign: 1, value: (comparison) => comparison.cosine };
