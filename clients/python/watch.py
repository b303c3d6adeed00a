"""Watches a notebook, and prints recommendations each time it is saved: python watch.py NOTEBOOK.ipynb [URL]"""

import json
import os
import sys
import time

from celrec_client import Celrec, CelrecError


def read_code(path):
    """The code cells; None while the notebook is being written."""
    try:
        with open(path, encoding="utf-8") as file:
            cells = json.load(file)["cells"]
        return ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    except (OSError, ValueError, KeyError, TypeError):
        return None


def show(celrec, cells):
    *before, last = cells or [""]
    for hit in celrec.recommend(last, mode="complete", context={"before": before[-20:]})["recommendations"]:
        print(f"--- {hit['notebook']['name']} [{hit['notebook']['cellIndex']}] {', '.join(hit['labels'])}")
        print(hit["code"], flush=True)


def watch(path, celrec):
    seen = None
    while True:
        saved = os.stat(path).st_mtime if os.path.exists(path) else None
        cells = read_code(path) if saved != seen else None
        if cells is not None:
            seen = saved
            try:
                show(celrec, cells)
            except CelrecError as error:
                print(error, file=sys.stderr, flush=True)
        time.sleep(1)


if __name__ == "__main__":
    path, *url = sys.argv[1:] or [""]
    if len(url) > 1 or not os.path.isfile(path):
        sys.exit(f"There is no notebook {path!r}; usage: python watch.py NOTEBOOK.ipynb [URL]" if path else __doc__)
    watch(path, Celrec(*url))
