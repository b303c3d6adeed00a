import type { Feature } from "./feature.js";

/** Share of the cell's calls that the query or the cells before it make: people go on with the tools they have in hand. */
export const knownCalls: Feature = { name: "known-calls", sign: 1, ofCalls: true, value: ({ calls }) => calls.known };

/** Log of how many calls the cell would add. */
export const addedCalls: Feature = {
  name: "added-calls",
  sign: 0,
  ofCalls: true,
  value: ({ calls }) => Math.log1p(calls.added),
};

/** Share of all that the candidates would add which others would and this one has, too. */
export const sharedCalls: Feature = {
  name: "shared-calls",
  sign: 1,
  ofCalls: true,
  value: ({ calls }) => calls.shared,
};

/** How many of the candidates, on average, make a call that this one would add. */
export const commonCalls: Feature = {
  name: "common-calls",
  sign: 1,
  ofCalls: true,
  value: ({ calls }) => calls.common,
};
