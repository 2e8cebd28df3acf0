"""A ledger of millions of verdicts: what it takes to open it, and to count it by relation.

    python benchmarks/large_ledger.py [--verdicts 10000000] [--keep FOLDER]

The ledger is written by its own code, with ids as real ones are: ten pairs a passage, judged by a
rule. Of ten million it takes some 4 GB of disk. Seconds are those of the processor.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from factmark.ledger.ledger import Ledger
from factmark.ledger.opening import open_connection
from factmark.model import Item, Judge, Unit, Verdict, content_hash

_RELATIONS = "treats has_symptom cause_of part_of prevents associated_with finding_site_of".split()
_WORDS = "The study followed its patients for years and reports what was seen in each of them. "
_BLOCK = 20_000
JUDGE = Judge.create("rule", "rules", version="1")
# What a process takes that reads by relation.
READER = """
import resource, sys, time
from pathlib import Path
from factmark.ledger.ledger import Ledger
from factmark.ledger.verdicts import counts_by

before = time.process_time()
with Ledger(Path(sys.argv[1]), read_only=True) as ledger:
    opened = time.process_time()
    counts = counts_by(ledger, "relation")
    read = time.process_time()
units = sum(sum(of_value.values()) for of_value in counts.values())
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(f"opened in {opened - before:.3f} s; {units:,} verdicts by {len(counts)} relations in "
      f"{read - opened:.1f} s, {peak:,.0f} MiB")
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--verdicts", type=int, default=10_000_000)
    parser.add_argument("--keep", type=Path)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        path = (given.keep or Path(temporary)) / "large.db"
        write(path, given.verdicts)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(
            f"written in {time.process_time():.0f} s, {peak:,.0f} MiB, "
            f"{path.stat().st_size / 1e6:,.0f} MB of disk",
            flush=True,
        )
        subprocess.run([sys.executable, "-c", READER, str(path)], check=True)


def write(path: Path, count: int) -> None:
    """Writes a ledger with so many verdicts."""
    with Ledger(path) as ledger:
        with ledger.writing():
            ledger.add_judge(JUDGE)
        for start in range(0, count, _BLOCK):
            with ledger.writing():
                rows = list(judged(start, min(start + _BLOCK, count)))
                ledger.add_judged(rows, "2026-01-01T00:00:00+00:00")
    open_connection(path).close()  # leaves no file beside it


def judged(start: int, end: int) -> Iterator[tuple[Item, Unit, Verdict]]:
    """Yields verdicts on pairs."""
    for number in range(start, end):
        head = f"Drug {number // 7}"
        relation = _RELATIONS[number % 7]
        tail = f"illness {number}"
        passage = f"{_WORDS * 9}Passage {number // 10}."
        data = {
            "confidence": None,
            "head": head,
            "id": "",
            "passage": passage,
            "passage_id": f"p{number // 10}",
            "relation": relation,
            "tail": tail,
            "where": f"line {number + 2}",
        }
        unit = Unit(
            id=content_hash(head, relation, tail, passage),
            item=head,
            kind="pair",
            text=f"{head} {relation} {tail}",
            data=data,
        )
        verdict = Verdict(unit=unit.id, judge=JUDGE.id, status="undecided", reason="not named")
        if number % 3:
            verdict = Verdict(unit=unit.id, judge=JUDGE.id, label="SUPPORTED", value=1.0)
        yield Item(id=head, cluster=head, data={"head": head}), unit, verdict


if __name__ == "__main__":
    main()
