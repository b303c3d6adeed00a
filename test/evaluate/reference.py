"""Scores the lists, texts and cells of the JSON file named first with the reference libraries; writes JSON to the second."""

import json
import logging
import sys

from codebleu import calc_codebleu
from codebleu.parser import remove_comments_and_docstrings
from codebleu.utils import get_tree_sitter_language
from pytrec_eval import RelevanceEvaluator
from rouge_score import rouge_scorer
from sacrebleu.metrics import BLEU, CHRF
from tree_sitter import Parser

logging.disable(logging.WARNING)

def score_lists(lists, k):
    judged, run = {}, {}
    for number, ranked in enumerate(lists):
        name = str(number)
        # The ratings of an ideal list are all different, so a rating identifies its cell. Grades
        # are our gains, because trec_eval's gains are linear.
        judged[name] = {f"relevant-{rating}": 2**rating - 1 for rating in ranked["ideal"]}
        cells = [
            f"relevant-{rating}" if rating >= 3 else f"unrelated-{rank}"
            for rank, rating in enumerate(ranked["ratings"][:k])
        ]
        # trec_eval leaves out queries without an answer, so these get an irrelevant answer.
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


def score_bleu(pairs, group):
    bleu = BLEU(tokenize="none", smooth_method="none")
    lines = [[" ".join(part["tokens"]) for part in pair] for pair in pairs]
    groups = [lines[start : start + group] for start in range(0, len(lines), group)] + ([lines] if lines else [])
    return [bleu.corpus_score([given for given, _ in one], [[wanted for _, wanted in one]]).score / 100 for one in groups]


def score_codebleu(pairs):
    parser = Parser()
    parser.language = get_tree_sitter_language("python")

    def shape(code):
        try:
            code = remove_comments_and_docstrings(code.strip(), "python")
        except Exception:
            code = code.strip()
        return str(parser.parse(code.encode()).root_node)

    def score(pair):
        given, wanted = pair
        # The texts are only parsed; the given tokens are used for n-grams.
        tokens = iter([given["tokens"], wanted["tokens"]])
        scores = calc_codebleu([wanted["code"]], [given["code"]], "python", tokenizer=lambda _: next(tokens))
        names = ("ngram", "weighted_ngram", "syntax", "dataflow")
        return {
            "parts": [scores[f"{name}_match_score"] for name in names],
            "total": scores["codebleu"],
            "shapes": [shape(part["code"]) for part in pair],
        }

    return [score(pair) for pair in pairs]


def main(source, target):
    with open(source, encoding="utf-8") as file:
        asked = json.load(file)
    chrf = CHRF()
    rouge = rouge_scorer.RougeScorer(["rougeL"])
    answer = {
        "lists": {str(k): score_lists(asked["lists"], k) for k in asked["ks"]},
        "chrf": [chrf.sentence_score(given, [wanted]).score / 100 for given, wanted in asked["texts"]],
        "rouge": [rouge.score(wanted, given)["rougeL"].fmeasure for given, wanted in asked["texts"]],
        "bleu": score_bleu(asked["code"], asked["group"]),
        "codebleu": score_codebleu(asked["code"]),
    }
    with open(target, "w", encoding="utf-8") as file:
        json.dump(answer, file)


main(*sys.argv[1:])
