"""Handlers for the browser extension: the service under /celrec/, and its settings."""

import asyncio
import json
from datetime import datetime, timezone

from jupyter_server.base.handlers import APIHandler, JupyterHandler
from jupyter_server.utils import url_path_join
from tornado import web

from .command import NotStartable, find_command
from .connection import Connection, forget_connection, parse_url, read_connection, write_connection
from .forward import Unreachable, forward, write_problem
from .process import Service, StartFailed


def add_handlers(web_app):
    base_url = web_app.settings["base_url"]
    service = Service()
    web_app.add_handlers(
        ".*$",
        [
            (url_path_join(base_url, "celrec-jupyterlab", "connection"), ConnectionHandler),
            (url_path_join(base_url, "celrec", "(.*)"), ServiceHandler, {"service": service}),
        ],
    )


class ServiceHandler(JupyterHandler):
    """Passes requests on, after Jupyter's login and its check against forged requests. The service sees neither the
    browser's Host nor its Origin, only its own token."""

    exchange = None

    def initialize(self, service):
        self.service = service

    def check_xsrf_cookie(self):
        # Pages of this server need no XSRF token: a page cannot forge its Origin, and the playground has no such token.
        if self.request.headers.get("Origin") != f"{self.request.protocol}://{self.request.host}":
            super().check_xsrf_cookie()

    def on_connection_close(self):
        super().on_connection_close()
        if self.exchange is not None:
            self.exchange.cancel()

    @web.authenticated
    async def get(self, path):
        # Marks the server as active, so JupyterHub does not stop it as idle.
        self.settings["api_last_activity"] = datetime.now(timezone.utc)
        self.exchange = asyncio.ensure_future(self.answer(f"/{path}"))
        try:
            await self.exchange
        except asyncio.CancelledError:
            self.log.debug("celrec: the browser did not wait")

    head = post = put = patch = delete = options = get

    async def answer(self, path):
        remote = read_connection()
        try:
            if remote is not None:
                return await forward(self, remote.url + path, remote.token)
            await forward(self, await self.service.url() + path, self.service.token)
        except NotStartable as error:
            write_problem(self, 503, "No service", str(error))
        except (StartFailed, Unreachable) as error:
            write_problem(self, 503, "Service unreachable", describe_unreachable(remote, error))


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
