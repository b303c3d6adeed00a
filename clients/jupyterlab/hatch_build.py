"""Runs when a wheel is built. Adds the browser extension, and the service with everything that it needs to run."""

import json
import os
import platform
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

HERE = Path(__file__).parent
CELREC = HERE.parent.parent
SERVICE = HERE / "celrec_jupyterlab" / "service"
# The files of the npm package, because the wheel's command `celrec` has the same features.
PARTS = [
    "dist/src",
    "dist/mutators",
    "models",
    "web/app.js",
    "web/docs.js",
    "web/index.html",
    "web/style.css",
    "examples",
    "prompts",
    "seeds",
    "scripts/convert-codebert.py",
    "scripts/jedi-driver.py",
    "scripts/kernel-driver.py",
    "scripts/kernel_confinement.py",
    "scripts/kernel_sandbox.py",
    "LICENSE",
]
USELESS = ["*.d.ts", "*.d.cts", "*.d.mts", "*.map", "*.md"]


class Hook(BuildHookInterface):
    def initialize(self, version, build_data):
        npm("ci", folder=HERE)
        npm("run", "build", folder=HERE)
        stage_service()
        # libsql and usearch are machine code, so the wheel only works on the platform it was built on. PyPI does not accept
# the plain tag "linux", so a release uses the platform tag of the packages.
        tag = os.environ.get("CELREC_WHEEL_PLATFORM") or sysconfig.get_platform()
        build_data["tag"] = f"py3-none-{tag.replace('-', '_').replace('.', '_')}"
        build_data["pure_python"] = False


def stage_service():
    """Installs celrec with the packages of its lock file. The large optional packages of CodeBERT and Milvus are left out."""
    if not (CELREC / "node_modules").exists():
        npm("ci", "--ignore-scripts", folder=CELREC)
    npm("run", "build", folder=CELREC)
    shutil.rmtree(SERVICE, ignore_errors=True)
    for part in PARTS:
        source, target = CELREC / part, SERVICE / part
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, target, ignore=shutil.ignore_patterns(*USELESS))
        else:
            shutil.copy(source, target)
    package = json.loads((CELREC / "package.json").read_text("utf-8"))
    for unused in ["devDependencies", "optionalDependencies", "scripts"]:
        package.pop(unused, None)
    del package["dependencies"]["@zilliz/milvus2-sdk-node"]
    (SERVICE / "package.json").write_text(json.dumps(package, indent=2), "utf-8")
    shutil.copy(CELREC / "package-lock.json", SERVICE)
    npm("install", "--omit=dev", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline", folder=SERVICE)
    for pattern in USELESS:
        for file in (SERVICE / "node_modules").rglob(pattern):
            file.unlink()
    drop_other_platforms(SERVICE / "node_modules")


def drop_other_platforms(modules):
    """Removes machine code of other platforms."""
    for folder in (modules / "@libsql").glob("*-musl"):
        shutil.rmtree(folder)
    machine = "arm64" if platform.machine().lower() in ("arm64", "aarch64") else "x64"
    for folder in (modules / "usearch" / "prebuilds").iterdir():
        system, machines = folder.name.split("-", 1)
        if system != sys.platform or machine not in machines.split("+"):
            shutil.rmtree(folder)


def npm(*words, folder):
    subprocess.run([shutil.which("npm") or "npm", *words], cwd=folder, check=True)
