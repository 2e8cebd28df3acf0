"""What a judged graph takes of disk and of the processor, and what the same command takes again.

    python benchmarks/ledger_size.py [--triples 100000] [--model] [--batch 10] [--keep FOLDER]

Ten triples of each passage, passages of 4,400 characters. Judged by a function that says the same
of all, or with `--model` by the tests' stand-in over a socket, whose replies are kept too. Each
command is a process of its own; seconds are those of the processor, user and system.
"""

from __future__ import annotations

import argparse
import csv
import json
import resource
import sqlite3
import subprocess
import sys
import tempfile
from contextlib import closing
from pathlib import Path
from random import Random

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

SYLLABLES = "ba ce di fo gu ha ki lo me nu pra que ris sto tra ul vex win xan yor zel mor".split()
RELATIONS = "treats has_symptom cause_of part_of prevents associated_with finding_site_of".split()
LENGTH, OF_A_PASSAGE = 4_400, 10


def main() -> None:
    from servers.model_server import model_server

    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--triples", type=int, default=100_000)
    parser.add_argument("--model", action="store_true")
    parser.add_argument("--batch", type=int, default=10)
    parser.add_argument("--keep", type=Path)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary, model_server() as server:
        folder = given.keep or Path(temporary)
        write(folder, given.triples)
        (folder / "alike.py").write_text("def judge(unit):\n    return 'SUPPORTED'\n")
        model = ("openai:m", "--base-url", server.base_url, "--batch", str(given.batch))
        ledger = folder / "ledger.db"
        command = [
            *(sys.executable, "-m", "factmark", "graph", "factscore", "t.csv"),
            *("--passages", "p.jsonl", "--ledger", "ledger.db", "--judge"),
            *((*model, "--concurrency", "64") if given.model else ("alike:judge",)),
        ]
        for name in ("first", "again"):
            seconds, peak = timed(command, folder)
            with closing(sqlite3.connect(ledger)) as db:
                (calls,) = db.execute("SELECT count(*) FROM calls").fetchone()
            size = ledger.stat().st_size / 1e6
            print(
                f"{name}: {given.triples:,} triples, {calls:,} calls in all, {seconds:.1f} CPU s, "
                f"peak memory {peak:,.0f} MiB, ledger {size:,.0f} MB",
                flush=True,
            )


def write(folder: Path, count: int) -> None:
    rng = Random(1)
    words = ["".join(rng.choices(SYLLABLES, k=rng.choice((1, 2, 2, 3)))) for _ in range(20_000)]
    entities = [" ".join(rng.choices(words, k=2)) for _ in range(max(2, count // 5))]
    passages = range((count + OF_A_PASSAGE - 1) // OF_A_PASSAGE)
    with (folder / "p.jsonl").open("w", encoding="utf-8") as file:
        for number in passages:
            text = f"Passage {number}. " + " ".join(rng.choices(words, k=LENGTH // 5))
            file.write(json.dumps({"id": f"p{number}", "text": text[:LENGTH]}) + "\n")
    with (folder / "t.csv").open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file)
        table.writerow(("id", "head", "relation", "tail", "passage_id"))
        for number in range(count):
            head, tail = rng.choices(entities, k=2)
            passage = f"p{number // OF_A_PASSAGE}"
            table.writerow((f"t{number}", head, rng.choice(RELATIONS), tail, passage))


def timed(command: list[str], folder: Path) -> tuple[float, float]:
    """Seconds of the processor and peak memory of a command in a folder."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True, cwd=folder)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return seconds, after.ru_maxrss / 1024


if __name__ == "__main__":
    main()
