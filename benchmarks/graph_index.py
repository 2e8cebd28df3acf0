"""A graph of a million triples: indexed, opened, looked up; beside a scan of all triples.

    python benchmarks/graph_index.py [TRIPLES]

The graph is made by chance: names of one to four words, some words and some entities far more
frequent than others. Questions name one entity and ask for a relation, in the plural, in capitals,
misspelt or as it stands. The scan does what scripts do: it keeps the triples of which the head or
the tail, in lower case, is a part of the question, and orders them by the words that they share
with it. Figures stand beside their bounds. Nothing here is a test: machines differ, and so does
their load.
"""

from __future__ import annotations

import asyncio
import csv
import resource
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from random import Random

import numpy as np

from factmark.graph_answers.index.building import GraphSource, open_graph_index
from factmark.graph_answers.index.lookup import TripleIndex
from factmark.graphs.core.claims import Triple, claim

TRIPLES, QUESTIONS, SCANNED = 1_000_000, 2_000, 40
BUILD, MEMORY, OPEN, MEDIAN, P99, FASTER = 30.0, 1.5, 1.0, 5.0, 5.0, 200
MOST_MEMORY = 24.0  # GiB, of ten million triples
SYLLABLES = (
    "ba ce di fo gu ha ki lo me nu pra que ris sto tra ul vex win xan yor zel mor tin gly car neph "
    "ret hep card pul derm ost neu gas"
).split()
ASKED = {
    "isa": "What kind of thing is {}?",
    "treats": "Which disease does {} treat?",
    "has_symptom": "What are the symptoms of {}?",
    "cause_of": "What is caused by {}?",
    "finding_site_of": "What is located in {}?",
    "part_of": "Of what is {} a part?",
    "prevents": "What does {} prevent?",
    "associated_with": "What is associated with {}?",
}
Row = tuple[str, str, str]


def rows(count: int) -> list[Row]:
    """Triples; about a third as many entities as triples, tails as frequent as words are."""
    rng = Random(1)
    words = ["".join(rng.choices(SYLLABLES, k=rng.choice((2, 3, 3, 4)))) for _ in range(60_000)]
    names: dict[str, None] = {}
    while len(names) < count // 3:
        names[" ".join(rng.choices(words, k=rng.choice((1, 2, 2, 2, 3, 3, 4))))] = None
    entities = list(names)

    def frequent() -> str:
        return entities[min(int(rng.paretovariate(0.6)), len(entities) - 1)]

    relations = list(ASKED)
    return [
        (
            entities[int(len(entities) * rng.random() ** 3)],
            rng.choice(relations),
            rng.choice(entities) if rng.random() < 0.8 else frequent(),
        )
        for _ in range(count)
    ]


def questions(given: Sequence[Row], count: int) -> list[tuple[str, Row, bool]]:
    """Questions, the triple that answers each, and whether its name stands there as it is."""
    rng, made = Random(2), []
    for head, relation, tail in rng.sample(given, count):
        kind = rng.random()
        name = head
        if kind < 0.1:
            name = head.upper()
        elif kind < 0.2:
            name = head.replace(" ", "-")
        elif kind < 0.3 and len(head) > 8:
            place = rng.randrange(3, len(head) - 2)
            name = head[:place] + head[place + 1 :]
        made.append((ASKED[relation].format(name), (head, relation, tail), kind >= 0.3))
    return made


def scan(given: Sequence[tuple[Row, str]], question: str, k: int) -> list[Row]:
    """The best of all triples whose head or tail is a part of the question."""
    asked = question.lower()
    words = set(asked.rstrip("?").split())
    found = [
        (len(words & set(text.split())), row)
        for row, text in given
        if row[0].lower() in asked or row[2].lower() in asked
    ]
    return [row for _, row in sorted(found, key=lambda hit: -hit[0])[:k]]


def looked_up(index: TripleIndex, asked: Sequence[tuple[str, Row, bool]]) -> list[set[Row]]:
    found = []
    for question, _, _ in asked:
        facts = index.look_up(question).facts
        found.append({(f.triple.head, f.triple.relation, f.triple.tail) for f in facts})
    return found


def line(name: str, value: float, bound: float | None = None, unit: str = "") -> None:
    told = "" if bound is None else f"   (bound {bound:g})"
    print(f"{name:46} {value:10.4g} {unit}{told}", flush=True)


async def measured(count: int, folder: Path) -> None:
    given = rows(count)
    path = folder / "graph.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([("head", "relation", "tail"), *given])
    source = GraphSource(path=path)
    asked = questions(given, QUESTIONS)
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    begun = time.perf_counter()
    process = await asyncio.create_subprocess_exec(
        sys.executable, __file__, "--build", str(path), str(folder / "index")
    )
    assert await process.wait() == 0
    usual = count <= TRIPLES
    line("indexed, whole process", time.perf_counter() - begun, BUILD if usual else None, "s")
    memory = max(before, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss) / 2**20
    line("memory of that process", memory, MEMORY if usual else MOST_MEMORY, "GiB")
    size = sum(file.stat().st_size for file in (folder / "index").rglob("*") if file.is_file())
    line("on disk", size / 2**20, None, "MiB")
    begun = time.perf_counter()
    index = await open_graph_index(source, folder / "index")
    line("opened", time.perf_counter() - begun, OPEN, "s")
    looked_up(index, asked[:50])
    taken, found = [], []
    for one in asked:
        begun = time.perf_counter()
        found += looked_up(index, [one])
        taken.append(time.perf_counter() - begun)
    line("looked up, median", 1e3 * float(np.median(taken)), MEDIAN, "ms")
    line("looked up, 99th percentile", 1e3 * float(np.percentile(taken, 99)), P99, "ms")
    plain = [row in some for (_, row, whole), some in zip(asked, found, strict=True) if whole]
    other = [row in some for (_, row, whole), some in zip(asked, found, strict=True) if not whole]
    line("answer in the 10 best, names as they stand", float(np.mean(plain)))
    line("answer in the 10 best, names written otherwise", float(np.mean(other)))
    if usual:
        texts = [
            (row, claim(Triple(head=row[0], relation=row[1], tail=row[2])).lower()) for row in given
        ]
        begun = time.perf_counter()
        scanned = [scan(texts, question, 10) for question, _, _ in asked[:SCANNED]]
        seconds = (time.perf_counter() - begun) / SCANNED
        line("a scan", 1e3 * seconds, None, "ms")
        line("times as fast as a scan", seconds / float(np.median(taken)), FASTER)
        some = asked[:SCANNED]
        line(
            "answer in the 10 best of a scan",
            np.mean([r in f for (_, r, _), f in zip(some, scanned, strict=True)]),
        )
        line(
            "the same questions looked up",
            np.mean([r in f for (_, r, _), f in zip(some, found, strict=False)]),
        )


def main() -> None:
    if sys.argv[1:2] == ["--build"]:
        source = GraphSource(path=Path(sys.argv[2]))
        asyncio.run(open_graph_index(source, Path(sys.argv[3])))
        return
    count = int(sys.argv[1]) if len(sys.argv) > 1 else TRIPLES
    print(f"{count:,} triples")
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(measured(count, Path(folder)))


if __name__ == "__main__":
    main()
