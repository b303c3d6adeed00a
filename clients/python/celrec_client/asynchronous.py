from __future__ import annotations

import asyncio
import ssl
from typing import TYPE_CHECKING, Any, Dict, Mapping, Optional, Union
from urllib.parse import urlsplit

from .errors import no_answer, read_answer
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


class AsyncCelrec:
    """Calls the service over one connection, one call at a time. Cancelling a task ends the work in the service, too."""

    def __init__(self, url: str = "http://127.0.0.1:8787", token: Optional[str] = None, timeout: float = 30.0) -> None:
        self.url = url.rstrip("/")
        self._headers = make_headers(token)
        self._parts = urlsplit(self.url)
        self._timeout = timeout
        self._streams: Optional[tuple[asyncio.StreamReader, asyncio.StreamWriter]] = None
        self._lock: Optional[asyncio.Lock] = None

    async def __aenter__(self) -> AsyncCelrec:
        return self

    async def __aexit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        if self._streams is not None:
            self._streams[1].close()
            self._streams = None

    async def recommend(self, code: str, **fields: Unpack[RecommendFields]) -> Answer:
        """The stored cells that help most with this one. `code` is the cell's text before the cursor."""
        return await self._call("POST", "/v1/recommendations", body={"code": code, **fields})

    async def complete(self, prefix: str, **fields: Unpack[CompleteFields]) -> Completions:
        """Continuations of the text at the cursor, the most probable first; an empty list if none is likely enough."""
        return await self._call("POST", "/v1/completions", body={"prefix": prefix, **fields})

    async def search(self, text: str, **fields: Unpack[SearchFields]) -> Dict[str, Any]:
        """Searches cells by plain words."""
        return await self._call("POST", "/v1/search", body={"text": text, **fields})

    async def find_similar(self, notebook: Union[str, Notebook], k: int = 5) -> Dict[str, Any]:
        """The stored notebooks most similar to a given one: the JSON of an ipynb file, or the id of a stored notebook."""
        return await self._call("POST", "/v1/similar-notebooks", body={"notebook": notebook, "k": k})

    async def list_sources(self) -> Dict[str, Any]:
        return await self._call("GET", "/v1/sources")

    async def forget_source(self, id: str) -> None:
        """Removes a source, by its id, with all its notebooks."""
        await self._call("DELETE", path_of("sources", id))

    async def feedback(self, recommendation: str, rank: int, event: Event) -> None:
        """Reports what the user did with a hit; stored only if the service has feedback turned on."""
        await self._call("POST", "/v1/feedback", body={"recommendation": recommendation, "rank": rank, "event": event})

    async def feedback_summary(self) -> Dict[str, Any]:
        return await self._call("GET", "/v1/feedback/summary")

    async def label(self, code: Optional[str] = None, partial: bool = False, notebook: Optional[Notebook] = None) -> Dict[str, Any]:
        """The tasks of one cell, or of every cell of a notebook, with probabilities."""
        return await self._call("POST", "/v1/labels", body={"notebook": notebook} if code is None else {"code": code, "partial": partial})

    async def upload(self, name: str, notebook: Notebook, source: Optional[str] = None) -> Dict[str, Any]:
        """Adds a notebook (the JSON of an ipynb file), or replaces the one of this source and name."""
        return await self._call("POST", "/v1/notebooks", query={"name": name, "source": source}, body=notebook)

    async def upload_files(self, files: Mapping[str, bytes], source: Optional[str] = None) -> Dict[str, Any]:
        """Uploads notebook and script files (`.ipynb`, `.py`), by name."""
        return await self._call("POST", "/v1/notebooks", query={"source": source}, body=make_form(files))

    async def list_notebooks(self, cursor: Optional[str] = None, limit: Optional[int] = None) -> Dict[str, Any]:
        """One page of the stored notebooks. Pass the answer's `cursor` to get the next page."""
        return await self._call("GET", "/v1/notebooks", query={"cursor": cursor, "limit": limit})

    async def get_notebook(self, id: str) -> Dict[str, Any]:
        return await self._call("GET", path_of("notebooks", id))

    async def get_markdown(self, id: str) -> Dict[str, Any]:
        """The Markdown of a notebook whose file is on the machine of the service."""
        return await self._call("GET", f"{path_of('notebooks', id)}/markdown")

    async def delete_notebook(self, id: str) -> None:
        await self._call("DELETE", path_of("notebooks", id))

    async def get_cell(self, id: str, offset: Optional[int] = None, limit: Optional[int] = None) -> Dict[str, Any]:
        """A stored cell, and a page of its occurrences."""
        return await self._call("GET", path_of("cells", id), query={"offset": offset, "limit": limit})

    async def count_labels(self) -> Dict[str, Any]:
        """The label set, with the number of stored cells per label."""
        return await self._call("GET", "/v1/labels")

    async def stats(self) -> Dict[str, Any]:
        return await self._call("GET", "/v1/stats")

    async def clear(self) -> None:
        """Empties the index."""
        await self._call("DELETE", "/v1/index")

    async def health(self) -> Dict[str, Any]:
        return await self._call("GET", "/healthz")

    async def ready(self) -> Dict[str, Any]:
        """Raises if the store or the model cannot answer."""
        return await self._call("GET", "/readyz")

    async def _call(self, method: str, path: str, query: Optional[Mapping[str, Any]] = None, body: Any = None) -> Any:
        # Created here, because before Python 3.10 a lock belongs to the event loop that runs when it is created.
        self._lock = self._lock or asyncio.Lock()
        content, data = encode_body(body)
        request = self._make_request(method, make_target(self._parts.path + path, query), content, data)
        async with self._lock:
            is_fresh = self._streams is None
            try:
                answer = await self._send(request)
            except (OSError, EOFError, asyncio.TimeoutError) as error:
                self.close()
                if is_fresh or isinstance(error, asyncio.TimeoutError):
                    raise no_answer(self.url, error or "no answer in time") from error
                # The service closes a connection that was idle for long; then the call is tried once more on a new one.
                try:
                    answer = await self._send(request)
                except (OSError, EOFError, asyncio.TimeoutError) as again:
                    self.close()
                    raise no_answer(self.url, again) from again
            except BaseException:
                # After a cancelled call, the rest of its answer must not be read as the answer of the next call.
                self.close()
                raise
        return read_answer(*answer)

    def _make_request(self, method: str, target: str, content: Dict[str, str], data: bytes) -> bytes:
        headers = {"host": self._parts.netloc, "content-length": str(len(data)), **self._headers, **content}
        lines = [f"{method} {target} HTTP/1.1", *(f"{name}: {value}" for name, value in headers.items()), "", ""]
        return "\r\n".join(lines).encode("latin-1") + data

    async def _send(self, request: bytes) -> tuple[int, Dict[str, str], bytes]:
        return await asyncio.wait_for(self._exchange(request), self._timeout)

    async def _exchange(self, request: bytes) -> tuple[int, Dict[str, str], bytes]:
        if self._streams is None:
            is_secure = self._parts.scheme == "https"
            port = self._parts.port or (443 if is_secure else 80)
            context = ssl.create_default_context() if is_secure else None
            self._streams = await asyncio.open_connection(self._parts.hostname, port, ssl=context)
        reader, writer = self._streams
        writer.write(request)
        await writer.drain()
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        status = int(head[0].split(" ", 2)[1])
        pairs = (line.split(":", 1) for line in head[1:] if ":" in line)
        headers = {name.strip().lower(): value.strip() for name, value in pairs}
        text = await self._read_body(reader, headers, status)
        if headers.get("connection", "").lower() == "close":
            self.close()
        return status, headers, text

    @staticmethod
    async def _read_body(reader: asyncio.StreamReader, headers: Mapping[str, str], status: int) -> bytes:
        if status == 204:
            return b""
        if headers.get("transfer-encoding", "").lower() != "chunked":
            return await reader.readexactly(int(headers.get("content-length", "0")))
        parts = []
        while True:
            size = int((await reader.readuntil(b"\r\n")).split(b";")[0], 16)
            parts.append(await reader.readexactly(size))
            await reader.readuntil(b"\r\n")
            if size == 0:
                return b"".join(parts)
