# Writes model.json with the checksums that src/embed/model-files.ts verifies. Training scripts call it. After a manual change:
#   python scripts/model_manifest.py models/rerank...
import hashlib
import json
import sys
from pathlib import Path


def write_manifest(folder: Path, model: str, revision: str, files: list[str], **about: int) -> None:
    """Writes model.json for existing files; `about` has further fields that the reader of this model needs."""
    sums = {name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in files}
    manifest = {"model": model, "revision": revision, **about, "sha256": sums}
    (folder / "model.json").write_text(json.dumps(manifest, indent=2) + "\n")


def renew_manifest(folder: Path) -> None:
    """Updates the checksums in model.json to the current contents of its files."""
    manifest = json.loads((folder / "model.json").read_text())
    write_manifest(folder, files=list(manifest.pop("sha256")), **manifest)


if __name__ == "__main__":
    for name in sys.argv[1:]:
        renew_manifest(Path(name))
