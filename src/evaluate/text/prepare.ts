import { callNames } from "./calls.js";
import { characterGrams, type Grams } from "./chrf.js";
import { dropCommentLines } from "./comment-lines.js";

/** A text with what the text metrics read from it; they see it without its comment lines. */
export interface PreparedText {
  readonly raw: string;
  readonly grams: Grams;
  readonly calls: ReadonlySet<string>;
}

/** Reads a text once for all metrics: the same `rest` meets every result, and a popular cell meets many cases. */
export function prepareText(raw: string): PreparedText {
  const text = dropCommentLines(raw);
  return { raw, grams: characterGrams(text), calls: callNames(text) };
}
