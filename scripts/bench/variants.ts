import type { Mutator } from "../../src/evaluate/mutator.js";
import { createRandom } from "../../src/evaluate/statistics/random.js";

/** Operators that one variant goes through at most; more make cells that nobody would write. */
const MOST_OPERATORS = 4;
/** Rounds without anything new, one after another, that mean there is nothing more to make. */
const FUTILE_ROUNDS = 3;

/**
 * `count` distinct cells out of real ones: first these, then what operators that keep the meaning make of them, so that the
 * neighbours of a cell are like those in a real corpus. Fewer where the operators run out. The same ones in every run.
 */
export function* makeVariants(
  real: readonly string[],
  operators: readonly Mutator[],
  count: number,
): Generator<string> {
  const preserving = operators.filter(({ kind }) => kind === "preserving");
  const random = createRandom(13);
  const made = new Set<string>();
  const isNew = (code: string) => {
    if (code.trim() === "" || made.size >= count || made.has(code)) return false;
    made.add(code);
    return true;
  };
  for (const code of real) if (isNew(code)) yield code;
  for (let futile = 0; made.size < count && futile < FUTILE_ROUNDS; ) {
    const before = made.size;
    for (const code of real) {
      if (made.size >= count) return;
      const chosen = preserving.filter(() => random() < MOST_OPERATORS / preserving.length);
      const variant = chosen.reduce((text, operator) => operator.apply(text), code);
      if (isNew(variant)) yield variant;
    }
    futile = made.size === before ? futile + 1 : 0;
  }
}
