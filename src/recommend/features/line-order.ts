/**
 * Share of the wanted lines, by weight, that stand in `lines` in the same order. Greedy: each is looked for behind the one
 * found before it, and skipped where it is not there.
 */
export function shareInOrder(wanted: Int32Array, lines: Int32Array, weights: Float64Array): number {
  let total = 0;
  let found = 0;
  let from = 0;
  for (let line = 0; line < wanted.length; line += 1) {
    total += weights[line]!;
    const index = lines.indexOf(wanted[line]!, from);
    if (index === -1) continue;
    found += weights[line]!;
    from = index + 1;
  }
  return total === 0 ? 0 : found / total;
}

/** 1 where both start with the same line, else 0. */
export function startsAlike(wanted: Int32Array, lines: Int32Array): number {
  return wanted.length > 0 && wanted[0] === lines[0] ? 1 : 0;
}

/** Share of `lines` that are among the wanted ones. */
export function shareOfLines(lines: Int32Array, wanted: Int32Array): number {
  let found = 0;
  for (let at = 0; at < lines.length; at += 1) if (wanted.includes(lines[at]!)) found += 1;
  return found / Math.max(1, lines.length);
}
