import type { Feature } from "./feature.js";

/** The same of the words that renaming leaves: attributes, calls, keyword arguments, modules, literals. */
export const fixedCoverage: Feature = { name: "fixed-coverage", sign: 1, value: ({ overlap }) => overlap.share.fixed };
