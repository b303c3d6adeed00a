"""Completes Python at the cursor with jedi, as a baseline; `celrec eval cursor` starts it.

Reads questions as JSON lines from standard input and answers each with one line on standard output:

    {"id": 1, "code": "import os\\nos.pa", "k": 3}
    {"id": 1, "texts": ["th", "thconf_dir", "thsep"]}

`code` ends at the cursor. The first line it writes is {"ready": "VERSION OF JEDI"}.
"""

import json
import sys

import jedi


def complete(code, k):
    lines = code.split("\n")
    try:
        found = jedi.Script(code).complete(len(lines), len(lines[-1]))
    except Exception:  # jedi raises whatever its parser meets in broken code
        return []
    # Names that start with an underscore come last, as in an editor.
    shown = [each for each in found if each.complete]
    shown.sort(key=lambda each: each.name.startswith("_"))
    return [each.complete for each in shown[:k]]


def main():
    print(json.dumps({"ready": jedi.__version__}), flush=True)
    for line in sys.stdin:
        question = json.loads(line)
        texts = complete(question["code"], question["k"])
        print(json.dumps({"id": question["id"], "texts": texts}), flush=True)


main()
