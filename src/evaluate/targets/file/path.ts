/** Where a value stands in an answer: keys, positions, and null for every item of a list. */
export type Path = readonly (string | number | null)[];

const PART = /(\.?)([\p{L}_@][\p{L}\p{N}_@$-]*)|\[(\d+)\]|\[\*\]|\["([^"\\]*)"\]/uy;

/**
 * Reads `hits[*].cell.code` or `[0]["odd key"]`, with or without `$` in front; the empty text is the whole answer. Null
 * where it is no path.
 */
export function parsePath(text: string): Path | null {
  const path: (string | number | null)[] = [];
  const rooted = text.startsWith("$");
  for (let end = rooted ? 1 : 0; end < text.length; end = PART.lastIndex) {
    PART.lastIndex = end;
    const match = PART.exec(text);
    if (match === null) return null;
    const [, dot, key, position, quoted] = match;
    // A dot stands before every name but the very first thing.
    if (key !== undefined && (dot === ".") !== end > 0) return null;
    path.push(key ?? quoted ?? (position === undefined ? null : Number(position)));
  }
  return path;
}

/** Every value at the path, in order; none where a part of it is missing. */
export function pick(value: unknown, path: Path): unknown[] {
  return path.reduce<unknown[]>((found, part) => found.flatMap((one) => descend(one, part)), [value]);
}

function descend(value: unknown, part: Path[number]): unknown[] {
  if (part === null) return Array.isArray(value) ? value : [];
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, part)) return [];
  if (Array.isArray(value) && typeof part === "string") return [];
  // In a list, or the result would be flattened where the value found is a list itself.
  return [(value as Record<string | number, unknown>)[part]];
}
