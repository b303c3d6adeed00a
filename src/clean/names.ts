import type { ParsedCell } from "./edits.js";

/** Every word of the code, so that a new name can be chosen that is none of them. */
export function wordsOf(code: string): Set<string> {
  return new Set(code.match(/[\p{L}_][\p{L}\p{N}_]*/gu));
}

/** `base`, or `base2`, `base3`, ...: the first that is not taken; it then is. */
export function freshName(base: string, taken: Set<string>): string {
  let name = base;
  for (let number = 2; taken.has(name); number += 1) name = `${base}${number}`;
  taken.add(name);
  return name;
}

/**
 * Names that text may refer to at run time, where renaming the variable would miss them: words of magics, words of
 * longer strings (formulas, queries, templates) and, where the cell looks names up by their text, every word of a string.
 */
export function namesInText({ root, tokens }: ParsedCell): Set<string> {
  const found = new Set<string>();
  const add = (text: string) => {
    for (const word of wordsOf(text)) found.add(word);
  };
  for (const { kind, text } of tokens) if (kind === "magic") add(text);
  const lookups = tokens.some(({ text }) => /^(?:eval|exec|locals|globals|vars|dir|query)$/.test(text));
  for (const content of root.descendantsOfType("string_content")) {
    if (lookups || !/^\w*$/.test(content.text)) add(content.text);
  }
  return found;
}
