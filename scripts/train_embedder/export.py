"""Writes the files of the model: pieces and merges as JSON, vectors as int8, weights as float32, and test vectors."""

import json
from pathlib import Path

import numpy as np

from model_manifest import write_manifest

from .bpe import Encoder
from .model import Model
from .pairs import bag

# Test texts as lists of subwords; every other implementation must produce the same vectors.
SAMPLES = [
    ["import", "pandas", "as", "pd"],
    ["df", "=", "pd", ".", "read", "csv", "(", "'", "train", ".", "csv", "'", ")"],
    ["model", ".", "fit", "(", "x", "train", ",", "y", "train", ")"],
    ["qzxwvk", "pneumonoultramicroscopic", "2719418"],
    ["\u6570\u636e", "=", "[", "]"],
    ["(", "(", "(", "(", ")"],
    ["plt", ".", "show", "(", ")"] * 50,
]


def write(folder: Path, model: Model, pieces: list[str], merges: list, encoder: Encoder, revision: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    vectors = model.vectors.detach().numpy()
    # The scale of each piece is multiplied into its weights, so that the table has only bytes.
    scale = np.abs(vectors).max(axis=1, keepdims=True) / 127
    table = np.clip(np.rint(vectors / scale), -127, 127).astype(np.int8)
    weights = {
        role: (np.exp(weight.detach().numpy()) * scale[:, 0]).astype("<f4") for role, weight in model.weights.items()
    }
    numbers = {piece: number for number, piece in enumerate(pieces)}
    letters = len(pieces) - len(merges)
    vocabulary = {"letters": pieces[:letters], "merges": [[numbers[a], numbers[b]] for a, b in merges]}
    files = {
        "pieces.json": json.dumps(vocabulary, ensure_ascii=False, separators=(",", ":")).encode(),
        "vectors.i8": table.tobytes(),
        "weights.f32": weights["query"].tobytes() + weights["cell"].tobytes(),
    }
    for name, content in files.items():
        (folder / name).write_bytes(content)
    write_manifest(folder, "pieces", revision, list(files), dimensions=table.shape[1], pieces=len(pieces))
    samples = [sample(words, role, encoder, table, weights) for words in SAMPLES for role in ("query", "cell")]
    (folder / "test-vectors.json").write_text(json.dumps(samples, separators=(",", ":")) + "\n")


def sample(words: list[str], role: str, encoder: Encoder, table: np.ndarray, weights: dict) -> dict:
    pieces, counts = bag([np.array([n for word in words for n in encoder.encode(word)])])
    summed = (counts.astype(np.float64) * weights[role][pieces]) @ table[pieces].astype(np.float64)
    vector = summed / np.linalg.norm(summed)
    return {"words": words, "role": role, "vector": [round(float(x), 7) for x in vector]}
