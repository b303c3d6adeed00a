import type { LabelFilter, NotebookFilter } from "../vector-store.js";

/**
 * A string literal of Milvus' filter language. Quotes and backslashes are escaped, so no text can end the literal;
 * control characters become numeric escapes. Milvus Lite does not support numeric escapes and finds nothing for such a
 * text. Templates (`exprValues`) would be simpler, but Milvus 2.3 has none.
 */
export function quote(text: string): string {
  const escaped = text
    .toWellFormed()
    .replace(/["\\]/g, "\\$&")
    .replace(/\p{C}/gu, (character) => {
      const code = character.codePointAt(0)!.toString(16);
      return code.length > 4 ? `\\U${code.padStart(8, "0")}` : `\\u${code.padStart(4, "0")}`;
    });
  return `"${escaped}"`;
}

export const isIn = (field: string, values: readonly string[]) => `${field} in [${values.map(quote).join(", ")}]`;

/** Not written as `not (...)`, which Milvus Lite does not support. */
export const isNotIn = (field: string, values: readonly string[]) =>
  `${field} not in [${values.map(quote).join(", ")}]`;

/** An empty condition passes every notebook, null none. */
export function notebookExpression({ sources, minVotes = 0 }: NotebookFilter = {}): string | null {
  if (sources?.length === 0) return null;
  const parts = sources === undefined ? [] : [isIn("source", sources)];
  if (minVotes > 0) parts.push(`votes >= ${Math.ceil(minVotes)}`);
  return parts.join(" and ");
}

/** Joins two conditions; an empty one is omitted. */
export function both(one: string, other: string): string {
  return one === "" || other === "" ? one + other : `(${one}) and (${other})`;
}

/** The filter as an expression; an empty one passes every cell, null none. */
export function labelExpression(filter: LabelFilter | undefined): string | null {
  if (filter === undefined) return "";
  const any = filter.any.filter((label) => label !== "");
  const parts: string[] = [];
  if (any.length > 0) {
    parts.push(
      filter.field === "primary" ? isIn("primary", any) : `array_contains_any(labels, [${any.map(quote).join(", ")}])`,
    );
  }
  // The primary label of a cell without labels is stored as an empty text, because Milvus 2.3 has no null.
  if (filter.unlabelled) parts.push('primary == ""');
  return parts.length === 0 ? null : parts.join(" or ");
}
