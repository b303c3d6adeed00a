"""Byte-pair encoding inside subwords. MARK starts each piece at a word start, so that `in` differs from the end of `margin`."""

import heapq
from collections import Counter, defaultdict

MARK = "\u2581"
UNKNOWN = "<unk>"
# Maximum letters of a word: longer words are data, and merging takes quadratic time.
MAX_LETTERS = 64


def learn(words: Counter, size: int, rarest: int = 40) -> list[tuple[str, str]]:
    """The merges, best first; ties go to the smaller pair, so that the same words give the same merges."""
    alphabet = letters(words, rarest)
    spelled = [(spell(word, alphabet), count) for word, count in sorted(words.items())]
    pairs: Counter = Counter()
    places: dict[tuple[str, str], set[int]] = defaultdict(set)
    for at, (symbols, count) in enumerate(spelled):
        for pair in zip(symbols, symbols[1:]):
            pairs[pair] += count
            places[pair].add(at)
    merges: list[tuple[str, str]] = []
    queue = [(-count, pair) for pair, count in pairs.items() if count > 1]
    heapq.heapify(queue)
    while queue and len(alphabet) + 1 + len(merges) < size:
        # Counts in the heap can be stale; a stale entry is pushed again with its true count.
        stale, best = heapq.heappop(queue)
        if pairs[best] != -stale:
            if pairs[best] > 1:
                heapq.heappush(queue, (-pairs[best], best))
            continue
        merges.append(best)
        grown: set[tuple[str, str]] = set()
        for at in sorted(places.pop(best)):
            symbols, count = spelled[at]
            for pair in zip(symbols, symbols[1:]):
                pairs[pair] -= count
            symbols = join(symbols, best)
            for pair in zip(symbols, symbols[1:]):
                pairs[pair] += count
                places[pair].add(at)
                grown.add(pair)
            spelled[at] = (symbols, count)
        for pair in sorted(grown):
            heapq.heappush(queue, (-pairs[pair], pair))
    return merges


def vocabulary(words: Counter, merges: list[tuple[str, str]], rarest: int = 40) -> list[str]:
    return [UNKNOWN, *sorted(letters(words, rarest)), *("".join(pair) for pair in merges)]


def letters(words: Counter, rarest: int) -> set[str]:
    """The frequent letters, each also in its marked form, because any letter can start a word."""
    counts: Counter = Counter()
    for word, count in words.items():
        for letter in word:
            counts[letter] += count
    kept = {letter for letter, count in counts.items() if count >= rarest}
    return kept | {MARK + letter for letter in kept}


def spell(word: str, alphabet: set[str]) -> list[str]:
    symbols = [MARK + word[0], *word[1:MAX_LETTERS]]
    return [symbol if symbol in alphabet else UNKNOWN for symbol in symbols]


def join(symbols: list[str], pair: tuple[str, str]) -> list[str]:
    joined: list[str] = []
    at = 0
    while at < len(symbols):
        if at + 1 < len(symbols) and (symbols[at], symbols[at + 1]) == pair:
            joined.append(symbols[at] + symbols[at + 1])
            at += 2
        else:
            joined.append(symbols[at])
            at += 1
    return joined


class Encoder:
    """Converts words to piece numbers. Pairs are merged in the order of training, equal pairs from left to right."""

    def __init__(self, pieces: list[str], merges: list[tuple[str, str]]):
        self.alphabet = {piece for piece in pieces[1:] if len(piece.lstrip(MARK)) <= 1}
        self.numbers = {piece: number for number, piece in enumerate(pieces)}
        self.ranks = {pair: rank for rank, pair in enumerate(merges)}
        self.known: dict[str, list[int]] = {}

    def encode(self, word: str) -> list[int]:
        found = self.known.get(word)
        if found is None:
            symbols = spell(word, self.alphabet)
            while len(symbols) > 1:
                best = min(zip(symbols, symbols[1:]), key=lambda pair: self.ranks.get(pair, 1 << 30))
                if best not in self.ranks:
                    break
                symbols = join(symbols, best)
            found = self.known[word] = [self.numbers[symbol] for symbol in symbols]
        return found
