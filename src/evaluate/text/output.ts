/** In all of these every character can be read in one way only, so that the work grows with the length of the output. */
const NUMBER = /[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?/g;
/** numpy 2 shows its scalars with their type: `np.float64(0.5)`. */
const SCALAR = /\bnp\.\w+\(([^()]*)\)/g;
/** A line that says what its value is: `mean: 3`, `n = 4`. */
const NAMED_VALUE = /^[A-Za-z][\w .,%()'-]*(?:[^\S ]\s*)?[:=]\s*(?=\S)/;
/** Words around numbers on one line, and nothing that has a structure of its own. */
const SENTENCE = /^[^[\]{}'"|\n]*$/;
const DECIMALS = 2;

/**
 * What an output says, for OutputEM: numbers rounded to two decimals, white space normalised, and the strings that
 * explain a printed value dropped: what stands before a colon or equals sign, and in an output of one line all words
 * beside numbers. Tables, lists and dictionaries keep their words, because these are content.
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

/** A number that stands by itself: the 1 of `x1` is part of a name, the dash of `2020-01` is no minus. */
const WORD_NUMBER = /(?<![\w.])[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?(?![\w-])/g;

/** `-0.00` is `0.00`; a number too large for decimals stays as it is written by JavaScript. */
function round(text: string): string {
  const value = Number(text);
  if (!Number.isFinite(value)) return text;
  const fixed = Math.abs(value) < 1e15 ? value.toFixed(DECIMALS) : String(value);
  return Number(fixed) === 0 ? (0).toFixed(DECIMALS) : fixed;
}
