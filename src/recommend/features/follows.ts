import type { Feature } from "./feature.js";

/**
 * How like the cell before the query is the one that this cell stands behind in its own notebook. To the fourth power,
 * because only close likeness tells what comes next.
 */
export const follows: Feature = { name: "follows", sign: 1, value: (comparison) => comparison.follows ** 4 };
