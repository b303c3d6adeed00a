/** Keeps the division of the package defined. */
const EPSILON = 1e-8;

/**
 * ROUGE-L as the Python package `rouge` 1.0.1 counts it, which ExeDS prints: texts are cut into sentences at every dot and
 * into words at white space, and words count once; F1 of the words in the union of all longest common subsequences. Null
 * where the package raises, because a text has no sentence.
 */
export function rougePackageL(prediction: string, reference: string): number | null {
  const [given, wanted] = [sentences(prediction), sentences(reference)];
  if (given.length === 0 || wanted.length === 0) return null;
  const union = new Set<string>();
  for (const one of wanted) for (const other of given) for (const word of commonWords(one, other)) union.add(word);
  const recall = union.size / new Set(wanted.flat()).size;
  const precision = union.size / new Set(given.flat()).size;
  return (2 * precision * recall) / (precision + recall + EPSILON);
}

/** Python's white space. */
const SPACE = /[\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+/;

/** A sentence without words is one empty word. */
function sentences(text: string): string[][] {
  return text
    .split(".")
    .filter((sentence) => sentence !== "")
    .map((sentence) => sentence.split(SPACE).filter((word) => word !== ""))
    .map((words) => (words.length === 0 ? [""] : words));
}

/** The words of one longest common subsequence: the one that the package finds, walking back from the ends. */
function commonWords(a: readonly string[], b: readonly string[]): string[] {
  const width = b.length + 1;
  const table = new Uint32Array((a.length + 1) * width);
  for (let row = 1; row <= a.length; row += 1) {
    for (let column = 1; column < width; column += 1) {
      const at = row * width + column;
      const isEqual = a[row - 1] === b[column - 1];
      table[at] = isEqual ? table[at - width - 1]! + 1 : Math.max(table[at - width]!, table[at - 1]!);
    }
  }
  const words: string[] = [];
  let [row, column] = [a.length, b.length];
  while (row > 0 && column > 0) {
    const at = row * width + column;
    if (a[row - 1] === b[column - 1]) {
      words.push(a[row - 1]!);
      row -= 1;
      column -= 1;
    } else if (table[at - width]! > table[at - 1]!) row -= 1;
    else column -= 1;
  }
  return words;
}
