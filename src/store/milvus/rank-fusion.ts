/** A row that a fusion of two rankings returned, with its score in one of them as far as it is known. */
export interface Fused {
  /** The sum of 1 / (constant + rank) over the rankings that hold it. */
  readonly fused: number;
  /** About its score in the first ranking. */
  readonly score: number;
}

/** Its ranks from 1 on; null in a ranking that does not hold it. */
export interface Ranks {
  readonly near: number | null;
  readonly worded: number | null;
}

/** The sums come in single precision. */
const PRECISION = 3e-7;

/**
 * The ranks in both of two rankings of at most `limit` rows, from the sums that a server returns for both together: a sum has few pairs
 * of ranks, and the order by score says which of the two is the first one's. The first ranking holds the best rows by score.
 */
export function decodeRanks<Row extends Fused>(
  rows: readonly Row[],
  { limit, constant }: { readonly limit: number; readonly constant: number },
): (Row & Ranks)[] {
  const byScore = [...rows].sort((one, other) => other.score - one.score);
  return byScore.map((row, at) => {
    const expected = at + 1;
    const options = pairsOf(row.fused, limit, constant);
    const distance = ({ near }: Ranks) => (near === null ? Math.max(0, limit - at) : Math.abs(near - expected));
    const [first = { near: null, worded: null }] = options.sort((one, other) => distance(one) - distance(other));
    return { ...row, ...first };
  });
}

function pairsOf(fused: number, limit: number, constant: number): Ranks[] {
  const pairs: Ranks[] = [];
  const alone = rankOf(fused, limit, constant);
  if (alone !== null) pairs.push({ near: alone, worded: null }, { near: null, worded: alone });
  for (let near = 1; near <= limit; near += 1) {
    const rest = fused - 1 / (constant + near);
    const worded = rest > PRECISION ? rankOf(rest, limit, constant, fused) : null;
    if (worded !== null) pairs.push({ near, worded });
  }
  return pairs;
}

/** The whole rank whose share this is, if there is one. */
function rankOf(share: number, limit: number, constant: number, scale = share): number | null {
  const rank = Math.round(1 / share - constant);
  if (rank < 1 || rank > limit) return null;
  return Math.abs(1 / (constant + rank) - share) <= PRECISION * Math.max(scale, 1e-3) ? rank : null;
}
