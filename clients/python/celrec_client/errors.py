from __future__ import annotations

import json
import os
from typing import Any, Mapping, Optional


class CelrecError(Exception):
    """An error answer of the service: `status`, `problem` (RFC 9457), and the detail as the message.

    `retry_after` are the seconds to wait before the next try, if the service gives them. A service that does not answer
    at all has the status 0.
    """

    def __init__(self, status: int, problem: Mapping[str, Any], retry_after: Optional[int] = None) -> None:
        super().__init__(problem.get("detail") or f"The service answered {status}.")
        self.status = status
        self.problem = dict(problem)
        self.retry_after = retry_after


def no_answer(url: str, reason: object) -> CelrecError:
    detail = f"The service at {url} does not answer ({describe(reason)}); is it running?"
    return CelrecError(0, {"title": "No answer", "status": 0, "detail": detail})


def describe(reason: object) -> str:
    """The reason without the number of the error, and without the address that asyncio repeats."""
    if not isinstance(reason, OSError) or reason.errno is None:
        return str(reason)
    # The error number is negative if a host name cannot be resolved.
    return (os.strerror(reason.errno) if reason.errno > 0 else str(reason.strerror)).lower()


def cancelled() -> CelrecError:
    return CelrecError(0, {"title": "Cancelled", "status": 0, "detail": "The call was cancelled."})


def read_answer(status: int, headers: Mapping[str, str], text: bytes) -> Any:
    """The JSON of an answer; raises if the service refused. `headers` have names in lower case."""
    if 200 <= status < 300:
        return json.loads(text) if text else None
    try:
        problem = json.loads(text)
    except ValueError:
        problem = {}
    wait = headers.get("retry-after", "")
    # A proxy may answer without a problem document.
    raise CelrecError(status, problem if isinstance(problem, dict) else {}, int(wait) if wait.isdigit() else None)
