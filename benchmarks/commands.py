"""What each command by rule takes: CPU and disk for a million rows more, memory at the larger size.

    python benchmarks/commands.py [--rows 5000]

The commands and their data are those of `tests/test_growth.py`; each is a process of its own, at
`--rows` and at four times as many. CPU is user and system; what is told for a million is by the
difference of the two. Memory is no line: what rules keep of words grows to its bound first, so it
is the most that was held, at four times the rows. Of `score` fifteen rows are an answer.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))


def main() -> None:
    from test_growth import FEW, answers, claims, graph, people, questions

    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rows", type=int, default=5_000)
    rows = parser.parse_args().rows
    print(f"| command | CPU at start | a million: CPU | written | memory at {4 * rows:,} |")
    print("| --- | --- | --- | --- | --- |")
    with tempfile.TemporaryDirectory() as temporary:
        for commands in (graph, questions, claims, people, answers):
            runs = []
            for n in (FEW, rows, 4 * rows):
                folder = Path(temporary) / f"{commands.__name__}-{n}"
                folder.mkdir()
                runs.append(list(commands(folder, n)))
            for few, less, more in zip(*runs, strict=True):
                share = 1_000_000 / (3 * rows)
                seconds = (more.seconds - less.seconds) * share
                written = (more.written - less.written) * share / 1e9
                command = more.command.replace(temporary, "")
                print(
                    f"| `{command}` | {few.seconds:.1f} s | {seconds:.0f} s | {written:.2f} GB | "
                    f"{more.peak / 1e9:.2f} GB |",
                    flush=True,
                )


if __name__ == "__main__":
    main()
