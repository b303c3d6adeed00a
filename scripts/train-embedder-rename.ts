import { isRenamable, nameRoles } from "../src/python/name-roles.js";
import { tokenize } from "../src/python/tokenize.js";

/** A random number in [0, 1). */
export type Random = () => number;

/** The small generator mulberry32: the same pairs from the same seed, on every machine. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

export function shuffle<T>(items: Iterable<T>, random: Random): T[] {
  return [...items]
    .map((item) => [random(), item] as const)
    .sort(([left], [right]) => left - right)
    .map(([, item]) => item);
}

/**
 * Renames the code's variables: most free names become other words of the pool, or get one as a part. Names of classes
 * and called functions keep their words, because people do not rename those of a library.
 */
export function renameRandomly(code: string, pool: readonly string[], random: Random): string {
  const tokens = tokenize(code);
  const roles = nameRoles(tokens);
  const names = new Map<string, string>();
  const keep = 0.1 + 0.5 * random();
  let renamed = "";
  let done = 0;
  for (const [at, { start, end, text }] of tokens.entries()) {
    if (!isRenamable(roles[at])) continue;
    const foreign = /^[A-Z]/.test(text) || tokens[at + 1]?.text === "(" || tokens[at + 1]?.text === ".";
    if (!names.has(text)) names.set(text, random() < keep ? text : otherName(text, foreign, pool, random));
    renamed += code.slice(done, start) + names.get(text)!;
    done = end;
  }
  return renamed + code.slice(done);
}

function otherName(name: string, foreign: boolean, pool: readonly string[], random: Random): string {
  const word = () => pool[Math.floor(random() * pool.length)] ?? "value";
  const style = random();
  if (foreign ? style < 0.45 : style < 0.25) return `${word()}_${name}`;
  if (foreign ? style < 0.8 : style < 0.45) return `${name}_${word()}`;
  return random() < 0.6 ? word() : `${word()}_${word()}`;
}
