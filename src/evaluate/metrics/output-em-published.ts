import { type AnswerType, judgePublishedOutput } from "../published/exeds-output.js";
import { readLiteral } from "../published/python-value.js";
import type { TextMetric } from "./metric.js";

/**
 * output-em-published = 1 where ExeDS's own program calls the output right, with all its oddities (docs/reference/metrics.md
 * has each difference from output-em). It compares by an answer type that people assigned; where a case has none, it is
 * chosen by what the reference looks like. Texts are outputs here. A prediction that printed nothing scores 0.
 */
export const outputEmPublished: TextMetric = {
  kind: "text",
  name: "output-em-published",
  description: "Share of the cases that the program of ExeDS calls right.",
  better: "higher",
  cut: false,
  combine: "best",
  of: (result, { reference }) =>
    Number(judgePublishedOutput(result.raw, [reference.raw], guessAnswerType(reference.raw)).match),
};

const NUMBER = /\p{Nd}+/u;

/**
 * The answer type of an output that nobody assigned one to: that of its value where it is a Python literal; `df` for several
 * lines; `number` or `array number` for one line with numbers in it; else `str`.
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
  if (!NUMBER.test(output)) return "str";
  return (output.match(/\p{Nd}+(?:\.\p{Nd}*)?/gu) ?? []).length === 1 ? "number" : "array number";
}
