"""Handlers for the browser extension: the service under /celrec/, and its settings."""

import asyncio
import json

from jupyter_server.base.handlers import APIHandler, JupyterHandler
from jupyter_server.utils import url_path_join
from jupyter_server_proxy.config import make_handlers
from tornado import web

from .command import NotStartable, find_command
from .connection import Connection, forget_connection, parse_url, read_connection, write_connection
from .forward import Unreachable, forward, write_problem
from .process import LOOPBACK, create_process


def add_handlers(web_app):
    base_url = web_app.settings["base_url"]
    token, process = create_process()
    own = (url_path_join(base_url, "celrec-jupyterlab", "connection"), ConnectionHandler)
    handlers = [
        (pattern, with_login(handler, token) if rest else handler, *rest)
        for pattern, handler, *rest in make_handlers(base_url, [process])
    ]
    web_app.add_handlers(".*$", [own, *handlers])


def with_login(supervisor, token):
    """The proxy's handler, which starts the service at the first request, with Jupyter's checks in front of it.

    jupyter-server-proxy leaves forged requests for the service to refuse by Host and Origin. Here Jupyter refuses them
    already, so the service sees neither, only its token."""

    class Handler(supervisor):
        exchange = None

        def check_xsrf_cookie(self):
            # A page cannot choose its Origin; the playground under this path has one but not Jupyter's token.
            if self.request.headers.get("Origin") != f"{self.request.protocol}://{self.request.host}":
                JupyterHandler.check_xsrf_cookie(self)

        def on_connection_close(self):
            super().on_connection_close()
            if self.exchange is not None:
                self.exchange.cancel()

        async def proxy(self, port, path):
            self._record_activity()
            self.exchange = asyncio.ensure_future(self.answer(port, path if path.startswith("/") else f"/{path}"))
            try:
                await self.exchange
            except asyncio.CancelledError:
                self.log.debug("celrec: the browser did not wait")

        async def answer(self, port, path):
            remote = read_connection()
            try:
                if remote is not None:
                    return await forward(self, remote.url + path, remote.token)
                find_command()
                self.forget_ended()
                # A closed connection must not leave a half-started service behind.
                await asyncio.shield(self.ensure_process())
                await forward(self, f"http://{LOOPBACK}:{port}{path}", token)
            except NotStartable as error:
                write_problem(self, 503, "No service", str(error))
            except Unreachable as error:
                write_problem(self, 503, "Service unreachable", describe_unreachable(remote, error))

        def forget_ended(self):
            """A service that stopped by itself is started anew."""
            process = self.state.get("proc")
            if process is not None and not process.running and not self.state["proc_lock"].locked():
                del self.state["proc"]

    return Handler


def describe_unreachable(remote, error):
    if remote is None:
        return f"The celrec service beside Jupyter {error}. It is started again with the next question."
    return f"The celrec service at {remote.url} {error}. Check that it is running and that the URL is right."


class ConnectionHandler(APIHandler):
    """The address of the service. The token can be set but never read."""

    @web.authenticated
    def get(self):
        self.finish(json.dumps(describe()))

    @web.authenticated
    def put(self):
        body = self.get_json_body() or {}
        try:
            url = parse_url(str(body.get("url", "")))
        except ValueError as error:
            raise web.HTTPError(400, reason=str(error)) from error
        before = read_connection()
        kept = before.token if before is not None and before.url == url else ""
        write_connection(Connection(url, str(body.get("token", kept))))
        self.finish(json.dumps(describe()))

    @web.authenticated
    def delete(self):
        forget_connection()
        self.finish(json.dumps(describe()))


def describe():
    remote = read_connection()
    if remote is not None:
        return {"where": "elsewhere", "url": remote.url, "hasToken": bool(remote.token), "problem": None}
    try:
        find_command()
        problem = None
    except NotStartable as error:
        problem = str(error)
    return {"where": "here", "url": None, "hasToken": False, "problem": problem}
