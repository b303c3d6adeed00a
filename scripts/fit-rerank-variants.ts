import { type Random, renameRandomly } from "./train-embedder-rename.js";

/** The sources of variants: words for names, and lines of comments and code from other cells. */
export interface Material {
  readonly words: readonly string[];
  readonly comments: readonly string[];
  readonly lines: readonly string[];
}

/** Variants with increasing changes: renamed variables, then unrelated comments, then unrelated lines. */
export function makeVariants(code: string, material: Material, random: Random): string[] {
  const renamed = renameRandomly(code, material.words, random);
  const commented = between(renamed, () => pick(material.comments, random), 0.3 + 0.7 * random(), random);
  const scrambles = random() < 0.5;
  const foreign = (line: string) => (scrambles ? scramble(line, random) : pick(material.lines, random));
  return [renamed, commented, between(commented, foreign, 0.5 + 0.5 * random(), random)];
}

function between(code: string, extra: (line: string) => string, share: number, random: Random): string {
  return code
    .split("\n")
    .flatMap((line) => (random() < share ? [line, extra(line)] : [line]))
    .join("\n");
}

/** The line with the letters of each word shuffled. */
function scramble(line: string, random: Random): string {
  return line.replace(/[A-Za-z]{2,}/g, (word) => {
    const letters = [...word];
    for (let at = letters.length - 1; at > 0; at -= 1) {
      const other = Math.floor(random() * (at + 1));
      [letters[at], letters[other]] = [letters[other]!, letters[at]!];
    }
    return letters.join("");
  });
}

function pick(items: readonly string[], random: Random): string {
  return items[Math.floor(random() * items.length)] ?? "";
}
