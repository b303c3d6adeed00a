import type { Feature } from "./feature.js";

/** Share of the words of the query's comments found in the cell's comments or code: `# split the data` says what comes. */
export const remarks: Feature = { name: "remarks", sign: 1, value: ({ overlap }) => overlap.share.remarks };
