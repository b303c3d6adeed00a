"""A client of the celrec service, in one file of the standard library.

    from celrec import Celrec
    celrec = Celrec("http://127.0.0.1:8787")
    for hit in celrec.recommend("df = pd.read_csv(", mode="complete")["recommendations"]:
        print(hit["code"])
"""

from __future__ import annotations

import http.client
import json
import urllib.error
import urllib.parse
import urllib.request
from typing import Any, Iterator, Literal, TypedDict

Mode = Literal["auto", "similar", "complete", "next"]
Filter = Literal["strict", "soft", "off"]


class LabelProbability(TypedDict):
    label: str
    probability: float


class Lines(TypedDict):
    start: int
    end: int


class Line(TypedDict):
    line: int
    text: str


class Adapted(TypedDict):
    code: str
    insert: str
    renamed: dict[str, str]


class Recommendation(TypedDict):
    rank: int
    id: str
    code: str
    matched: list[Lines]
    insert: str
    continuesLine: bool
    excerpt: list[Line]
    adapted: Adapted
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
    mode: Literal["similar", "complete", "next"]
    highestConfidence: float | None
    widened: bool
    recommendations: list[Recommendation]
    took: dict[str, float]


# `from` is a keyword, so that this one has no class.
Completion = TypedDict(
    "Completion",
    {
        "text": str,
        "confidence": float,
        "kind": Literal["token", "line", "block"],
        "from": Literal["notebook", "index", "prior"],
        "cells": "list[str]",
    },
)


class Completions(TypedDict):
    id: str
    completions: list[Completion]
    took: dict[str, float]


class CelrecError(Exception):
    """What the service refused: `status`, `problem` (RFC 9457), and the detail as the message.

    `retry_after` are the seconds to wait before the next try, where the service tells. A service that does not answer
    at all has the status 0.
    """

    def __init__(self, status: int, problem: dict[str, Any], retry_after: int | None = None) -> None:
        super().__init__(problem.get("detail") or f"The service answered {status}.")
        self.status = status
        self.problem = problem
        self.retry_after = retry_after


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
        variables: dict[str, str] | None = None,
        context: dict[str, Any] | None = None,
        suffix: str | None = None,
        **settings: Any,
    ) -> Answer:
        """The stored cells that help most with this one. `settings` are the other fields of the request.

        `suffix` is the cell's text after the cursor: nothing that it says already is inserted. `variables` are names of a
        kernel's variables with the names of their types. What is given by itself (`before`,
        `markdown`, `variables`) counts before the same in `context`.
        """
        context = {**(context or {}), **_given(before=before, markdown=markdown, variables=variables)}
        body = {"code": code, "k": k, **_given(suffix=suffix, mode=mode, label=label, filter=filter, context=context or None), **settings}
        return self._call("POST", "/v1/recommendations", body=body)

    def complete(
        self,
        prefix: str,
        suffix: str | None = None,
        k: int = 1,
        max_lines: int = 1,
        before: list[str] | None = None,
        after: list[str] | None = None,
        markdown: str | None = None,
        variables: dict[str, Any] | None = None,
        context: dict[str, Any] | None = None,
        **settings: Any,
    ) -> Completions:
        """The text at the cursor, continued: the most probable first, or an empty list.

        `prefix` and `suffix` are the cell's text before and after the cursor. A variable has the name of its type, or
        `{"type": ..., "columns": [...], "members": [...]}`. `settings` are the other fields of the request.
        """
        context = {**(context or {}), **_given(before=before, after=after, markdown=markdown, variables=variables)}
        body = {"prefix": prefix, "k": k, "maxLines": max_lines, **_given(suffix=suffix, context=context or None), **settings}
        return self._call("POST", "/v1/completions", body=body)

    def search(self, text: str, k: int = 10, label: str | None = None) -> list[dict[str, Any]]:
        """Stored cells by plain words."""
        return self._call("POST", "/v1/search", body={"text": text, "k": k, **_given(label=label)})["cells"]

    def similar(self, notebook: dict[str, Any] | str, k: int = 5) -> list[dict[str, Any]]:
        """The stored notebooks most like a given one (the JSON of an ipynb file, or the id of a stored notebook)."""
        return self._call("POST", "/v1/similar-notebooks", body={"notebook": notebook, "k": k})["notebooks"]

    def feedback(self, answer_id: str, rank: int, event: Literal["shown", "accepted", "edited", "dismissed"]) -> None:
        """Reports what the user did with a hit; stored only if the service has feedback turned on."""
        self._call("POST", "/v1/feedback", body={"recommendation": answer_id, "rank": rank, "event": event})

    def feedback_summary(self) -> dict[str, Any]:
        """How many hits were shown, accepted, edited and dismissed."""
        return self._call("GET", "/v1/feedback/summary")

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
        return self._call("GET", _path("notebooks", id))

    def delete(self, id: str) -> None:
        self._call("DELETE", _path("notebooks", id))

    def cell(self, id: str, offset: int = 0, limit: int = 100) -> dict[str, Any]:
        """A stored cell, and a page of where it occurs."""
        return self._call("GET", _path("cells", id), {"offset": offset, "limit": limit})

    def sources(self) -> list[dict[str, Any]]:
        """The sources of the notebooks, by name."""
        return self._call("GET", "/v1/sources")["sources"]

    def forget_source(self, id: str) -> None:
        """Removes a source, by its id, with all its notebooks."""
        self._call("DELETE", _path("sources", id))

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
            wait = error.headers.get("retry-after", "")
            raise CelrecError(error.code, _problem(error.read()), int(wait) if wait.isdigit() else None) from None
        except (OSError, http.client.HTTPException) as error:
            reason = getattr(error, "reason", None) or error
            detail = f"The service at {self.url} does not answer ({reason}); is it running?"
            raise CelrecError(0, {"title": "No answer", "status": 0, "detail": detail}) from error
        return json.loads(text) if text else None


def _path(kind: str, id: str) -> str:
    """Encoded, so that an id such as `../index` cannot lead to another route."""
    return f"/v1/{kind}/{urllib.parse.quote(id, safe='')}"


def _given(**values: Any) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}


def _problem(text: bytes) -> dict[str, Any]:
    """For answers without a problem document, such as a proxy's."""
    try:
        problem = json.loads(text)
    except ValueError:
        return {}
    return problem if isinstance(problem, dict) else {}
