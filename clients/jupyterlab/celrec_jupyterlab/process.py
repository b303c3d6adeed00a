"""The service beside Jupyter: one per Jupyter server, started by the first request and ended with Jupyter."""

import asyncio
import atexit
import os
import secrets
import socket
import subprocess
import time
from pathlib import Path

from jupyter_core.paths import jupyter_data_dir

from .command import find_command

START_SECONDS = 60
STOP_SECONDS = 10
LOOK_SECONDS = 0.02
LOOPBACK = "127.0.0.1"


class StartFailed(Exception):
    """The service did not start."""


class Service:
    def __init__(self):
        # A token known only to this server and the service, because other users of the machine can reach the port.
        self.token = secrets.token_hex(24)
        self.process = None
        self.port = 0
        self.starting = None
        atexit.register(self.stop)

    async def url(self):
        """The URL of the running service. One that ended is restarted; concurrent requests share one start."""
        if self.starting is None or (self.starting.done() and self.process.poll() is not None):
            self.starting = asyncio.ensure_future(self.start())
        # The start continues if the browser disconnects, so that no half-started service remains.
        await asyncio.shield(self.starting)
        return f"http://{LOOPBACK}:{self.port}"

    async def start(self):
        words = find_command()
        self.port = free_port()
        environment = {
            "CELREC_DATA": str(data_folder()),
            "CELREC_TOKEN": self.token,
            # Feedback is turned on, but only stored if a client sends it; the extension asks its user first.
            "CELREC_FEEDBACK": "on",
        }
        self.process = subprocess.Popen(
            [*words, "serve", "--samples", "--host", LOOPBACK, "--port", str(self.port)],
            env={**os.environ, **environment},
            stdin=subprocess.DEVNULL,
            # Ctrl-C in the terminal must not stop the service, because Jupyter first asks whether to stop.
            start_new_session=True,
        )
        end = time.monotonic() + START_SECONDS
        while not await self.listens():
            if self.process.poll() is not None:
                raise StartFailed(f"ended with code {self.process.returncode} while it started")
            if time.monotonic() > end:
                self.process.kill()
                raise StartFailed(f"did not start within {START_SECONDS} seconds")
            await asyncio.sleep(LOOK_SECONDS)

    async def listens(self):
        try:
            _, writer = await asyncio.open_connection(LOOPBACK, self.port)
        except OSError:
            return False
        writer.close()
        return True

    def stop(self):
        if self.process is None or self.process.poll() is not None:
            return
        self.process.terminate()
        try:
            self.process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()


def free_port():
    with socket.socket() as probe:
        probe.bind((LOOPBACK, 0))
        return probe.getsockname()[1]


def data_folder():
    folder = Path(jupyter_data_dir()) / "celrec"
    folder.mkdir(parents=True, exist_ok=True)
    return folder
