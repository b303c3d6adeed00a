export interface ScoredRow {
  readonly row: number;
  readonly score: number;
}

/** After the `first` hits, hits below this share of the best score may be left out. */
export interface Ties {
  readonly first: number;
  readonly share: number;
}

export interface BestRows {
  /** The minimum score of a row that is kept. */
  readonly worst: number;
  offer(row: number, score: number): void;
  /** Best first. */
  sorted(): ScoredRow[];
}

/** Keeps the first hits and near ties with the best one. `hits` are sorted, best first. */
export function keepTies<Hit extends { readonly score: number }>(hits: readonly Hit[], { first, share }: Ties): Hit[] {
  return hits.filter(({ score }, rank) => rank < first || score >= share * hits[0]!.score);
}

/** Keeps the k best of a stream of rows in a heap whose root is the worst kept; ties go to the smaller row. */
export function createBestRows(k: number): BestRows {
  const rows: number[] = [];
  const scores: number[] = [];
  return {
    get worst(): number {
      return rows.length < k ? Number.NEGATIVE_INFINITY : (scores[0] ?? Number.POSITIVE_INFINITY);
    },
    offer(row: number, score: number): void {
      if (rows.length < k) {
        rows.push(row);
        scores.push(score);
        rise(rows.length - 1);
      } else if (k > 0 && (score > scores[0]! || (score === scores[0]! && row < rows[0]!))) {
        rows[0] = row;
        scores[0] = score;
        sink(0);
      }
    },
    sorted(): ScoredRow[] {
      return rows
        .map((row, at) => ({ row, score: scores[at]! }))
        .sort((left, right) => right.score - left.score || left.row - right.row);
    },
  };

  function isWorse(left: number, right: number): boolean {
    return scores[left]! < scores[right]! || (scores[left] === scores[right] && rows[left]! > rows[right]!);
  }

  function rise(from: number): void {
    for (let at = from; at > 0; ) {
      const parent = (at - 1) >> 1;
      if (!isWorse(at, parent)) return;
      swap(at, parent);
      at = parent;
    }
  }

  function sink(from: number): void {
    for (let at = from; ; ) {
      const left = 2 * at + 1;
      if (left >= rows.length) return;
      const worst = left + 1 < rows.length && isWorse(left + 1, left) ? left + 1 : left;
      if (!isWorse(worst, at)) return;
      swap(at, worst);
      at = worst;
    }
  }

  function swap(left: number, right: number): void {
    const row = rows[left]!;
    const score = scores[left]!;
    rows[left] = rows[right]!;
    scores[left] = scores[right]!;
    rows[right] = row;
    scores[right] = score;
  }
}

/**
 * Like `createBestRows`, but after the first rows only near ties are kept, so a search can stop early. Scores are not
 * negative.
 */
export function createBestTies(k: number, ties: Ties): BestRows {
  const { first, share } = ties;
  const all = createBestRows(k);
  const sure = createBestRows(Math.min(first, k));
  let highest = 0;
  return {
    get worst() {
      return Math.max(all.worst, Math.min(sure.worst, share * highest));
    },
    offer(row, score) {
      if (score > highest) highest = score;
      all.offer(row, score);
      sure.offer(row, score);
    },
    sorted: () => keepTies(all.sorted(), ties),
  };
}

/** One search for two results: offers every row to `all`, and the rows that pass the filter also to `passing`. */
export function createBothBest(all: BestRows, passing: BestRows, passes: (row: number) => boolean): BestRows {
  return {
    get worst() {
      return Math.min(all.worst, passing.worst);
    },
    offer(row, score) {
      if (score >= all.worst) all.offer(row, score);
      if (score >= passing.worst && passes(row)) passing.offer(row, score);
    },
    sorted: passing.sorted,
  };
}
