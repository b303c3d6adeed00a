"""Scores the lists and texts of the JSON file named first with trec_eval and sacrebleu; writes JSON to the second."""

import json
import sys

from pytrec_eval import RelevanceEvaluator
from sacrebleu.metrics import CHRF


def score_lists(lists, k):
    judged, run = {}, {}
    for number, ranked in enumerate(lists):
        name = str(number)
        # The ratings of one ideal list all differ, so a rating names its cell. Gains as grades: trec_eval's are linear.
        judged[name] = {f"relevant-{rating}": 2**rating - 1 for rating in ranked["ideal"]}
        cells = [
            f"relevant-{rating}" if rating >= 3 else f"unrelated-{rank}"
            for rank, rating in enumerate(ranked["ratings"][:k])
        ]
        # trec_eval leaves out queries without an answer: give them one that nobody asked for.
        cells = cells or ["unrelated"]
        run[name] = {cell: float(len(cells) - rank) for rank, cell in enumerate(cells)}
    measures = {f"{measure}.{k}" for measure in ("P", "recall", "success", "ndcg_cut", "map_cut")}
    scores = RelevanceEvaluator(judged, measures | {"recip_rank"}).evaluate(run)
    names = {
        "precision": f"P_{k}",
        "recall": f"recall_{k}",
        "mrr": "recip_rank",
        "hit-rate": f"success_{k}",
        "ndcg-ideal": f"ndcg_cut_{k}",
        "map-cut": f"map_cut_{k}",
    }
    return {ours: [scores[str(number)][theirs] for number in range(len(lists))] for ours, theirs in names.items()}


def main(source, target):
    with open(source, encoding="utf-8") as file:
        asked = json.load(file)
    chrf = CHRF()
    answer = {
        "lists": {str(k): score_lists(asked["lists"], k) for k in asked["ks"]},
        "chrf": [chrf.sentence_score(given, [wanted]).score / 100 for given, wanted in asked["texts"]],
    }
    with open(target, "w", encoding="utf-8") as file:
        json.dump(answer, file)


main(*sys.argv[1:])
