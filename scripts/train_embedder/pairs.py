"""Training pairs: the typed start of a cell, and a cell that would help. The evaluation's operators are never used."""

from dataclasses import dataclass

import numpy as np

Bag = tuple[np.ndarray, np.ndarray]
EMPTY: Bag = (np.zeros(0, np.int64), np.zeros(0, np.float32))
# The share of each kind of pair.
KINDS = {"whole": 0.38, "rest": 0.1, "self": 0.12, "markdown": 0.12, "context": 0.2, "next": 0.08}


@dataclass
class Cell:
    """`versions[0]` is the cell itself, the others are renamed copies; each is a list of lines of piece numbers.

    `scrambled` are its lines with the letters of every word shuffled: they look like code and say nothing.
    """

    id: str
    group: str
    versions: list[list[np.ndarray]]
    scrambled: list[np.ndarray]
    before: "Cell | None" = None
    markdown: np.ndarray | None = None
    near: "list[Cell] | None" = None


@dataclass
class Pair:
    query: Bag
    before: Bag
    markdown: Bag
    cell: Bag
    id: str


def bag(lines: list[np.ndarray]) -> Bag:
    """Distinct pieces with sublinear counts."""
    if not lines:
        return EMPTY
    pieces, counts = np.unique(np.concatenate(lines), return_counts=True)
    return pieces.astype(np.int64), (1 + np.log(counts)).astype(np.float32)


class Sampler:
    def __init__(self, cells: list[Cell], random: np.random.Generator):
        self.cells = cells
        self.random = random
        self.by_kind = {
            "whole": cells,
            "self": cells,
            "rest": [cell for cell in cells if len(cell.versions[0]) > 2],
            "markdown": [cell for cell in cells if cell.markdown is not None and len(cell.markdown) > 1],
            "context": [cell for cell in cells if cell.before is not None],
            "next": [cell for cell in cells if cell.before is not None],
            "near": [cell for cell in cells if cell.near],
        }

    def batch(self, size: int, near: float) -> list[Pair]:
        kinds = self.random.choice(list(KINDS), size=size, p=list(KINDS.values()))
        kinds = ["near" if self.random.random() < near else kind for kind in kinds]
        return [self.pair(kind, self.pick(self.by_kind[kind])) for kind in kinds]

    def pair(self, kind: str, cell: Cell) -> Pair:
        lines = cell.versions[0]
        cut = self.cut(len(lines))
        head, before, markdown = bag(self.typed(lines, cut)), EMPTY, EMPTY
        if kind == "near":
            other = self.pick(cell.near)
            return Pair(head, before, markdown, bag(other.versions[0]), other.id)
        if kind == "rest":
            return Pair(head, before, markdown, bag(lines[cut:] or lines), cell.id)
        if kind == "self":
            return Pair(bag(lines), before, markdown, bag(self.changed(cell)), cell.id)
        if kind == "markdown":
            return Pair(EMPTY, EMPTY, bag([cell.markdown]), bag(lines), cell.id)
        if kind == "next":
            head = EMPTY
        if kind in ("context", "next"):
            before = bag(cell.before.versions[0])
            if cell.markdown is not None and self.random.random() < 0.6:
                markdown = bag([cell.markdown])
        target = lines if self.random.random() < 0.3 else self.changed(cell)
        return Pair(head, before, markdown, bag(target), cell.id)

    def cut(self, lines: int) -> int:
        """The number of typed lines. Short starts are drawn often, because they are common and hard."""
        if self.random.random() < 0.3:
            return 1
        return int(self.random.integers(1, max(2, lines)))

    def typed(self, lines: list[np.ndarray], cut: int) -> list[np.ndarray]:
        """The first lines; sometimes the last one is half typed."""
        last = lines[cut - 1]
        if len(last) < 4 or self.random.random() < 0.75:
            return lines[:cut]
        return [*lines[: cut - 1], last[: int(self.random.integers(2, len(last)))]]

    def changed(self, cell: Cell) -> list[np.ndarray]:
        """A changed cell: renamed, without some lines, and with added scrambled or foreign lines."""
        lines = cell.versions[int(self.random.integers(1, len(cell.versions)))] if len(cell.versions) > 1 else cell.versions[0]
        if len(lines) > 3 and self.random.random() < 0.2:
            kept = [line for line in lines if self.random.random() > 0.25]
            lines = kept or lines
        if self.random.random() < 0.6:
            share = max(0.2, min(1, 1.5 * self.random.random()))
            noise = self.noise(cell)
            lines = [*lines, *(line for line in noise if self.random.random() < share)]
        return lines

    def noise(self, cell: Cell) -> list[np.ndarray]:
        """Lines of another cell, or scrambled ones."""
        if self.random.random() < 0.4:
            return self.pick(self.cells).versions[0][: len(cell.versions[0])]
        return cell.scrambled

    def pick(self, items: list):
        return items[int(self.random.integers(len(items)))]
