"""Writes .ci/requirements.txt: what `pip install -e ".[dev]"` takes, each wheel with its hash.

    python3 .ci/pin.py

Run it after constraints.txt has changed, with the Python and on the kind of machine that CI has. It
installs nothing.
"""

from __future__ import annotations

import json
import platform
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
COMMAND = "-m pip install --quiet --dry-run --ignore-installed --report - -c constraints.txt -e"


def main() -> None:
    report = subprocess.check_output([sys.executable, *COMMAND.split(), ".[dev]"], cwd=ROOT)
    where = f"{platform.python_implementation()} {'.'.join(platform.python_version_tuple()[:2])}"
    head = f"# Made by .ci/pin.py for {where}, {platform.system()}, {platform.machine()}.\n"
    rows = sorted(pinned(json.loads(report)), key=str.casefold)
    (ROOT / ".ci" / "requirements.txt").write_text(head + "".join(f"{row}\n" for row in rows))


def pinned(report: dict[str, Any]) -> Iterator[str]:
    """A requirement for each package that pip would install, but for the project itself."""
    for package in report["install"]:
        if "dir_info" not in package["download_info"]:
            about, hashes = package["metadata"], package["download_info"]["archive_info"]["hashes"]
            yield f"{about['name']}=={about['version']} --hash=sha256:{hashes['sha256']}"


if __name__ == "__main__":
    main()
