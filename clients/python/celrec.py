"""A client of the celrec service, in one file of the standard library.

    from celrec import Celrec
    celrec = Celrec("http://127.0.0.1:8787")
    for hit in celrec.recommend("df = pd.read_csv(", mode="complete")["recommendations"]:
        print(hit["code"])
"""

from __future__ import annotations

import json
import urllib.error
import urllib.parse
import urllib.request
from typing import Any, Iterator, Literal, TypedDict

Mode = Literal["similar", "complete", "next"]
Filter = Literal["strict", "soft", "off"]


class LabelProbability(TypedDict):
    label: str
    probability: float


class Recommendation(TypedDict):
    rank: int
    id: str
    code: str
    score: float
    confidence: float | None
    labels: list[str]
    occurrences: int
    notebook: dict[str, Any]


class Query(TypedDict):
    primary: str | None
    labels: list[LabelProbability]


class Answer(TypedDict):
    id: str
    query: Query
    widened: bool
    recommendations: list[Recommendation]
    took: dict[str, float]


class CelrecError(Exception):
    """What the service refused: `status`, `problem` (RFC 9457), and the detail as the message."""

    def __init__(self, status: int, problem: dict[str, Any]) -> None:
        super().__init__(problem.get("detail") or f"The service answered {status}.")
        self.status = status
        self.problem = problem


class Celrec:
    def __init__(self, url: str = "http://127.0.0.1:8787", token: str | None = None, timeout: float = 30.0) -> None:
        self.url = url.rstrip("/")
        self.token = token
        self.timeout = timeout

    def recommend(
        self,
        code: str,
        k: int = 3,
        mode: Mode | None = None,
        before: list[str] | None = None,
        markdown: str | None = None,
        label: str | None = None,
        filter: Filter | None = None,
        **settings: Any,
    ) -> Answer:
        """The stored cells that help most with this one. `settings` are the other fields of the request."""
        context = _given(before=before, markdown=markdown)
        body = {"code": code, "k": k, **_given(mode=mode, label=label, filter=filter, context=context or None), **settings}
        return self._call("POST", "/v1/recommendations", body=body)

    def search(self, text: str, k: int = 10, label: str | None = None) -> list[dict[str, Any]]:
        """Stored cells by plain words."""
        return self._call("POST", "/v1/search", body={"text": text, "k": k, **_given(label=label)})["cells"]

    def feedback(self, answer_id: str, rank: int, event: Literal["shown", "accepted", "edited", "dismissed"]) -> None:
        """Tells what became of a hit; kept only where the service is set to."""
        self._call("POST", "/v1/feedback", body={"recommendation": answer_id, "rank": rank, "event": event})

    def label(self, code: str, partial: bool = False) -> dict[str, Any]:
        """The tasks that a cell does, with probabilities."""
        return self._call("POST", "/v1/labels", body={"code": code, "partial": partial})

    def label_notebook(self, notebook: dict[str, Any]) -> dict[str, Any]:
        return self._call("POST", "/v1/labels", body={"notebook": notebook})

    def upload(self, name: str, notebook: dict[str, Any], source: str | None = None) -> dict[str, Any]:
        """Adds a notebook (the JSON of an ipynb file), or replaces the one of this source and name."""
        return self._call("POST", "/v1/notebooks", _given(name=name, source=source), notebook)

    def notebooks(self, page: int = 1000) -> Iterator[dict[str, Any]]:
        """All notebooks, read a page at a time."""
        cursor: str | None = None
        while True:
            answer = self._call("GET", "/v1/notebooks", _given(cursor=cursor, limit=page))
            yield from answer["notebooks"]
            cursor = answer["cursor"]
            if cursor is None:
                return

    def notebook(self, id: str) -> dict[str, Any]:
        return self._call("GET", f"/v1/notebooks/{id}")

    def delete(self, id: str) -> None:
        self._call("DELETE", f"/v1/notebooks/{id}")

    def cell(self, id: str, offset: int = 0, limit: int = 100) -> dict[str, Any]:
        """A stored cell, and a page of where it occurs."""
        return self._call("GET", f"/v1/cells/{id}", {"offset": offset, "limit": limit})

    def labels(self) -> dict[str, int]:
        """The label set with the number of stored cells that have each."""
        return {row["label"]: row["cells"] for row in self._call("GET", "/v1/labels")["labels"]}

    def stats(self) -> dict[str, Any]:
        return self._call("GET", "/v1/stats")

    def clear(self) -> None:
        """Empties the index."""
        self._call("DELETE", "/v1/index")

    def _call(self, method: str, path: str, query: dict[str, Any] | None = None, body: Any = None) -> Any:
        search = f"?{urllib.parse.urlencode(query)}" if query else ""
        request = urllib.request.Request(f"{self.url}{path}{search}", method=method)
        if self.token is not None:
            request.add_header("authorization", f"Bearer {self.token}")
        if body is not None:
            request.add_header("content-type", "application/json")
            request.data = json.dumps(body).encode()
        try:
            with urllib.request.urlopen(request, timeout=self.timeout) as answer:
                text = answer.read()
        except urllib.error.HTTPError as error:
            raise CelrecError(error.code, _problem(error.read())) from None
        return json.loads(text) if text else None


def _given(**values: Any) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}


def _problem(text: bytes) -> dict[str, Any]:
    """What stands between, such as a proxy, answers in its own way."""
    try:
        problem = json.loads(text)
    except ValueError:
        return {}
    return problem if isinstance(problem, dict) else {}
