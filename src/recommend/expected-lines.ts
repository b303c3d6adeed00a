import { hashText } from "../python/profile.js";
import { mayHaveWords } from "../store/profile-pack.js";
import { type ExpectedLine, readLineWords } from "./query.js";

/** Checks a cell's packed profile: false only if the cell certainly has none of the expected lines. */
export function createMayExpect(expected: readonly ExpectedLine[]): (profile: Uint8Array | undefined) => boolean {
  const lines = expected.map(({ text }) => [...readLineWords(text).keys()].map(hashText));
  return (profile) => profile === undefined || lines.some((words) => mayHaveWords(profile, words));
}

/**
 * Creates a function that returns the probability that a cell, with the user's variable names, starts with an expected
 * line. An expected import may be any of the leading imports. Otherwise, leading imports and comments are skipped, since
 * the notebook may already have them.
 */
export function createStartProbability(expected: readonly ExpectedLine[]): (adapted: string) => number {
  const chances = new Map(expected.map(({ text, confidence }) => [normalize(text), confidence]));
  return (adapted) => {
    let best = 0;
    for (const line of adapted.split("\n").map((each) => each.trim())) {
      if (line === "" || line.startsWith("#")) continue;
      best = Math.max(best, chances.get(normalize(line)) ?? 0);
      if (!/^(?:import|from) /.test(line)) break;
    }
    return best;
  };
}

/** A key that is equal for lines that differ only in white space, quotes or a trailing comment. */
function normalize(line: string): string {
  return line
    .replace(/\s+#.*$/, "")
    .replaceAll('"', "'")
    .replace(/\s+/g, "");
}
