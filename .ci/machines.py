"""The tests of statistics and goldens on machines that this one is not.

python .ci/machines.py               other kernels of OpenBLAS and instructions of numpy, another
                                     time zone, a plain locale, no HOME, a path with blanks
python .ci/machines.py --few         of the kernels one without AVX, at that path (as CI does)
python .ci/machines.py --alone       each test file by itself, in random order

Prints a line for each; the exit status is 1 where any fails, with the end of what it printed.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import platform
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TESTS = ("tests/stats", "tests/golden")
KERNELS = {"Prescott": "", "Nehalem": "", "Haswell": "avx2", "SkylakeX": "avx512f"}
"""OpenBLAS' name -> the instructions that it needs; without any, numpy uses none either."""


def kernels() -> dict[str, dict[str, str]]:
    """The kernels that this processor can run: name -> environment."""
    about = Path("/proc/cpuinfo")
    if platform.machine() not in ("x86_64", "AMD64") or not about.exists():
        return {}
    able = about.read_text("ascii", "replace").split()
    return {
        f"kernel {name}": {
            "OPENBLAS_CORETYPE": name,
            "NPY_DISABLE_CPU_FEATURES": "" if needs else "X86_V3,X86_V4",
        }
        for name, needs in KERNELS.items()
        if not needs or needs in able
    }


def default_kernel() -> str:
    """OpenBLAS' name of the kernel that this processor gets unasked; empty where it is not told."""
    import numpy

    for library in Path(numpy.__file__).parent.with_name("numpy.libs").glob("*openblas*"):
        name = getattr(ctypes.CDLL(str(library)), "scipy_openblas_get_corename64_", None)
        if name is not None:
            name.restype = ctypes.c_char_p
            return str(name().decode())
    return ""


def passes(
    what: str, *tests: str, root: Path = ROOT, changed: Mapping[str, str] | None = None
) -> bool:
    """Runs tests of a checkout; an empty variable is unset."""
    environment = {**os.environ, "PYTHONPATH": str(root / "src"), **(changed or {})}
    environment = {name: value for name, value in environment.items() if value}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *tests]
    done = subprocess.run(
        command,
        cwd=root,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
        errors="replace",
        check=False,
    )
    good = done.returncode in (0, 5)  # 5: a file without a test
    print(f"{'ok   ' if good else 'FAILS'} {what}", flush=True)
    if not good:
        print(done.stdout[-4_000:], flush=True)
    return good


def on_machines(few: bool) -> list[bool]:
    """Kernels, but the one that `make test` has; the oldest of them, which has least in common
    with it, together with all else in a copy at an odd path.

    Args:
        few: whether the other kernels are left out.
    """
    side_by_side = ("-n", "auto", "--dist", "loadfile")
    others = kernels()
    others.pop(f"kernel {default_kernel()}", None)
    oldest = next(iter(others), "")
    old_kernel = others.pop(oldest, {})
    tried = {} if few else others
    done = [passes(name, *side_by_side, *TESTS, changed=env) for name, env in tried.items()]
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "ein weg mit ümlaut"
        ignored = shutil.ignore_patterns(".git", ".venv*", "__pycache__", ".*_cache", "demo")
        shutil.copytree(ROOT, copy, ignore=ignored)
        env = {"HOME": "", "TZ": "Asia/Tokyo", "LC_ALL": "", "LANG": "C", **old_kernel}
        odd = (*TESTS, "tests/cli", "tests/runs/test_command.py")
        what = "a path with blanks and an umlaut, LANG=C, another time zone, no HOME"
        what = f"{oldest}, {what}" if oldest else what
        done.append(passes(what, *side_by_side, *odd, root=copy, changed=env))
    return done


def alone(seed: int) -> list[bool]:
    """Each test file in a process of its own."""
    files = sorted(path.relative_to(ROOT).as_posix() for path in ROOT.glob("tests/**/test_*.py"))
    random.Random(seed).shuffle(files)
    print(f"{len(files)} files, order of --seed {seed}", flush=True)
    return [passes(f"{name} alone", name) for name in files]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--alone", action="store_true")
    parser.add_argument("--few", action="store_true")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10_000))
    given = parser.parse_args()
    return int(not all(alone(given.seed) if given.alone else on_machines(given.few)))


if __name__ == "__main__":
    sys.exit(main())
