"""A client of the celrec service without dependencies.

    from celrec_client import Celrec

    with Celrec("http://127.0.0.1:8787") as celrec:
        for hit in celrec.recommend("df = pd.read_csv(", mode="complete")["recommendations"]:
            print(hit["code"])
"""

from .asynchronous import AsyncCelrec
from .errors import CelrecError
from .synchronous import Celrec

__all__ = ["AsyncCelrec", "Celrec", "CelrecError"]
