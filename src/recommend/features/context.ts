import type { Feature } from "./feature.js";

/** How the cell goes with the cells before the query, and with the Markdown above it. */
export const beforeCosine: Feature = {
  name: "before-cosine",
  sign: 1,
  value: (comparison) => comparison.beforeCosine,
};
export const beforeBm25: Feature = {
  name: "before-bm25",
  sign: 1,
  relative: true,
  value: ({ overlap }) => overlap.bm25.before,
};
export const beforeCoverage: Feature = {
  name: "before-coverage",
  sign: 1,
  value: ({ overlap }) => overlap.share.before,
};
export const markdownCosine: Feature = {
  name: "markdown-cosine",
  sign: 1,
  value: (comparison) => comparison.markdownCosine,
};
export const markdownBm25: Feature = {
  name: "markdown-bm25",
  sign: 1,
  relative: true,
  value: ({ overlap }) => overlap.bm25.markdown,
};
export const markdownCoverage: Feature = {
  name: "markdown-coverage",
  sign: 1,
  value: ({ overlap }) => overlap.share.markdown,
};
