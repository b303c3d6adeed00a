"""A service that Jupyter does not start itself: its URL, and its token, which the browser never gets."""

import json
import os
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from jupyter_core.paths import jupyter_config_dir


@dataclass(frozen=True)
class Connection:
    url: str
    token: str = ""


def connection_file():
    return Path(jupyter_config_dir()) / "celrec.json"


def read_connection(environment=os.environ):
    """The service that the user chose, else the one of the environment. None if Jupyter starts a service itself."""
    file = connection_file()
    if file.exists():
        stored = json.loads(file.read_text("utf-8"))
        return Connection(stored["url"], stored.get("token", ""))
    if environment.get("CELREC_URL"):
        return Connection(environment["CELREC_URL"].rstrip("/"), environment.get("CELREC_TOKEN", ""))
    return None


def write_connection(connection):
    file = connection_file()
    file.parent.mkdir(parents=True, exist_ok=True)
    # Created with mode 600, so that no other user can read it at any time.
    with open(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as stream:
        json.dump({"url": connection.url, "token": connection.token}, stream)
    file.chmod(0o600)


def forget_connection():
    connection_file().unlink(missing_ok=True)


def parse_url(text):
    """The URL without a trailing slash; ValueError if it cannot be the URL of a service."""
    url = text.strip().rstrip("/")
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
        raise ValueError("The URL of a service looks like https://celrec.example.org.")
    return url
