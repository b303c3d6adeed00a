/** None of these patterns backtracks, so the time is linear in the length of the output. */
const NUMBER = /[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?/g;
/** numpy 2 shows its scalars with their type: `np.float64(0.5)`. */
const SCALAR = /\bnp\.\w+\(([^()]*)\)/g;
/** A line that says what its value is: `mean: 3`, `n = 4`. */
const NAMED_VALUE = /^[A-Za-z][\w .,%()'-]*(?:[^\S ]\s*)?[:=]\s*(?=\S)/;
/** Words around numbers on one line, without brackets or other structure. */
const SENTENCE = /^[^[\]{}'"|\n]*$/;
const DECIMALS = 2;

/**
 * Normalises an output for OutputEM. Numbers are rounded to two decimals and white space is normalised. Text that explains
 * a printed value is dropped: text before a colon or equals sign, and in a one-line output all words next to numbers. Tables,
 * lists and dictionaries keep their words, because these are content.
 * @example outputValue("Mean age: 29.699") // "29.70"
 */
export function outputValue(output: string): string {
  const text = output.replace(SCALAR, "$1").trim();
  const lines = text.split("\n").map((line) => line.trim());
  const bare = lines.map((line) => line.replace(NAMED_VALUE, ""));
  const numbers = bare.length === 1 && SENTENCE.test(bare[0]!) ? bare[0]!.match(WORD_NUMBER) : null;
  const value = numbers === null ? bare.filter((line) => line !== "").join("\n") : numbers.join(" ");
  return value
    .replace(NUMBER, round)
    .replace(/[^\S\n]+/g, " ")
    .trim();
}

/** A separate number: the 1 of `x1` is part of a name, and the dash of `2020-01` is not a minus. */
const WORD_NUMBER = /(?<![\w.])[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?(?![\w-])/g;

/** `-0.00` is `0.00`; a number too large for decimals stays as it is written by JavaScript. */
function round(text: string): string {
  const value = Number(text);
  if (!Number.isFinite(value)) return text;
  const fixed = Math.abs(value) < 1e15 ? value.toFixed(DECIMALS) : String(value);
  return Number(fixed) === 0 ? (0).toFixed(DECIMALS) : fixed;
}
