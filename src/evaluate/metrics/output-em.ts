import { type AnswerType, judgePublishedOutput } from "../published/exeds-output.js";
import { readLiteral } from "../published/python-value.js";
import type { TextMetric } from "./metric.js";

/**
 * output-em = 1 if the output of the predicted cell has the same values as the output of the real one (ExeDS), else 0.
 * Numbers are rounded to two decimals, white space is normalised, and text that explains printed values is dropped. The
 * compared texts are outputs, not code. A prediction that printed nothing or did not run scores 0.
 */
export const outputEm: TextMetric = {
  kind: "text",
  name: "output-em",
  description: "Share of the cases where the executed prediction prints what the real cell prints.",
  better: "higher",
  cut: false,
  combine: "best",
  of: (result, { reference }) => {
    const given = outputValue(result.raw);
    return given !== "" && given === outputValue(reference.raw) ? 1 : 0;
  },
};

/** None of these patterns backtracks, so the time is linear in the length of the output. */
const NUMBER = /[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?/g;
/** numpy 2 shows its scalars with their type: `np.float64(0.5)`. */
const SCALAR = /\bnp\.\w+\(([^()]*)\)/g;
/** A line with a name and a value: `mean: 3`, `n = 4`. */
const NAMED_VALUE = /^[A-Za-z][\w .,%()'-]*(?:[^\S ]\s*)?[:=]\s*(?=\S)/;
/** A single line of words and numbers without brackets or other structure. */
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

/** Matches a separate number, so not the 1 of `x1`. The dash of `2020-01` is not a minus. */
const WORD_NUMBER = /(?<![\w.])[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?(?![\w-])/g;

/** `-0.00` is `0.00`; a number too large for decimals stays as it is written by JavaScript. */
function round(text: string): string {
  const value = Number(text);
  if (!Number.isFinite(value)) return text;
  const fixed = Math.abs(value) < 1e15 ? value.toFixed(DECIMALS) : String(value);
  return Number(fixed) === 0 ? (0).toFixed(DECIMALS) : fixed;
}

/**
 * output-em-published = 1 if ExeDS's own program judges the output as right, else 0. docs/reference/metrics.md lists
 * the differences from output-em. The program compares by an answer type that people assigned. If a case has none, the
 * type is chosen by the form of the reference. A prediction that printed nothing scores 0.
 */
export const outputEmPublished: TextMetric = {
  kind: "text",
  name: "output-em-published",
  description: "Share of the cases that the program of ExeDS judges as right.",
  better: "higher",
  cut: false,
  combine: "best",
  of: (result, { reference }) =>
    Number(judgePublishedOutput(result.raw, [reference.raw], guessAnswerType(reference.raw)).match),
};

const ANY_DIGIT = /\p{Nd}+/u;

/**
 * The answer type of an output without an assigned type. A Python literal has the type of its value. Otherwise several
 * lines are `df`, one line with numbers is `number` or `array number`, and anything else is `str`.
 */
export function guessAnswerType(output: string): AnswerType {
  const value = readLiteral(output.trim());
  if (value !== null) {
    if (value.type === "number" || value.type === "bool") return "number";
    if (value.type === "str" || value.type === "bytes") return "str";
    if (value.type === "list" || value.type === "tuple" || value.type === "set") {
      if (value.items.length > 0 && value.items.every(({ type }) => type === "str")) return "array str";
      return value.items.some(({ type }) => type === "tuple") ? "array tuple" : "array number";
    }
  }
  if (output.trim().includes("\n")) return "df";
  if (!ANY_DIGIT.test(output)) return "str";
  return (output.match(/\p{Nd}+(?:\.\p{Nd}*)?/gu) ?? []).length === 1 ? "number" : "array number";
}
