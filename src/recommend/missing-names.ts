import { freeNames } from "../python/name-roles.js";
import { neededNames } from "../python/needed-names.js";
import { tokenize } from "../python/tokenize.js";

/** What an insertion lacks to run; null where there is none. */
export type Lack = "nothing" | "names" | null;

interface LackContext {
  readonly before?: readonly string[] | undefined;
  readonly variables?: Readonly<Record<string, string>> | undefined;
}

/** Characters of an insertion that are read. */
const MAX_CHARACTERS = 20_000;

/**
 * Whether an insertion needs names that stand nowhere in the typed code, the cells above or the kernel. Where nothing is known of the
 * notebook, nothing is missed.
 */
export function createLackCheck(
  typed: string,
  { before = [], variables = {} }: LackContext,
): (insert: string, continuesLine: boolean) => Lack {
  let known: Set<string> | undefined;
  const readKnown = () => {
    const texts = [...before, typed].map((code) => code.slice(-MAX_CHARACTERS));
    return new Set([...Object.keys(variables), ...texts.flatMap(namesIn)]);
  };
  const isKnown = before.some((code) => code.trim() !== "") || Object.keys(variables).length > 0;
  return (insert, continuesLine) => {
    if (insert === "") return null;
    if (!isKnown) return "nothing";
    known ??= readKnown();
    const names = known;
    const whole = typed.slice(-MAX_CHARACTERS) + (continuesLine ? "" : "\n") + insert.slice(0, MAX_CHARACTERS);
    return [...neededNames(whole)].some((name) => !names.has(name)) ? "names" : "nothing";
  };
}

function namesIn(code: string): string[] {
  return freeNames(tokenize(code)).map(({ text }) => text);
}
