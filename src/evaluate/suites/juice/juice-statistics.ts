import { z } from "zod";
import { NO_API_SEQUENCE, readJuiceCode } from "../../published/juice.js";
import { rougeWords } from "../../text/ngrams.js";
import { prepareText } from "../../text/prepare.js";
import { JUICE_KINDS, type JuiceCase } from "./juice-cases.js";

/** The rows of the paper's Table 2, by name; null if there is nothing to average. */
export const statisticsSchema = z.record(z.string(), z.number().nullable());
export type JuiceStatistics = z.infer<typeof statisticsSchema>;

/** The statistics of any set of cases. Code is counted in canonical tokens, Markdown in words. */
export function describeJuice(cases: readonly JuiceCase[]): JuiceStatistics {
  const codes = cases.map(({ reference }) => prepareText(reference).canonical);
  const words = cases.map(({ markdown }) => rougeWords(markdown));
  const apis = cases.map(({ reference }) =>
    (readJuiceCode(reference)?.apiSequence ?? []).filter((name) => name !== NO_API_SEQUENCE),
  );
  const known = cases.flatMap(({ cellsAbove }) => cellsAbove ?? []);
  const contextCells = cases.flatMap(({ context }) => context);
  const nearCode = contextCells.filter(({ type }) => type === "code");
  const kinds = JUICE_KINDS.map(
    (kind) => [`${kind} cases`, cases.filter((each) => each.kind === kind).length] as const,
  );
  return {
    cases: cases.length,
    ...Object.fromEntries(kinds.filter(([, count]) => count > 0)),
    notebooks: new Set(cases.map(({ notebook }) => notebook)).size,
    "tokens of the code, mean": mean(codes.map(({ length }) => length)),
    "tokens of the code, maximum": Math.max(0, ...codes.map(({ length }) => length)),
    "distinct tokens of code": new Set(codes.flat()).size,
    "words of the Markdown, mean": mean(words.map(({ length }) => length)),
    "distinct words of Markdown": new Set(words.flat()).size,
    "API calls, mean": mean(apis.map(({ length }) => length)),
    "distinct API names": new Set(apis.flat()).size,
    "cases with a def": codes.filter((tokens) => tokens.includes("def")).length,
    "cells above, mean": mean(known),
    "cells of the context, mean": mean(cases.map(({ context }) => context.length)),
    "share of code in the context": contextCells.length === 0 ? null : nearCode.length / contextCells.length,
    "tokens of a code cell of the context, mean": mean(
      nearCode.map(({ source }) => prepareText(source).canonical.length),
    ),
  };
}

function mean(values: readonly number[]): number | null {
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;
}
