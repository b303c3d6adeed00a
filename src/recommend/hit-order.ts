import { tokenize } from "../python/tokenize.js";

/** Equal for code that differs in literals, comments and layout alone: paths, colours, sizes. */
export function literalBlindKey(code: string): string {
  return tokenize(code)
    .filter(({ kind }) => kind !== "comment")
    .map(({ kind, text }) => (kind === "string" || kind === "number" ? "'" : text))
    .join(" ");
}

/**
 * Confidences that agree with the order of the hits: where a later hit has a higher one, both get their mean (isotonic regression by
 * pooling adjacent violators), so that the sum stays. A list in which one was never calibrated is left as it is.
 */
export function agreeWithOrder<T extends { readonly confidence: number | null }>(hits: readonly T[]): T[] {
  if (hits.some(({ confidence }) => confidence === null)) return [...hits];
  const groups: { sum: number; count: number }[] = [];
  for (const { confidence } of hits) {
    let group = { sum: confidence!, count: 1 };
    for (let last = groups.at(-1); last && last.sum / last.count < group.sum / group.count; last = groups.at(-1)) {
      group = { sum: last.sum + group.sum, count: last.count + group.count };
      groups.pop();
    }
    groups.push(group);
  }
  const values = groups.flatMap(({ sum, count }) => new Array<number>(count).fill(sum / count));
  return hits.map((hit, at) => ({ ...hit, confidence: values[at]! }));
}

/** Hits whose insertion needs names that exist nowhere go behind those whose insertion can run; hits without one keep their place. */
export function putRunnableFirst<T>(hits: readonly T[], lackOf: (hit: T) => "nothing" | "names" | null): T[] {
  const lacks = hits.map(lackOf);
  const inserting = hits.filter((_, at) => lacks[at] !== null);
  const sorted = [
    ...inserting.filter((hit) => lacks[hits.indexOf(hit)] === "nothing"),
    ...inserting.filter((hit) => lacks[hits.indexOf(hit)] === "names"),
  ];
  return hits.map((hit, at) => (lacks[at] === null ? hit : sorted.shift()!));
}
