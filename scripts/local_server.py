# Imported by milvus-server.py and milvus-lite.py: installing and stopping a server of this machine.
"""A server that was installed into a folder, and started from there on a port."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path


def install(folder: Path, requirements: list[str]) -> None:
    """Makes the virtual environment of the server."""
    environment = folder / "venv"
    say(f"Installing {' '.join(requirements)} into {environment} ...")
    subprocess.run([sys.executable, "-m", "venv", str(environment)], check=True, stdout=sys.stderr)
    pip = [str(environment / "bin" / "python"), "-m", "pip", "--disable-pip-version-check", "install", "--quiet"]
    subprocess.run([*pip, *requirements], check=True, stdout=sys.stderr)


def stop(name: str, folder: Path, port: int, seconds: int) -> None:
    """Kills the server, because SIGTERM can take Milvus half an hour, and waits until its port is free."""
    remembered = pid_file(folder, port)
    if not remembered.exists():
        say(f"No server on port {port} was started from {folder}.")
        return
    pid = int(remembered.read_text())
    # The process id in the file may be outdated and belong to another process.
    if str(folder) in command_of(pid):
        os.kill(pid, signal.SIGKILL)
    for _ in range(seconds * 10):
        if is_free(port):
            remembered.unlink()
            say(f"{name} on port {port} is stopped.")
            return
        time.sleep(0.1)
    sys.exit(f"Port {port} is still in use after {seconds} s.")


def is_free(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) != 0


def command_of(pid: int) -> str:
    return subprocess.run(["ps", "-p", str(pid), "-o", "command="], capture_output=True, text=True, check=False).stdout


def pid_file(folder: Path, port: int) -> Path:
    return folder / f"server-{port}.pid"


def say(text: str) -> None:
    print(text, file=sys.stderr)
