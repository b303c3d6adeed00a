import type { Feature } from "./feature.js";

/** Share of the words of the query's last line found in the cell: what is being typed right now. */
export const lastLine: Feature = { name: "last-line", sign: 1, value: ({ overlap }) => overlap.share.last };
