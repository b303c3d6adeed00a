# Run after fit-rerank.py, on the lists that fit-rerank-lists.ts wrote, to refit the trees of mode `complete`:
#   python scripts/fit-rerank-trees.py --lists LISTS --out models/rerank --revision 3
# Needs lightgbm and numpy. One thread and a fixed seed: the same lists give the same trees.
import argparse
import hashlib
import json
import sys
from pathlib import Path

import lightgbm as lgb
import numpy as np

from model_manifest import write_manifest

GAP = "gap"
# Features that the trees do not use. `follows` is not computed while something is typed, and calls that were already
# made are discounted by a separate weight.
UNSEEN = ("follows", "unlike-length", "done-calls", "open-call")
# The gain of a candidate: similarity of the text, of the text and the insertion in the user's names, recall and F1 of the calls.
RANK_WEIGHTS = np.array([1.5, 0.5, 1.0, 1.8, 0.9])
SHARPNESS = 20.0
# Weights of the training cases. Cases of the `train` split count less, because the embedder has seen them, and so do
# copies, which only teach to find copies. The measured cases come from Kaggle and GitHub.
KAGGLE, OTHERS = 1.5, 0.7
OF_SPLIT = {"fit": 1.5, "train": 0.8}
OF_CORPUS = 0.5
COPIED = 0.3
TREES = 60
SETTINGS = dict(
    num_leaves=6, learning_rate=0.1, min_data_in_leaf=200, feature_fraction=0.6, lambda_l2=5.0, max_bin=63,
    num_threads=1, seed=1, deterministic=True, force_row_wise=True, verbose=-1,
)
FOLDS = 5


def main() -> None:
    args = parse_arguments()
    head, *lists = map(json.loads, args.lists.open())
    signs = {feature["name"]: feature["sign"] for feature in head["features"]}
    names = list(signs)
    for case in lists:
        case["rows"] = np.array(case["rows"])
        case["gains"] = np.array(case["gains"])
        case["scores"] = np.array(case["scores"])
    inputs = [name for name in names if not name.startswith(UNSEEN)]
    columns = [names.index(name) for name in inputs]
    log(f"{len(lists)} lists, {sum(case['split'] == 'fit' for case in lists)} of the fit split")
    fold_of = lambda case: hashlib.sha256(case["group"].encode()).digest()[0] % FOLDS
    for fold in range(FOLDS):
        model = fit([case for case in lists if fold_of(case) != fold], columns, inputs, signs)
        for case in lists:
            if fold_of(case) == fold:
                case["boosted"] = case["scores"] + model.predict(to_rows(case, columns))
    report(lists)
    trees = to_record(fit(lists, columns, inputs, signs), [*inputs, GAP])
    path = args.out / "weights.json"
    found = json.loads(path.read_text())
    found = {"revision": args.revision, "weights": found["weights"], "trees": trees, "confidence": found["confidence"]}
    path.write_text(print_model(found))
    write_manifest(args.out, "rerank", args.revision, ["weights.json", "frequencies.json", "repeats.json", "origins.json"])


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Fits what trees add to the score of mode complete.")
    parser.add_argument("--lists", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--revision", default="3")
    return parser.parse_args()


def worth_of(case: dict) -> np.ndarray:
    """The weighted gains of a list. It has no gains for calls if the rest of its cell has no calls."""
    used = RANK_WEIGHTS[: case["gains"].shape[1]]
    return case["gains"] @ used / used.sum()


def weight_of(case: dict) -> float:
    weight = (KAGGLE if case["kaggle"] else OTHERS) * (COPIED if case["copies"] else 1)
    is_corpus = case["split"] == "train" and case["corpus"]
    return weight * (OF_CORPUS if is_corpus else OF_SPLIT[case["split"]])


def to_rows(case: dict, columns: list[int]) -> np.ndarray:
    return np.column_stack([case["rows"][:, columns], case["gaps"]])


def fit(lists: list[dict], columns: list[int], inputs: list[str], signs: dict[str, int]) -> lgb.Booster:
    """Boosts trees from the linear score. Compares the softmax of the scores with that of the candidates' worths."""
    sizes = np.array([len(case["rows"]) for case in lists])
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    which = np.repeat(np.arange(len(lists)), sizes)
    worths = [worth_of(case) for case in lists]
    goal = np.concatenate([softmax(SHARPNESS * worth) for worth in worths])
    weight = np.array([(worth.max() - worth.mean()) * weight_of(case) for worth, case in zip(worths, lists)])[which]
    weight /= weight.mean()

    def objective(scores: np.ndarray, _: lgb.Dataset) -> tuple[np.ndarray, np.ndarray]:
        powers = np.exp(scores - np.maximum.reduceat(scores, starts)[which])
        shares = powers / np.add.reduceat(powers, starts)[which]
        return (shares - goal) * weight, np.maximum(shares * (1 - shares), 1e-3) * weight

    rows = np.concatenate([to_rows(case, columns) for case in lists])
    data = lgb.Dataset(rows, label=goal, init_score=np.concatenate([case["scores"] for case in lists]))
    bounds = [*(signs[name] for name in inputs), 0]
    return lgb.train({**SETTINGS, "objective": objective, "monotone_constraints": bounds}, data, TREES)


def softmax(values: np.ndarray) -> np.ndarray:
    powers = np.exp(values - values.max())
    return powers / powers.sum()


def report(lists: list[dict]) -> None:
    """Logs the gains of the best of the top three hits by either score, without diversification, on unseen lists."""
    kept = [case for case in lists if case["split"] == "fit"]
    for key in ("scores", "boosted"):
        hits = [np.argsort(-case[key], kind="stable")[:3] for case in kept]
        gains = [case["gains"][at].max(axis=0) for case, at in zip(kept, hits)]
        means = [np.mean([gain[at] for gain in gains if len(gain) > at]) for at in range(len(RANK_WEIGHTS))]
        length = np.mean([np.array(case["lengths"])[at].mean() for case, at in zip(kept, hits)])
        log(f"{key}: " + " ".join(f"{mean:.4f}" for mean in means) + f", {length:.0f} characters")


def to_record(model: lgb.Booster, inputs: list[str]) -> dict:
    trees = {"inputs": inputs, "roots": [], "feature": [], "threshold": [], "left": [], "right": [], "value": []}

    def add(node: dict) -> int:
        at = len(trees["feature"])
        is_leaf = "leaf_value" in node
        trees["feature"].append(-1 if is_leaf else node["split_feature"])
        trees["threshold"].append(0 if is_leaf else float(f"{node['threshold']:.6g}") + 0.0)
        trees["value"].append(round(node["leaf_value" if is_leaf else "internal_value"], 5) + 0.0)
        trees["left"].append(-1)
        trees["right"].append(-1)
        if not is_leaf:
            trees["left"][at] = add(node["left_child"])
            trees["right"][at] = add(node["right_child"])
        return at

    for tree in model.dump_model()["tree_info"]:
        trees["roots"].append(add(tree["tree_structure"]))
    # Features that no tree uses need not be computed.
    used = sorted({at for at in trees["feature"] if at >= 0})
    trees["inputs"] = [inputs[at] for at in used]
    trees["feature"] = [at if at < 0 else used.index(at) for at in trees["feature"]]
    return trees


def print_model(model: dict) -> str:
    """Prints a model as indented JSON, with each list of the trees on one line."""
    trees = model["trees"]
    text = json.dumps({**model, "trees": {key: f"<{key}>" for key in trees}}, indent=2)
    for key, values in trees.items():
        text = text.replace(f'"<{key}>"', json.dumps(values))
    return text + "\n"


def log(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
