import type { ParsedCell } from "./edits.js";

/** Every word of the code, which new names must avoid. */
export function wordsOf(code: string): Set<string> {
  return new Set(code.match(/[\p{L}_][\p{L}\p{N}_]*/gu));
}

/** The first free name of `base`, `base2`, `base3`, ..., which is then marked as taken. */
export function freshName(base: string, taken: Set<string>): string {
  let name = base;
  for (let number = 2; taken.has(name); number += 1) name = `${base}${number}`;
  taken.add(name);
  return name;
}

/** Builtins that can access any variable by its name. */
const LOOKUP = /^(?:eval|exec|locals|globals|vars|dir)$/;

/**
 * Names that must not change because text may refer to them at run time: words of magics and of longer strings (formulas,
 * queries, templates), and every word of a cell that looks up variables by their names.
 */
export function namesInText({ code, root, tokens }: ParsedCell): Set<string> {
  const looksUp = tokens.some(
    ({ text }, at) => LOOKUP.test(text) && tokens[at - 1]?.text !== "." && tokens[at + 1]?.text === "(",
  );
  if (looksUp) return wordsOf(code);
  const texts = tokens.filter(({ kind }) => kind === "magic").map(({ text }) => text);
  for (const { text } of root.descendantsOfType("string_content")) if (!/^\w*$/.test(text)) texts.push(text);
  return wordsOf(texts.join("\n"));
}
