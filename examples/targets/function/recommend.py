"""A recommender that is one Python function. It reads a query as a notebook and prints the code of one cell."""

import json
import sys


def recommend(cells: list[str], typed: str) -> str:
    """Your system. `cells` are the code cells above, `typed` is what the cell contains so far."""
    if "read_csv" in typed:
        return typed.rstrip() + "\ndf.head()"
    return cells[-1] if cells else "import pandas as pd"


def main() -> None:
    notebook = json.load(sys.stdin)
    sources = ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code"]
    *above, typed = sources or [""]
    # The whole output is the cell.
    print(recommend(above, typed), end="")


main()
