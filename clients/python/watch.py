"""Watches a notebook, and prints what could follow its last cell each time it is saved: python watch.py NOTEBOOK.ipynb [URL]"""

import json
import os
import sys
import time

from celrec import Celrec

path, *url = sys.argv[1:]
celrec = Celrec(*url)
seen = 0.0
while True:
    if (saved := os.stat(path).st_mtime) != seen:
        seen = saved
        with open(path, encoding="utf-8") as file:
            cells = ["".join(cell["source"]) for cell in json.load(file)["cells"] if cell["cell_type"] == "code"]
        *before, last = cells or [""]
        for hit in celrec.recommend(last, mode="complete", before=before[-20:])["recommendations"]:
            print(f"--- {hit['notebook']['name']} [{hit['notebook']['cellIndex']}] {', '.join(hit['labels'])}")
            print(hit["code"], flush=True)
    time.sleep(1)
