"""Passes one request on to a celrec service, and stops when the browser does."""

import asyncio
import json
from functools import cache

import aiohttp

# The only headers that are passed on. The service must not see Jupyter's login or the origin of the page.
PASSED_ON = ("Content-Type", "Accept", "X-Request-Id")
HANDED_BACK = ("Content-Type", "X-Request-Id", "Retry-After", "Location", "Content-Security-Policy", "Allow")
ANSWER_SECONDS = 120


class Unreachable(Exception):
    """The service did not answer."""


async def forward(handler, url, token):
    """Writes the service's answer to the handler."""
    headers = {name: handler.request.headers[name] for name in PASSED_ON if name in handler.request.headers}
    if token:
        headers["Authorization"] = f"Bearer {token}"
    query = f"?{handler.request.query}" if handler.request.query else ""
    body = handler.request.body or None
    request = session().request(handler.request.method, url + query, data=body, headers=headers, allow_redirects=False)
    try:
        async with request as response:
            content = await response.read()
    except asyncio.TimeoutError as error:
        raise Unreachable(f"did not answer within {ANSWER_SECONDS} seconds") from error
    except aiohttp.ClientError as error:
        # The system's message, such as "[Errno 111] Connect call failed", is only logged.
        handler.log.warning("celrec: %s: %s", type(error).__name__, error)
        raise Unreachable("does not answer") from error
    handler.set_status(response.status)
    handler.clear_header("Content-Type")
    for name in HANDED_BACK:
        if name in response.headers:
            handler.set_header(name, response.headers[name])
    if content:
        handler.write(content)


@cache
def session():
    """The HTTP session that all requests share, so that a request at each keystroke needs no new connection."""
    return aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=ANSWER_SECONDS), cookie_jar=aiohttp.DummyCookieJar())


def write_problem(handler, status, title, detail):
    """Answers with a problem document (RFC 9457) like the service, so that the panel gets all errors in one format."""
    handler.set_status(status)
    handler.set_header("Content-Type", "application/problem+json")
    if status == 503:
        handler.set_header("Retry-After", "2")
    handler.write(json.dumps({"type": "about:blank", "title": title, "status": status, "detail": detail, "requestId": ""}))
