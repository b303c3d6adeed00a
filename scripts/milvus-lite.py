# Starts and stops a Milvus Lite server for the tests: the core of Milvus with BM25, in one process.
"""Installs, starts and stops a Milvus Lite server.

    python3 scripts/milvus-lite.py start [DIR] [--port 19630]
    python3 scripts/milvus-lite.py stop  [DIR] [--port 19630]

DIR (default .milvus-lite) holds the virtual environment and the data; servers of several ports can share it.
`start` prints the address as soon as the server answers calls, and nothing else on stdout. Linux and macOS only.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from pathlib import Path

from local_server import install, is_free, pid_file, say, stop

REQUIREMENTS = ["milvus-lite==2.5.1"]
START_SECONDS = 30
STOP_SECONDS = 10


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("action", choices=["start", "stop"])
    parser.add_argument("dir", nargs="?", default=".milvus-lite", type=Path)
    parser.add_argument("--port", type=int, default=19630)
    args = parser.parse_args()
    folder = args.dir.resolve()
    if args.action == "start":
        start(folder, args.port)
    else:
        stop("Milvus Lite", folder, args.port, STOP_SECONDS)


def start(folder: Path, port: int) -> None:
    if not is_free(port):
        if pid_file(folder, port).exists():
            say(f"A Milvus Lite answers on port {port} already.")
            print(f"127.0.0.1:{port}")
            return
        sys.exit(f"Port {port} is in use by something else.")
    if program(folder) is None:
        install(folder, REQUIREMENTS)
    binary = program(folder)
    process = subprocess.Popen(
        # The package's own starter ends the server with the calling Python process, and listens on a socket file.
        [str(binary), str(folder / f"data-{port}.db"), f"127.0.0.1:{port}", "ERROR"],
        cwd=folder,
        env={**os.environ, "LD_LIBRARY_PATH": str(binary.parent), "DYLD_LIBRARY_PATH": str(binary.parent)},
        stdin=subprocess.DEVNULL,
        stdout=(folder / f"server-{port}.log").open("w"),
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )
    pid_file(folder, port).write_text(str(process.pid))
    for _ in range(START_SECONDS * 10):
        time.sleep(0.1)
        if process.poll() is not None:
            sys.exit(f"Milvus Lite ended with {process.returncode}; see {folder}/server-{port}.log.")
        if not is_free(port):
            print(f"127.0.0.1:{port}")
            return
    stop("Milvus Lite", folder, port, STOP_SECONDS)
    sys.exit(f"Milvus Lite did not answer within {START_SECONDS} s; see {folder}/server-{port}.log.")


def program(folder: Path) -> Path | None:
    return next((folder / "venv" / "lib").glob("python*/site-packages/milvus_lite/lib/milvus"), None)


if __name__ == "__main__":
    main()
