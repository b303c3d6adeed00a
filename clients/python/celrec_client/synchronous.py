from __future__ import annotations

import http.client
import socket
import threading
from typing import TYPE_CHECKING, Any, Dict, Mapping, Optional, Union
from urllib.parse import urlsplit

from .errors import cancelled, no_answer, read_answer
from .requests import encode_body, make_form, make_headers, make_target, path_of
from .types import (
    Answer,
    CompleteFields,
    Completions,
    Event,
    Notebook,
    RecommendFields,
    SearchFields,
)

if TYPE_CHECKING:
    from typing_extensions import Unpack


class Celrec:
    """Calls the service over one connection, one call at a time. Threads may share it.

    `cancel` ends the call that waits in another thread; the service then ends its work, too.
    """

    def __init__(self, url: str = "http://127.0.0.1:8787", token: Optional[str] = None, timeout: float = 30.0) -> None:
        self.url = url.rstrip("/")
        self._headers = make_headers(token)
        self._parts = urlsplit(self.url)
        kind = http.client.HTTPSConnection if self._parts.scheme == "https" else http.client.HTTPConnection
        self._connection = kind(self._parts.hostname or "", self._parts.port, timeout=timeout)
        self._lock = threading.Lock()
        self._is_cancelled = False

    def __enter__(self) -> Celrec:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._connection.close()

    def cancel(self) -> None:
        """Cancels the running call, which then raises a CelrecError."""
        self._is_cancelled = True
        open_socket = self._connection.sock
        if open_socket is not None:
            try:
                open_socket.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def recommend(self, code: str, **fields: Unpack[RecommendFields]) -> Answer:
        """The stored cells that help most with this one. `code` is the cell's text before the cursor."""
        return self._call("POST", "/v1/recommendations", body={"code": code, **fields})

    def complete(self, prefix: str, **fields: Unpack[CompleteFields]) -> Completions:
        """Continuations of the text at the cursor, the most probable first; an empty list if none is likely enough."""
        return self._call("POST", "/v1/completions", body={"prefix": prefix, **fields})

    def search(self, text: str, **fields: Unpack[SearchFields]) -> Dict[str, Any]:
        """Searches cells by plain words."""
        return self._call("POST", "/v1/search", body={"text": text, **fields})

    def find_similar(self, notebook: Union[str, Notebook], k: int = 5) -> Dict[str, Any]:
        """The stored notebooks most similar to a given one: the JSON of an ipynb file, or the id of a stored notebook."""
        return self._call("POST", "/v1/similar-notebooks", body={"notebook": notebook, "k": k})

    def list_sources(self) -> Dict[str, Any]:
        return self._call("GET", "/v1/sources")

    def forget_source(self, id: str) -> None:
        """Removes a source, by its id, with all its notebooks."""
        self._call("DELETE", path_of("sources", id))

    def feedback(self, recommendation: str, rank: int, event: Event) -> None:
        """Reports what the user did with a hit; stored only if the service has feedback turned on."""
        self._call("POST", "/v1/feedback", body={"recommendation": recommendation, "rank": rank, "event": event})

    def feedback_summary(self) -> Dict[str, Any]:
        return self._call("GET", "/v1/feedback/summary")

    def label(self, code: Optional[str] = None, partial: bool = False, notebook: Optional[Notebook] = None) -> Dict[str, Any]:
        """The tasks of one cell, or of every cell of a notebook, with probabilities."""
        return self._call("POST", "/v1/labels", body={"notebook": notebook} if code is None else {"code": code, "partial": partial})

    def upload(self, name: str, notebook: Notebook, source: Optional[str] = None) -> Dict[str, Any]:
        """Adds a notebook (the JSON of an ipynb file), or replaces the one of this source and name."""
        return self._call("POST", "/v1/notebooks", query={"name": name, "source": source}, body=notebook)

    def upload_files(self, files: Mapping[str, bytes], source: Optional[str] = None) -> Dict[str, Any]:
        """Uploads notebook and script files (`.ipynb`, `.py`), by name."""
        return self._call("POST", "/v1/notebooks", query={"source": source}, body=make_form(files))

    def list_notebooks(self, cursor: Optional[str] = None, limit: Optional[int] = None) -> Dict[str, Any]:
        """One page of the stored notebooks. Pass the answer's `cursor` to get the next page."""
        return self._call("GET", "/v1/notebooks", query={"cursor": cursor, "limit": limit})

    def get_notebook(self, id: str) -> Dict[str, Any]:
        return self._call("GET", path_of("notebooks", id))

    def get_markdown(self, id: str) -> Dict[str, Any]:
        """The Markdown of a notebook whose file is on the machine of the service."""
        return self._call("GET", f"{path_of('notebooks', id)}/markdown")

    def delete_notebook(self, id: str) -> None:
        self._call("DELETE", path_of("notebooks", id))

    def get_cell(self, id: str, offset: Optional[int] = None, limit: Optional[int] = None) -> Dict[str, Any]:
        """A stored cell, and a page of its occurrences."""
        return self._call("GET", path_of("cells", id), query={"offset": offset, "limit": limit})

    def count_labels(self) -> Dict[str, Any]:
        """The label set, with the number of stored cells per label."""
        return self._call("GET", "/v1/labels")

    def stats(self) -> Dict[str, Any]:
        return self._call("GET", "/v1/stats")

    def clear(self) -> None:
        """Empties the index."""
        self._call("DELETE", "/v1/index")

    def health(self) -> Dict[str, Any]:
        return self._call("GET", "/healthz")

    def ready(self) -> Dict[str, Any]:
        """Raises if the store or the model cannot answer."""
        return self._call("GET", "/readyz")

    def _call(self, method: str, path: str, query: Optional[Mapping[str, Any]] = None, body: Any = None) -> Any:
        with self._lock:
            self._is_cancelled = False
            target = make_target(self._parts.path + path, query)
            content, data = encode_body(body)
            try:
                status, headers, text = self._send(method, target, {**self._headers, **content}, data)
            except (OSError, http.client.HTTPException) as error:
                self._connection.close()
                raise (cancelled() if self._is_cancelled else no_answer(self.url, error)) from error
        return read_answer(status, headers, text)

    def _send(self, method: str, target: str, headers: Dict[str, str], data: bytes) -> Any:
        is_fresh = self._connection.sock is None
        try:
            self._connection.request(method, target, data or None, headers)
            answer = self._connection.getresponse()
        except (ConnectionError, http.client.RemoteDisconnected):
            # The service closes a connection that was idle for long; then the call is tried once more on a new one.
            if is_fresh or self._is_cancelled:
                raise
            self._connection.close()
            self._connection.request(method, target, data or None, headers)
            answer = self._connection.getresponse()
        return answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read()
