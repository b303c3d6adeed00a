# Trains the labeller from labelled JSON lines; run it after a change of rules, features or data. See models/labels/README.md.
#
#   npm run build && python scripts/train-labels.py CELLS.jsonl... [--labels FOLDER] [--out FOLDER] [--keep-out]
#
# Needs numpy, scipy, scikit-learn and lightgbm. The features come from dist/scripts/label-features.js, so there is one
# definition of them. A line is {source, label: [...], notebook}; cells of one notebook are never split between training and test.
# The training also uses scripts/train_labels/written-cells.jsonl: cells written for this project, which are never scored.
# They follow docs/reference/labels.md where the labelled notebooks have too few examples or contradict themselves.

import argparse
import collections
import hashlib
import json
import subprocess
import tempfile
import time
from pathlib import Path

import lightgbm
import numpy as np
from scipy.sparse import csr_matrix
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold
from train_labels.report import label_f1, prefix_scores, write_report

ROOT = Path(__file__).resolve().parent.parent
WRITTEN = ROOT / "scripts/train_labels/written-cells.jsonl"
LABELS = ["setup_notebook", "ingest_data", "validate_data", "process_data",
          "visualize_data", "train_model", "evaluate_model", "transfer_results"]
FEWEST_NOTEBOOKS = 3
HELD_OUT = 8
COPY_WEIGHT = 0.15
TREES = dict(objective="binary", learning_rate=0.08, max_depth=5, feature_fraction=0.4, min_sum_hessian_in_leaf=0.01,
             bagging_fraction=0.8, bagging_freq=1, seed=1, num_threads=1, deterministic=True, force_row_wise=True, verbose=-1)
# The rest of a prefix is unknown, so smaller trees and smaller weights give better scores for prefixes.
# For cells, the mean of two short runs with different random numbers varies less than one longer run.
SIZES = {"cell": dict(bags=2, rounds=45, linear=0.3, trees=dict(learning_rate=0.16, num_leaves=12, min_data_in_leaf=5, lambda_l2=2)),
         "prefix": dict(bags=1, rounds=60, linear=0.05, trees=dict(num_leaves=6, min_data_in_leaf=30, lambda_l2=20))}
COMMON_THRESHOLD = 0.42
COMMON_SHARE = 0.75
MET = 0.9935


def main():
    args = parse_args()
    started = time.time()
    cells = [cell for path in args.cells for cell in read_cells(path)]
    written = read_cells(WRITTEN)
    labels = LABELS + sorted({name for cell in cells for name in cell["label"]} - set(LABELS) - {"None"})
    truth = np.array([[name in cell["label"] for name in labels] for cell in cells + written], dtype=int)
    notebooks = np.array([cell.get("notebook", f"cell {at}") for at, cell in enumerate(cells)])
    rows = read_features(cells + written, args.labels)
    held = np.array([int(hashlib.sha256(name.encode()).hexdigest(), 16) % HELD_OUT == 0 for name in notebooks])
    data = Data(labels, truth, notebooks, rows, held)

    heads = {head: train_head(data, head, args.keep_out) for head in ("cell", "prefix")}
    model = write_model(Path(args.out), data, heads)
    if args.cases:
        write_cases(Path(args.cases), args.labels, model)
    write_report(Path(args.out) / "scores.md", data, heads, time.time() - started)


def parse_args():
    parser = argparse.ArgumentParser(description="Trains celrec's labeller.")
    parser.add_argument("cells", nargs="+", help="JSON lines of {source, label, notebook}")
    parser.add_argument("--labels", help="folder with rules of your own (rules.jsonl)")
    parser.add_argument("--out", default=str(ROOT / "models/labels"), help="where model.jsonl and scores.md go")
    parser.add_argument("--keep-out", action="store_true", help="keep the held-out notebooks out of the model, too, to measure it")
    parser.add_argument("--cases", help="JSON lines of {source} that get this model's probabilities, for the tests")
    return parser.parse_args()


def read_cells(path):
    return [json.loads(line) for line in open(path, encoding="utf8") if line.strip()]


class Data:
    """The cells of the notebooks, then those written for this project, which only `rows` and `all_truth` contain."""

    def __init__(self, labels, truth, notebooks, rows, held):
        self.labels, self.notebooks, self.rows, self.held = labels, notebooks, rows, held
        self.all_truth, self.truth = truth, truth[:len(notebooks)]
        self.cell_of = np.array([row["row"] for row in rows])
        self.variant = np.array([row["variant"] for row in rows])
        self.lines = np.array([row["lines"] for row in rows])
        total = dict(zip(self.cell_of[self.variant == "cell"], self.lines[self.variant == "cell"]))
        self.total = np.array([total[cell] for cell in self.cell_of])
        clean = {row["row"]: row["clean"] for row in rows if row["variant"] == "cell"}
        self.clean = [clean[cell] for cell in range(len(notebooks))]
        self.written = self.cell_of >= len(notebooks)
        self.seen = self.rows_of(~held) | self.written

    def rows_of(self, cells):
        """A mask of the rows that belong to the given cells; `cells` is also a mask."""
        return np.append(cells, np.zeros(len(self.all_truth) - len(cells), dtype=bool))[self.cell_of]

    def training(self, head):
        """The weight of each row in training; 0 for rows that are not used."""
        if head == "cell":
            weight = np.select([self.variant == "cell", np.isin(self.variant, ["renamed", "noised"])], [1, COPY_WEIGHT], 0)
            return weight
        quarter = np.maximum(1, np.rint(np.outer(self.total, [0, .25, .5, .75])).astype(int))
        wanted = (self.variant == "prefix") & (quarter == self.lines[:, None]).any(1) & (self.lines < self.total)
        weight = np.select([wanted | np.isin(self.variant, ["cell", "typed"]), self.variant == "noised"], [1, COPY_WEIGHT], 0)
        return weight

    def scored(self, head):
        """A mask of the rows that are scored: cells, or every line prefix of cells with three or more lines."""
        wanted = self.variant == "cell" if head == "cell" else (self.variant == "prefix") & (self.total >= 3)
        return wanted & ~self.written


def read_features(cells, folder):
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl", encoding="utf8") as file:
        file.writelines(json.dumps({"source": cell["source"]}) + "\n" for cell in cells)
        file.flush()
        command = ["node", str(ROOT / "dist/scripts/label-features.js"), file.name]
        if folder:
            command += ["--labels", folder]
        return [json.loads(line) for line in subprocess.run(command, capture_output=True, check=True).stdout.splitlines()]


def train_head(data, head, keep_out):
    """Cross-validates without the held-out notebooks, measures on these, and then fits on all notebooks unless `keep_out`."""
    weight, scored = data.training(head), data.scored(head)
    seen, written = data.seen, data.written
    score = np.zeros((len(data.rows), len(data.labels)))
    fold_of = np.full(len(data.rows), -1)
    cells = np.flatnonzero(~data.held)
    folds = GroupKFold(5, shuffle=True, random_state=1).split(cells, groups=data.notebooks[cells])
    for fold, (train, test) in enumerate(folds):
        fold_of[np.isin(data.cell_of, cells[test])] = fold
        use = (np.isin(data.cell_of, cells[train]) | written) & (weight > 0)
        ask = (fold_of == fold) & (scored | (weight > 0))
        score[ask] = fit(data, use, weight, SIZES[head]).score(data, ask)
        print(f"{head}: fold {fold + 1} of 5", flush=True)
    final = fit(data, seen & (weight > 0), weight, SIZES[head])
    ask = ~seen & (scored | (weight > 0))
    score[ask] = final.score(data, ask)

    counted = ~written & (scored if head == "cell" else scored | (weight >= 1))
    basis = seen & counted
    # The figures of a fold are calibrated on the other folds, those of the held-out notebooks on all folds.
    probability = np.zeros_like(score)
    threshold = np.zeros_like(score)
    for fold in range(5):
        probability[fold_of == fold], threshold[fold_of == fold] = judge(data, score, basis & (fold_of != fold), fold_of == fold)
    probability[~seen], threshold[~seen] = judge(data, score, basis, ~seen)
    if not keep_out:
        # No notebook was scored by a model that had seen it, so all scores can be used for the final thresholds.
        basis = counted
        final = fit(data, weight > 0, weight, SIZES[head])
    final.calibration = calibrate(score[basis], data.truth[data.cell_of[basis]])
    final.thresholds = thresholds(apply(final.calibration, score[basis]), data.truth[data.cell_of[basis]])
    final.probability, final.threshold, final.scored = probability, threshold, scored
    final.possible = possible_thresholds(data, probability, scored & seen)
    return final


def judge(data, score, basis, mine):
    """The probabilities of the rows `mine`, and thresholds; both calibrated on the rows `basis`."""
    truth = data.truth[data.cell_of[basis]]
    calibration = calibrate(score[basis], truth)
    return apply(calibration, score[mine]), thresholds(apply(calibration, score[basis]), truth)


class Fit:
    def __init__(self, vocabulary, linear, trees):
        self.vocabulary, self.linear, self.trees = vocabulary, linear, trees

    def score(self, data, ask):
        values = matrix([row for row, asked in zip(data.rows, ask) if asked], self.vocabulary)
        columns = [(one.decision_function(values) + np.mean([bag.predict(values, raw_score=True) for bag in bags], 0)) / 2
                   for one, bags in zip(self.linear, self.trees)]
        return np.array(columns).T


def fit(data, use, weight, size):
    rows = [row for row, used in zip(data.rows, use) if used]
    vocabulary = choose_features(rows, data.notebooks)
    values, weights = matrix(rows, vocabulary), weight[use]
    linear, trees = [], []
    for label in range(len(data.labels)):
        wanted = data.all_truth[data.cell_of[use], label]
        if wanted.min() == wanted.max():
            raise SystemExit(f"{data.labels[label]}: needs cells with and without this label in several notebooks")
        linear.append(LogisticRegression(C=size["linear"], solver="liblinear", max_iter=300).fit(values, wanted, weights))
        table = lightgbm.Dataset(values, wanted, weight=weights)
        trees.append([lightgbm.train({**TREES, **size["trees"], "seed": 1 + bag}, table, size["rounds"]) for bag in range(size["bags"])])
    return Fit(vocabulary, linear, trees)


def choose_features(rows, notebooks):
    """The features that occur in several notebooks, because features of a single author do not generalise."""
    seen = collections.defaultdict(set)
    for row in rows:
        if row["variant"] not in ("renamed", "noised") and row["row"] < len(notebooks):
            for feature in row["features"]:
                seen[feature].add(notebooks[row["row"]])
    return sorted(feature for feature, found in seen.items() if len(found) >= FEWEST_NOTEBOOKS)


def matrix(rows, vocabulary):
    place = {feature: at for at, feature in enumerate(vocabulary)}
    starts, columns, values = [0], [], []
    for row in rows:
        for feature, value in row["features"].items():
            if feature in place:
                columns.append(place[feature])
                values.append(value)
        starts.append(len(columns))
    return csr_matrix((values, columns, starts), shape=(len(rows), len(vocabulary)), dtype=float)


def calibrate(score, truth):
    """Platt's slope and offset per label."""
    fits = [LogisticRegression(C=1e3).fit(score[:, [at]], truth[:, at]) for at in range(truth.shape[1])]
    return [(round(float(one.coef_[0, 0]), 5), round(float(one.intercept_[0]), 5)) for one in fits]


def apply(calibration, score):
    slope, offset = np.array(calibration).T
    return 1 / (1 + np.exp(-(score * slope + offset)))


def thresholds(probability, truth):
    """Each label's best threshold by smoothed F1, moved towards a common value, because the best alone overfits."""
    grid = np.arange(0.15, 0.75, 0.01)
    best = []
    for at in range(truth.shape[1]):
        f1 = np.array([label_f1(probability[:, at] >= one, truth[:, at]) for one in grid])
        smooth = np.convolve(np.pad(f1, 4, mode="edge"), np.ones(9) / 9, mode="valid")
        own = float(grid[int(np.argmax(smooth))])
        best.append(round(COMMON_SHARE * COMMON_THRESHOLD + (1 - COMMON_SHARE) * own, 3))
    return np.array(best)


def possible_thresholds(data, probability, rows):
    """The highest share of a label's frequency at which almost no prefix loses all labels of its whole cell.

    A rare label costs little to keep, so it stays possible at a lower probability.
    """
    frequency = data.truth.mean(0)
    table = [(share, prefix_scores(data, probability, rows, share * frequency)) for share in np.arange(0.02, 1, 0.01)]
    share = max((share for share, (met, _) in table if met >= MET), default=0.02)
    return np.round(share * frequency, 4)


def write_model(folder, data, heads):
    """JSON lines, as src/label/model.ts reads them."""
    vocabulary = sorted(set(heads["cell"].vocabulary) | set(heads["prefix"].vocabulary))
    place = {feature: at for at, feature in enumerate(vocabulary)}
    parts = []
    for head, fitted in heads.items():
        at_place = [place[feature] for feature in fitted.vocabulary]
        for at, label in enumerate(data.labels):
            parts.append({"head": head, "label": label, "threshold": float(fitted.thresholds[at]),
                          "possible": float(fitted.possible[at]), "calibration": list(fitted.calibration[at]),
                          "linear": export_linear(fitted.linear[at], at_place),
                          "trees": export_trees(fitted.trees[at], at_place)})
    body = "".join(json.dumps(part, separators=(",", ":")) + "\n" for part in parts)
    header = {"format": 1, "labels": data.labels, "features": vocabulary, "sha256": hashlib.sha256(body.encode()).hexdigest()}
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "model.jsonl").write_text(json.dumps(header, separators=(",", ":"), ensure_ascii=False) + "\n" + body, encoding="utf8")
    return {**header, "parts": parts}


def export_linear(model, at_place):
    kept = [(at_place[at], round(float(weight), 3)) for at, weight in enumerate(model.coef_[0]) if abs(weight) >= 0.0005]
    return {"bias": round(float(model.intercept_[0]), 5), "feature": [at for at, _ in kept], "weight": [weight for _, weight in kept]}


def export_trees(bags, at_place):
    """All trees in one list. Values are divided by the number of bags, so that their sum is the mean over bags."""
    trees = {"starts": [], "feature": [], "threshold": [], "skip": [], "value": []}

    def add(node):
        here = len(trees["feature"])
        leaf = "leaf_value" in node
        trees["feature"].append(-1 if leaf else at_place[node["split_feature"]])
        trees["threshold"].append(0 if leaf else round(node["threshold"], 4))
        trees["skip"].append(0)
        trees["value"].append(round(node["leaf_value" if leaf else "internal_value"] / len(bags), 4))
        if not leaf:
            add(node["left_child"])
            trees["skip"][here] = len(trees["feature"]) - here
            add(node["right_child"])

    for bag in bags:
        for tree in bag.dump_model()["tree_info"]:
            trees["starts"].append(len(trees["feature"]))
            add(tree["tree_structure"])
    return trees


def write_cases(path, folder, model):
    """Stores with each case the probabilities of the exported model, so that a test can compare those of celrec."""
    cases = [json.loads(line) for line in path.read_text(encoding="utf8").splitlines() if line.strip()]
    features = [row["features"] for row in read_features(cases, folder) if row["variant"] == "cell"]
    for case, found in zip(cases, features):
        values = [found.get(feature, 0) for feature in model["features"]]
        for head in ("cell", "prefix"):
            case[head] = {part["label"]: evaluate(part, values) for part in model["parts"] if part["head"] == head}
    path.write_text("".join(json.dumps(case) + "\n" for case in cases), encoding="utf8")


def evaluate(part, values):
    linear, trees = part["linear"], part["trees"]
    score = linear["bias"] + sum(weight * values[at] for at, weight in zip(linear["feature"], linear["weight"]))
    for node in trees["starts"]:
        while trees["feature"][node] != -1:
            node += trees["skip"][node] if values[trees["feature"][node]] > trees["threshold"][node] else 1
        score += trees["value"][node]
    slope, offset = part["calibration"]
    return float(1 / (1 + np.exp(-(slope * 0.5 * score + offset))))


if __name__ == "__main__":
    main()
