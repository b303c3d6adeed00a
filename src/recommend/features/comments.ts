import type { Feature } from "./feature.js";

/** Share of the cell's lines that are comments alone. */
export const comments: Feature = {
  name: "comments",
  sign: -1,
  value: ({ cell }) => cell.comments / Math.max(1, cell.comments + cell.lines.length),
};
