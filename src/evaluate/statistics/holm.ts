/**
 * Holm's step-down correction: the p values, in their order, so adjusted that calling those under .05 different is wrong
 * for any of them in at most 5 % of such comparisons.
 */
export function holm(ps: readonly number[]): number[] {
  const order = ps.map((_, at) => at).sort((a, b) => ps[a]! - ps[b]!);
  const adjusted = new Array<number>(ps.length);
  let floor = 0;
  for (const [step, at] of order.entries()) {
    floor = Math.max(floor, Math.min(1, ps[at]! * (ps.length - step)));
    adjusted[at] = floor;
  }
  return adjusted;
}
