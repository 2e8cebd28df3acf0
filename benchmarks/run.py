"""All speed figures in one run: `make bench`; `FULL=1 make bench` adds the data space at full size.

Figures stand beside their bounds. Nothing here is a test: machines differ, and so does their load.
"""

from __future__ import annotations

import argparse
import os
import platform
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent


def best_of(command: list[str], times: int = 5) -> float:
    """The shortest wall time of a command, in seconds."""

    def once() -> float:
        begun = time.perf_counter()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        return time.perf_counter() - begun

    return min(once() for _ in range(times))


def start_up() -> None:
    """Import and help, beside an empty interpreter."""
    empty = best_of([sys.executable, "-c", "pass"])
    imported = best_of([sys.executable, "-c", "import factmark"]) - empty
    told = best_of([str(Path(sys.executable).parent / "factmark"), "--help"])
    print(f"import factmark: {imported:.3f} s beyond an empty interpreter (bound 0.3)")
    print(f"factmark --help: {told:.2f} s (bound 0.5)")


def script(name: str, *arguments: str) -> None:
    print(f"\n-- {name} {' '.join(arguments)}", flush=True)
    subprocess.run([sys.executable, str(HERE / name), *arguments], check=False)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--full", action="store_true", help="also 21 million triples; minutes")
    options = parser.parse_args()
    cores = os.cpu_count()
    print(f"{cores} cores, {platform.machine()}, Python {platform.python_version()}; load", end=" ")
    print(f"{os.getloadavg()[0]:.1f}")
    start_up()
    script("scoring.py")
    script("runaway.py")
    script("asking.py")
    script("harness.py")
    script("tool_calls.py")
    script("index.py")
    script("graph_retrieval.py")
    script("graph_index.py")
    script("dataspace_scale.py", "rdflib")
    if os.environ.get("FACTMARK_LABEL_STUDIO"):
        script("people.py")
    else:
        print("\n-- people.py left out: it needs a Label Studio server (make labelstudio)")
    if options.full:
        script("dataspace_scale.py", "full")


if __name__ == "__main__":
    main()
