from __future__ import annotations

import json
import secrets
from typing import Any, Dict, Mapping, NamedTuple, Optional, Tuple
from urllib.parse import quote, urlencode


class Form(NamedTuple):
    """A multipart form."""

    content_type: str
    data: bytes


def make_headers(token: Optional[str]) -> Dict[str, str]:
    return {"accept": "application/json", **({} if token is None else {"authorization": f"Bearer {token}"})}


def make_target(path: str, query: Optional[Mapping[str, Any]]) -> str:
    given = {name: value for name, value in (query or {}).items() if value is not None}
    return f"{path}?{urlencode(given)}" if given else path


def encode_body(body: Any) -> Tuple[Dict[str, str], bytes]:
    """The content-type header and the bytes of a body; both are empty if there is no body."""
    if body is None:
        return {}, b""
    if isinstance(body, Form):
        return {"content-type": body.content_type}, body.data
    return {"content-type": "application/json"}, json.dumps(body).encode()


def make_form(files: Mapping[str, bytes]) -> Form:
    boundary = secrets.token_hex(16)
    parts = b""
    for name, content in files.items():
        shown = name.replace("\\", "_").replace('"', "%22").replace("\r", "").replace("\n", "")
        head = f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="{shown}"\r\n\r\n'
        parts += head.encode() + content + b"\r\n"
    return Form(f"multipart/form-data; boundary={boundary}", parts + f"--{boundary}--\r\n".encode())


def path_of(kind: str, id: str) -> str:
    """Percent-encodes an id, so that `../index` cannot lead to another route."""
    return f"/v1/{kind}/{quote(id, safe='')}"
