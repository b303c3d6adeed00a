# Run to retrain the default embedder, on our corpus or on your own notebooks:
#   npm run build && python scripts/train-embedder.py --out models/embedder FOLDER_OF_IPYNB|NOTEBOOKS.jsonl.gz ...
# Needs torch and numpy. The same paths and seed give the same files. Notebooks of the `fit` and `measure` splits are not used.
import argparse
import json
import math
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import numpy as np
import torch

from train_embedder import bpe, export
from train_embedder.model import Model, train
from train_embedder.pairs import Cell, Sampler, bag


def main() -> None:
    args = parse_arguments()
    started = time.time()
    torch.manual_seed(args.seed)
    torch.set_num_threads(args.threads)
    notebooks = read_notebooks(args)
    learnt = [book for book in notebooks if args.all or book["split"] == "train"]
    words = count_words(learnt)
    merges = bpe.learn(words, args.pieces)
    pieces = bpe.vocabulary(words, merges)
    log(f"{len(learnt)} notebooks, {len(words)} distinct subwords, {len(pieces)} pieces, {time.time() - started:.0f} s")
    encoder = bpe.Encoder(pieces, merges)
    cells = collect_cells(learnt, encoder, np.random.default_rng(args.seed))
    log(f"{len(cells)} distinct cells, {time.time() - started:.0f} s")
    model = Model(inverse_frequency(cells, len(pieces)), args.dimensions)
    sampler = Sampler(cells, np.random.default_rng(args.seed))
    train(model, sampler, args.steps, 0, args.rate, args.batch, log)
    find_near(model, cells)
    sampler = Sampler(cells, np.random.default_rng(args.seed + 1))
    log(f"{len(sampler.by_kind['near'])} cells with near clones, {time.time() - started:.0f} s")
    train(model, sampler, args.near_steps, 0.3, args.rate / 3, args.batch, log)
    export.write(args.out, model, pieces, merges, encoder, args.revision)
    log(f"done, {time.time() - started:.0f} s")


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Trains the pieces embedder.")
    parser.add_argument("paths", nargs="+")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--revision", default="1", help="becomes part of the embedder's id")
    parser.add_argument("--all", action="store_true", help="learn from the held-out notebooks too")
    parser.add_argument("--dist", type=Path, default=Path(__file__).parent.parent / "dist", help="what `npm run build` made")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--pieces", type=int, default=16000)
    parser.add_argument("--dimensions", type=int, default=256)
    parser.add_argument("--steps", type=int, default=900)
    parser.add_argument("--near-steps", type=int, default=400)
    parser.add_argument("--batch", type=int, default=1024)
    parser.add_argument("--rate", type=float, default=0.01)
    return parser.parse_args()


def read_notebooks(args: argparse.Namespace) -> list[dict]:
    """Reads the notebooks as subwords. Only the TypeScript program defines how they are cleaned and split."""
    script = args.dist / "scripts/train-embedder-corpus.js"
    command = ["node", str(script), str(args.seed), *args.paths]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, encoding="utf8") as process:
        notebooks = [json.loads(line) for line in process.stdout]
    if process.returncode != 0 or not notebooks:
        sys.exit(f"no notebooks: {' '.join(command)} ended with {process.returncode}; was `npm run build` run?")
    return notebooks


def count_words(notebooks: list[dict]) -> Counter:
    """Counts words. Each distinct code cell counts once, so that a template with many copies does not fill the vocabulary."""
    words: Counter = Counter()
    seen = set()
    for book in notebooks:
        for cell in book["cells"]:
            if cell["type"] == "markdown":
                words.update(cell["words"])
            elif cell["id"] not in seen:
                seen.add(cell["id"])
                for line in cell["lines"]:
                    words.update(line)
    return words


def collect_cells(notebooks: list[dict], encoder: bpe.Encoder, random: np.random.Generator) -> list[Cell]:
    def lines(rows):
        return [np.array([n for word in row for n in encoder.encode(word)], np.int32) for row in rows]

    cells: list[Cell] = []
    for book in notebooks:
        before, markdown = None, None
        for cell in book["cells"]:
            if cell["type"] == "markdown":
                markdown = np.concatenate(lines([cell["words"]]))
                continue
            if not cell["lines"]:
                continue
            scrambled = lines(scramble(cell["lines"], random))
            found = Cell(cell["id"], book["group"], [lines(cell["lines"])], scrambled, before, markdown)
            if "renamed" in cell:
                found.versions += [lines(copy) for copy in cell["renamed"]]
                cells.append(found)
            before, markdown = found, None
    return cells


def scramble(rows: list[list[str]], random: np.random.Generator) -> list[list[str]]:
    return [["".join(random.permutation(list(word))) if len(word) > 1 else word for word in row] for row in rows]


def inverse_frequency(cells: list[Cell], pieces: int) -> np.ndarray:
    holding = np.zeros(pieces)
    for cell in cells:
        holding[bag(cell.versions[0])[0]] += 1
    return np.log((len(cells) + 1) / (holding + 1)) / math.log(len(cells) + 1) * 3


def find_near(model: Model, cells: list[Cell], low: float = 0.55, high: float = 0.985) -> None:
    """Finds the three nearest cells of other groups for each cell: code of other authors for the same task."""
    with torch.no_grad():
        vectors = torch.cat(
            [model.embed([bag(cell.versions[0]) for cell in cells[at : at + 2048]], "cell") for at in range(0, len(cells), 2048)]
        )
        groups = np.unique([cell.group for cell in cells], return_inverse=True)[1]
        for at in range(0, len(cells), 1024):
            scores = vectors[at : at + 1024] @ vectors.T
            scores[torch.from_numpy(groups[at : at + 1024, None] == groups[None, :])] = -1
            scores[scores > high] = -1
            best, places = scores.topk(3, dim=1)
            for row in range(len(best)):
                near = [cells[int(place)] for score, place in zip(best[row], places[row]) if score >= low]
                cells[at + row].near = near


def log(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
