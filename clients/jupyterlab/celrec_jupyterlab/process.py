"""The service next to Jupyter, as jupyter-server-proxy starts it."""

import secrets
from pathlib import Path

from jupyter_core.paths import jupyter_data_dir
from jupyter_server_proxy.config import ServerProcess

from .command import find_command

START_SECONDS = 60
LOOPBACK = "127.0.0.1"


def create_process(token=None):
    """One service per Jupyter server. Its token is made here and passed only to the service: other users of the
    machine reach the port as well."""
    token = token or secrets.token_hex(24)
    return token, ServerProcess(
        name="celrec",
        command=lambda: [*find_command(), "serve", "--samples", "--host", LOOPBACK, "--port", "{port}"],
        environment=lambda: {
            "CELREC_DATA": str(data_folder()),
            "CELREC_TOKEN": token,
            # Kept by the service only when a client sends it, and the extension asks its user first.
            "CELREC_FEEDBACK": "on",
        },
        timeout=START_SECONDS,
        launcher_entry={"enabled": False},
    )


def data_folder():
    folder = Path(jupyter_data_dir()) / "celrec"
    folder.mkdir(parents=True, exist_ok=True)
    return folder
