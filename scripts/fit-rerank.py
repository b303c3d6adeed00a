# Run after train-embedder.py to refit the rerank weights and the confidence:
#   npm run build && python scripts/fit-rerank.py --embedder models/embedder --out models/rerank --words CORPUS... --index FOLDER...
# Needs torch and numpy. Learns from notebooks of the `fit` split alone; the same input gives the same weights.
import argparse
import hashlib
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import torch

from model_manifest import write_manifest

# The gain of a candidate of a typing case: similarity of the text, F1 of the calls, recall of the calls.
GAIN_WEIGHTS = {"complete": (4.0, 0.3, 1.1), "next": (4.0, 0.6, 0.8), "markdown": (4.0, 0.6, 0.8)}
# Features of the context. `similar` does not use them, because its queries have no context.
CONTEXT = ("before-", "markdown-", "follows")
# `similar` must not use calls shared by candidates, because these reveal copies, such as mutants.
VOTES = ("known-calls", "done-calls", "added-calls", "shared-calls", "common-calls")
SHARPNESS = 20.0
# Added to the weights after the fit. The worth of a candidate grows with its length, so the fitted weights of `next`
# prefer cells 2.5 times as long as those that people write. With these values the cells are as long as people's, and
# nothing is lost (models/rerank/README.md). Few training cases end inside a call, so the weight of `open-call` was
# chosen on cases that do.
AFTER_FIT = {"next": {"longer": -0.3, "unlike-length": -0.4}, "complete": {"open-call": 1.0}}
USEFUL = 0.5
# Number of hits per list that the confidence learns from: diversification may show hits after the three best.
SHOWN = 6


def main() -> None:
    args = parse_arguments()
    features, embedder, lists = read_cases(args)
    names = [feature["name"] for feature in features]
    weights = {}
    for kind in ("similar", *GAIN_WEIGHTS):
        chosen = [case for case in lists if case["kind"] == kind and case["rows"] and (kind == "similar" or not is_kept(case))]
        weights[kind] = fit(kind, chosen, features) + np.array([AFTER_FIT.get(kind, {}).get(name, 0) for name in names])
        log(f"{kind}: {len(chosen)} cases, " + ", ".join(f"{n} {w:.2f}" for n, w in zip(names, weights[kind]) if w))
    confidence = []
    for kind in weights:
        # Variants of cells cannot show usefulness, so hits of `similar` are also judged on the typing cases.
        source = "complete" if kind == "similar" else kind
        kept = [case for case in lists if case["kind"] == source and is_kept(case) and case["rows"] and case["calls"] > 0]
        bias, part = fit_confidence(kind, kept, weights[kind], features)
        prefix = embedder.split("@")[0] + "@"
        confidence.append({"embedder": prefix, "kind": kind, "bias": round(bias, 4), "weights": to_record(names, part)})
    model = {
        "revision": args.revision,
        "weights": {kind: to_record(names, values) for kind, values in weights.items()},
        "confidence": confidence,
    }
    (args.out / "weights.json").write_text(json.dumps(model, indent=2) + "\n")
    describe(args)


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Fits the rerank weights.")
    parser.add_argument("--embedder", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--words", nargs="+", required=True, help="corpora that word frequencies are counted in")
    parser.add_argument("--index", nargs="+", required=True, help="corpora that cases and candidates are taken from")
    parser.add_argument("--cases", type=Path, help="cases written before, instead of making them")
    parser.add_argument("--revision", default="1")
    parser.add_argument("--dist", type=Path, default=Path(__file__).parent.parent / "dist", help="what `npm run build` made")
    return parser.parse_args()


def read_cases(args: argparse.Namespace) -> tuple[list[dict], str, list[dict]]:
    """Candidates and features come from the TypeScript code that answers queries."""
    args.out.mkdir(parents=True, exist_ok=True)
    if args.cases:
        head, *lists = map(json.loads, args.cases.open())
        return head["features"], head["embedder"], lists
    scripts = args.dist / "scripts"
    counter = ["node", str(scripts / "fit-rerank-frequencies.js"), str(args.out / "frequencies.json"), *args.words]
    subprocess.run(counter, check=True)
    repeats = ["node", str(scripts / "fit-rerank-repeats.js"), str(args.out / "repeats.json"), *args.index]
    subprocess.run(repeats, check=True)
    origins = ["node", str(scripts / "fit-rerank-origins.js"), str(args.out / "origins.json"), *args.words]
    subprocess.run(origins, check=True)
    # fit-rerank-cases.js reads the new frequencies, and rejects files whose checksums are not in model.json.
    describe(args)
    command = ["node", str(scripts / "fit-rerank-cases.js"), str(args.embedder), str(args.out), *args.index]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, encoding="utf8") as process:
        head, *lists = map(json.loads, process.stdout)
    if process.returncode != 0:
        sys.exit(f"{' '.join(command)} ended with {process.returncode}; was `npm run build` run?")
    return head["features"], head["embedder"], lists


def describe(args: argparse.Namespace) -> None:
    files = [name for name in ("weights.json", "frequencies.json", "repeats.json", "origins.json") if (args.out / name).exists()]
    write_manifest(args.out, "rerank", args.revision, files)


def is_kept(case: dict) -> bool:
    """Whether a case is kept for fitting the confidence, not the weights; true for about half of the groups."""
    return hashlib.sha256(case["group"].encode()).digest()[0] % 2 == 0


def looked_at(kind: str, features: list[dict]) -> list[bool]:
    # The followers of cells like the last one are looked up only if nothing is typed yet.
    unseen = {"similar": (*CONTEXT, *VOTES), "complete": ("follows",)}.get(kind, ())
    unseen = (*unseen, "unlike-length", "open-call")
    return [not feature["name"].startswith(unseen) for feature in features]


def worth_of(case: dict) -> np.ndarray:
    gains = np.array(case["gains"])
    if case["kind"] == "similar":
        return gains[:, 0]
    return gains @ np.array(GAIN_WEIGHTS[case["kind"]]) / sum(GAIN_WEIGHTS[case["kind"]])


def fit(kind: str, cases: list[dict], features: list[dict]) -> np.ndarray:
    """Fits the softmax of a list's scores to that of its candidates' worths. Wrong signs become 0 after each step."""
    size = max(len(case["rows"]) for case in cases)
    rows = np.zeros((len(cases), size, len(features)), np.float32)
    goal = np.full((len(cases), size), -np.inf, np.float32)
    share = np.zeros(len(cases), np.float32)
    for at, case in enumerate(cases):
        worth = worth_of(case)
        rows[at, : len(worth)] = case["rows"]
        goal[at, : len(worth)] = np.where(worth > 0, np.log(np.maximum(worth, 1e-6)), -np.inf) if kind == "similar" else worth * SHARPNESS
        # A list without a good candidate has no signal.
        share[at] = 1 if kind == "similar" else max(0.0, float(worth.max() - worth.mean()))
    rows, share = torch.from_numpy(rows), torch.from_numpy(share)
    goal = torch.from_numpy(goal)
    filled = torch.zeros(goal.shape)
    for at, case in enumerate(cases):
        filled[at, len(case["rows"]) :] = -1e4
    target = torch.softmax(goal, dim=1)
    signs = torch.tensor([feature["sign"] for feature in features], dtype=torch.float32)
    used = torch.tensor(looked_at(kind, features))
    weights = torch.where(used & (signs >= 0), 0.5, -0.1 * used).requires_grad_(True)
    optimizer = torch.optim.Adam([weights], lr=0.1)
    steps = 600
    for step in range(steps):
        optimizer.param_groups[0]["lr"] = 0.1 * (1 - step / steps) + 0.002
        optimizer.zero_grad()
        scores = rows @ weights + filled
        loss = -(target * torch.log_softmax(scores, dim=1)).sum(dim=1) * share
        (loss.sum() / share.sum() + 1e-4 * weights.square().sum()).backward()
        optimizer.step()
        with torch.no_grad():
            weights.copy_(torch.where(signs * weights < 0, 0.0, weights) * used)
    return weights.detach().numpy()


def fit_confidence(kind: str, cases: list[dict], weights: np.ndarray, features: list[dict]) -> tuple[float, np.ndarray]:
    """Fits a logistic model of `F1 of the calls is at least .5` on the features of the best hits of each list."""
    used = looked_at(kind, features)
    rows, useful = [], []
    for case in cases:
        values = np.array(case["rows"])
        for at in np.argsort(-(values @ weights), kind="stable")[:SHOWN]:
            rows.append(values[at])
            useful.append(case["gains"][at][1] >= USEFUL)
    rows, useful = torch.tensor(np.array(rows) * used, dtype=torch.float32), torch.tensor(useful, dtype=torch.float32)
    signs = torch.tensor([feature["sign"] for feature in features], dtype=torch.float32)
    part = torch.zeros(len(features), requires_grad=True)
    bias = torch.tensor(-1.0, requires_grad=True)
    optimizer = torch.optim.Adam([part, bias], lr=0.05)
    for _ in range(1500):
        optimizer.zero_grad()
        loss = torch.nn.functional.binary_cross_entropy_with_logits(rows @ part + bias, useful)
        (loss + 5e-4 * part.square().sum()).backward()
        optimizer.step()
        with torch.no_grad():
            part.copy_(torch.where(signs * part < 0, 0.0, part))
    log(f"confidence: {len(useful)} hits, {useful.mean():.3f} useful, loss {loss.item():.3f}")
    return bias.item(), part.detach().numpy()


def to_record(names: list[str], values: np.ndarray) -> dict[str, float]:
    return {name: round(float(value), 4) for name, value in zip(names, values) if abs(value) > 5e-5}


def log(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
