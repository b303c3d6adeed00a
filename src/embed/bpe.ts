import { LRUCache } from "lru-cache";

/** `letters[0]` stands for every unknown letter. Merge i makes piece `letters.length + i` of two earlier pieces. */
export interface Vocabulary {
  readonly letters: readonly string[];
  readonly merges: readonly (readonly [number, number])[];
}

/** Marks a letter that starts a word, so that the word `in` is another piece than the tail of `margin`. */
const MARK = "\u2581";
/** Letters read of one word: anything longer is data, and merging costs the square of the length. */
const MOST_LETTERS = 64;
/** What is longer hardly comes again. */
const LONGEST_KNOWN = 64;
/** Words remembered, those used last: some ten megabytes. */
const MOST_KNOWN = 60_000;

/** Splits a subword into the numbers of its pieces: the merge learnt earliest first, the left one of equals. */
export function createPieceEncoder({ letters, merges }: Vocabulary): (word: string) => readonly number[] {
  const size = letters.length + merges.length;
  const numbers = new Map(letters.map((letter, number) => [letter, number]));
  const ranks = new Map(merges.map(([left, right], rank) => [left * size + right, rank]));
  const known = new LRUCache<string, readonly number[]>({ max: MOST_KNOWN });

  return (word) => {
    const found = known.get(word);
    if (found !== undefined) return found;
    const pieces = merge(spell(word));
    if (word.length <= LONGEST_KNOWN) known.set(word, pieces);
    return pieces;
  };

  function spell(word: string): number[] {
    const spelled: number[] = [];
    for (const letter of word) {
      spelled.push(numbers.get(spelled.length === 0 ? MARK + letter : letter) ?? 0);
      if (spelled.length === MOST_LETTERS) break;
    }
    return spelled;
  }

  function merge(pieces: number[]): number[] {
    for (;;) {
      let best = Number.POSITIVE_INFINITY;
      for (let at = 1; at < pieces.length; at += 1) {
        best = Math.min(best, ranks.get(pieces[at - 1]! * size + pieces[at]!) ?? best);
      }
      if (best === Number.POSITIVE_INFINITY) return pieces;
      pieces = join(pieces, merges[best]!, letters.length + best);
    }
  }
}

function join(pieces: readonly number[], [left, right]: readonly [number, number], joined: number): number[] {
  const result: number[] = [];
  for (let at = 0; at < pieces.length; at += 1) {
    if (pieces[at] === left && pieces[at + 1] === right) {
      result.push(joined);
      at += 1;
    } else result.push(pieces[at]!);
  }
  return result;
}
