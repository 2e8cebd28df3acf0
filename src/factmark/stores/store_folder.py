"""What lies in the folder of an embedded store: RocksDB's files, and our note of their content."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

DESCRIPTION = "factmark.json"

_OWN_FILE = re.compile(
    r"CURRENT|IDENTITY|LOCK|LOG(\.old\.\d+)?|(MANIFEST|OPTIONS)-\d+"
    r"|\d+\.(sst|log|blob)|.*\.dbtmp|" + re.escape(DESCRIPTION)
)
_DIGEST = re.compile(r"[0-9a-f]{12,64}")


def is_store_folder(path: Path) -> bool:
    """Whether a folder is a store and holds nothing but a store's files."""
    if not (path / "CURRENT").is_file():
        return False
    return all(
        _OWN_FILE.fullmatch(entry.name) and entry.is_file() and not entry.is_symlink()
        for entry in path.iterdir()
    )


def describe(path: Path, *, name: str, scale: float, seed: int, **more: object) -> None:
    """Writes what a closed store holds into its folder; pyoxigraph passes such a file over.

    Args:
        more: must name `content`, a digest of the data; `folder_digest` reads the others not.

    Raises:
        OSError: the file cannot be written.
    """
    about = {"replica": name, "scale": scale, "seed": seed, **more, "files": inventory(path)}
    (path / DESCRIPTION).write_text(json.dumps(about, indent=1) + "\n", "utf-8")


def folder_digest(path: Path) -> str:
    """What tells a store's data: the same for each build of the same data.

    It is made from the folder's description as long as the files are those that were described; a
    store that was written to since, or has none, is told by its inventory.
    """
    files = inventory(path)
    about = _described(path / DESCRIPTION)
    content = about.get("content")
    if about.get("files") != files or not _DIGEST.fullmatch(str(content)):
        return files
    kind, scale, seed = about.get("replica"), about.get("scale"), about.get("seed")
    return f"{kind}-{scale}-{seed}-{str(content)[:12]}"


def inventory(path: Path) -> str:
    """Twelve hex digits of the names and sizes of the data files: they may be gigabytes."""
    digest = hashlib.sha256()
    for file in sorted(path.glob("*.sst")) + sorted(path.glob("*.log")):
        digest.update(f"{file.name} {file.stat().st_size}\n".encode())
    return digest.hexdigest()[:12]


def _described(path: Path) -> Mapping[str, Any]:
    try:
        about = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return about if isinstance(about, dict) else {}
