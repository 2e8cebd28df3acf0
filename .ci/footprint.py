"""Fails when the core outgrows its bounds: 35 packages, 250 MB, 0.3 s to import."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

PACKAGES, MEGABYTES, SECONDS = 35, 250, 0.3
NOT_OURS = ("pip", "setuptools", "pkg_resources", "_distutils_hack")


def main(venv: Path) -> None:
    (site,) = venv.glob("lib/python*/site-packages")
    names = [p.name for p in site.glob("*.dist-info") if not p.name.startswith(NOT_OURS)]
    files = (
        path
        for top in site.iterdir()
        if not top.name.startswith(NOT_OURS)
        for path in (top.rglob("*") if top.is_dir() else [top])
        if path.is_file() and "__pycache__" not in path.parts
    )
    size = sum(path.stat().st_size for path in files) / 1e6
    code = "import time; t = time.perf_counter(); import factmark; print(time.perf_counter() - t)"
    seconds = min(
        float(subprocess.check_output([venv / "bin" / "python", "-c", code])) for _ in range(5)
    )
    print(f"core: {len(names)} packages, {size:.0f} MB, imported in {seconds:.3f} s")
    if len(names) > PACKAGES or size > MEGABYTES or seconds > SECONDS:
        sys.exit(f"the bounds are {PACKAGES} packages, {MEGABYTES} MB, {SECONDS} s")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
