# Starts and stops a Milvus 2.3.5 server for the tests, without containers.
"""Installs, starts and stops a Milvus server.

    python3 scripts/milvus-server.py start [DIR] [--port 19530] [--auth]
    python3 scripts/milvus-server.py stop  [DIR] [--port 19530]

With --auth it wants a user and a password; the first is root:Milvus. DIR (default .milvus) holds the virtual environment and the data; servers of several ports can share it.
`start` prints the address as soon as the server answers calls, and nothing else on stdout. Linux and macOS only.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

from local_server import install, is_free, pid_file, say, stop

REQUIREMENTS = ["milvus==2.3.5"]
START_SECONDS = 240
STOP_SECONDS = 30
# Each part of the server has its own port, derived from the main port, so that two servers share no port.
PARTS = [
    "proxy_internal",
    "root_coord",
    "query_coord",
    "query_node",
    "index_coord",
    "index_node",
    "data_coord",
    "data_node",
]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("action", choices=["start", "stop"])
    parser.add_argument("dir", nargs="?", default=".milvus", type=Path)
    parser.add_argument("--port", type=int, default=19530)
    parser.add_argument("--auth", action="store_true")
    args = parser.parse_args()
    folder = args.dir.resolve()
    if args.action == "start":
        start(folder, args.port, args.auth)
    else:
        stop("Milvus", folder, args.port, STOP_SECONDS)


def start(folder: Path, port: int, auth: bool) -> None:
    if answers(port):
        say(f"A Milvus answers on port {port} already.")
        print(f"127.0.0.1:{port}")
        return
    if not is_free(port):
        sys.exit(f"Port {port} is in use by something that does not answer like Milvus.")
    if not (folder / "venv" / "bin" / "milvus-server").exists():
        install(folder, REQUIREMENTS)
    data = folder / f"data-{port}"
    prepare(folder, data, port)
    process = subprocess.Popen(
        [str(data / "bin" / "milvus"), "run", "standalone"],
        cwd=data,
        env={
            **os.environ,
            "DEPLOY_MODE": "STANDALONE",
            "ETCD_CONFIG_PATH": str(data / "etcd.yaml"),
            "LD_LIBRARY_PATH": str(data / "bin"),
            "COMMON_SECURITY_AUTHORIZATIONENABLED": str(auth).lower(),
            "METRICS_PORT": str(port + 3 + len(PARTS)),
            "MILVUS_RUN_DIR": str(data / "run"),
        },
        stdin=subprocess.DEVNULL,
        stdout=(data / "server.log").open("w"),
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )
    pid_file(folder, port).write_text(str(process.pid))
    say(f"Starting Milvus on port {port}, log in {data}/server.log ...")
    for _ in range(START_SECONDS * 2):
        time.sleep(0.5)
        if process.poll() is not None:
            sys.exit(f"Milvus ended with {process.returncode}; see {data}/server.log.")
        if answers(port) and takes_collections(port):
            print(f"127.0.0.1:{port}")
            return
    stop("Milvus", folder, port, STOP_SECONDS)
    sys.exit(f"Milvus did not answer within {START_SECONDS} s; see {data}/server.log.")


def prepare(folder: Path, data: Path, port: int) -> None:
    """Unpacks the server and writes its settings, as the package's own milvus-server does before it starts.

    The package's milvus-server is not used: it takes other ports than configured if a connection of a killed server
    is still open.
    """
    data.mkdir(parents=True, exist_ok=True)
    ports = {"proxy": port, "etcd": port + 1, **{part: port + 3 + at for at, part in enumerate(PARTS)}}
    code = """
import json, sys, milvus
config = milvus.MilvusServerConfig(data_dir=sys.argv[1])
config.resolve_storage()
for part, port in json.loads(sys.argv[2]).items():
    config.set(f"{part}_port", port)
config.write_config()
milvus._initialize_data_files(sys.argv[1])
"""
    python = folder / "venv" / "bin" / "python"
    subprocess.run([str(python), "-c", code, str(data), json.dumps(ports)], check=True, stdout=sys.stderr)
    # The etcd inside Milvus does not read its port from Milvus' settings.
    client, peer = f"http://127.0.0.1:{port + 1}", f"http://127.0.0.1:{port + 2}"
    (data / "etcd.yaml").write_text(
        f"listen-client-urls: {client}\n"
        f"advertise-client-urls: {client}\n"
        f"listen-peer-urls: {peer}\n"
        f"initial-advertise-peer-urls: {peer}\n"
        f"initial-cluster: default={peer}\n"
    )


def answers(port: int) -> bool:
    return ask(port, "GET", "/v1/vector/collections", None)


def takes_collections(port: int) -> bool:
    """After a kill, writes work about 30 s later than reads, because the session of the killed server has to expire."""
    name = {"collectionName": "milvus_server_is_ready"}
    made = ask(port, "POST", "/v1/vector/collections/create", {**name, "dimension": 2})
    return ask(port, "POST", "/v1/vector/collections/drop", name) and made


def ask(port: int, method: str, path: str, body: dict[str, object] | None) -> bool:
    data = None if body is None else json.dumps(body).encode()
    # Ignored by a server without authentication.
    headers = {"Content-Type": "application/json", "Authorization": "Bearer root:Milvus"}
    request = urllib.request.Request(f"http://127.0.0.1:{port}{path}", data, headers, method=method)
    try:
        with urllib.request.urlopen(request, timeout=60) as response:
            return json.load(response).get("code") == 200
    except (OSError, ValueError):
        return False


if __name__ == "__main__":
    main()
