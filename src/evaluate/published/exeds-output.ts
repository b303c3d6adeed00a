import { isHashable, keyOf, type PythonValue, readLiteral } from "./python-value.js";

/** How to compare an output, as named in ExeDS's `answers.csv`. */
export const ANSWER_TYPES = ["number", "array number", "array tuple", "array str", "df", "str"] as const;
export type AnswerType = (typeof ANSWER_TYPES)[number];

interface PublishedVerdict {
  readonly match: boolean;
  /** Whether two texts are equal except for one line break at the end. */
  readonly strict: boolean;
  /** F1 between the pieces of the output and those of the best answer, as multisets. */
  readonly f1: number;
}

/** A list of Python values in a comparable form. */
type Values = readonly PythonValue[];

const ANSWER_COUNT = 3;
const WRONG: PublishedVerdict = { match: false, strict: false, f1: 0 };
/** Digits of every script, as Python's `\d`. */
const NUMBER = /-?\p{Nd}+\.?\p{Nd}*/gu;
const PIECE_END = /['\n",;()[\]]/;

/**
 * The verdict of ExeDS's published program on an output (`evaluate_execution.py`). docs/reference/metrics.md lists the
 * differences from `output-em`. The program always uses three answers; unused ones are empty, and an output of one line
 * break equals an empty answer. Every output counts as right if the answer type contains "array" but is not a known
 * type.
 */
export function judgePublishedOutput(output: string, answers: readonly string[], answerType: string): PublishedVerdict {
  const all = Array.from({ length: ANSWER_COUNT }, (_, at) => answers[at] ?? "");
  if (output === "") return WRONG;
  if (all.includes(output) || (output.endsWith("\n") && all.includes(output.slice(0, -1)))) {
    return { match: true, strict: true, f1: 1 };
  }
  const given = all.filter((answer) => answer !== "");
  switch (answerType) {
    case "number":
      return compare(numberOrPercentage(output), given.map(roundedNumbers));
    case "array number":
    case "array tuple":
      return compare([roundedNumbers(output)], given.map(roundedNumbers));
    case "array str":
      return compare(readArrays(output), given.map(readArray));
    case "df":
      return compare([readPieces(output)], given.map(readPieces));
    case "str":
      return compare(
        readPieces(output).map((piece) => [piece]),
        given.map((answer) => [toTextValue(answer)]),
      );
    default:
      return answerType.includes("array") ? { match: true, strict: false, f1: 1 } : WRONG;
  }
}

const toTextValue = (value: string): PythonValue => ({ type: "str", value });
const toRoundedNumber = (value: number): PythonValue => ({ type: "number", real: roundHalfEven(value), imaginary: 0 });

function readNumbers(output: string): number[] {
  const found = output.match(NUMBER) ?? [];
  return found.map((digits) => Number(digits.replace(/\p{Nd}/gu, (digit) => String(digitOf(digit)))));
}

const roundedNumbers = (output: string): Values => readNumbers(output).map(toRoundedNumber);

/** A single share may be meant as a percentage, and a single percentage as a share. */
function numberOrPercentage(output: string): Values[] {
  const numbers = readNumbers(output);
  const lists = [numbers.map(toRoundedNumber)];
  const [only] = numbers;
  if (only === undefined || numbers.length > 1) return lists;
  if (only > 0 && only < 1) lists.push([toRoundedNumber(only * 100)]);
  if (only > 1 && only < 100) lists.push([toRoundedNumber(only / 100)]);
  return lists;
}

/** `round(value, 2)`: half to even; only eighths can be exact ties. */
function roundHalfEven(value: number): number {
  if (!Number.isFinite(value) || Math.abs(value) >= 1e15) return value;
  const isTie = Number.isInteger(value * 8) && !Number.isInteger(value * 4);
  if (!isTie) return Number(value.toFixed(2));
  const below = Math.floor(value * 100);
  return (below % 2 === 0 ? below : below + 1) / 100;
}

/** The value of a decimal digit: the ten digits of a script are consecutive, from zero. */
function digitOf(digit: string): number {
  const code = digit.codePointAt(0)!;
  let zero = code;
  while (code - zero < 9 && /\p{Nd}/u.test(String.fromCodePoint(zero - 1))) zero -= 1;
  return code - zero;
}

function readPieces(output: string): PythonValue[] {
  return output
    .split(PIECE_END)
    .filter((piece) => /[^ ]/.test(piece))
    .map(toTextValue);
}

/** The items of a tuple, any other literal by itself, else the pieces. */
function readArray(output: string): Values {
  const value = readLiteral(output);
  if (value === null) return readPieces(output);
  return value.type === "tuple" ? value.items : [value];
}

/**
 * The readings of an output that are compared with an answer: each piece, all pieces together, each word, all words
 * together.
 */
function readArrays(output: string): Values[] {
  const pieces = readArray(output);
  const asList = (value: PythonValue): Values => (value.type === "list" ? value.items : [value]);
  const lists = pieces.map(asList);
  if (pieces.every(({ type }) => type === "list")) return lists;
  if (!pieces.every(({ type }) => type === "str")) return [...lists, pieces];
  const words = pieces.flatMap((piece) => (piece as PythonValue & { type: "str" }).value.split(" "));
  const found = words.filter((word) => word !== "").map(toTextValue);
  return [...lists, pieces, ...found.map((word) => [word]), found];
}

function compare(predictions: readonly Values[], answers: readonly Values[]): PublishedVerdict {
  const keys = (values: Values) => values.map(keyOf).join("\n");
  const right = new Set(answers.map(keys));
  const match = predictions.some((prediction) => right.has(keys(prediction)));
  if (predictions.length === 0 || answers.length === 0) return { match, strict: false, f1: 0 };
  const f1 = Math.max(
    ...predictions.map((prediction) => Math.max(...answers.map((answer) => bagF1(answer, prediction)))),
  );
  return { match, strict: false, f1 };
}

function bagF1(answer: Values, prediction: Values): number {
  if (answer.length === 0 || prediction.length === 0) return Number(answer.length === prediction.length);
  const shared = countShared(answer, prediction);
  if (shared === 0) return 0;
  const precision = shared / answer.length;
  const recall = shared / prediction.length;
  return (2 * precision * recall) / (precision + recall);
}

/**
 * Counts the values that both have. Unhashable values cannot be in a multiset, so for them the program counts which
 * values of the answer occur at all.
 */
function countShared(answer: Values, prediction: Values): number {
  const left = new Map<string, number>();
  for (const value of prediction) left.set(keyOf(value), (left.get(keyOf(value)) ?? 0) + 1);
  if (![...answer, ...prediction].every(isHashable)) return answer.filter((value) => left.has(keyOf(value))).length;
  let shared = 0;
  for (const value of answer) {
    const count = left.get(keyOf(value)) ?? 0;
    if (count === 0) continue;
    left.set(keyOf(value), count - 1);
    shared += 1;
  }
  return shared;
}
