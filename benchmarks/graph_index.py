"""A graph of a million triples: indexed, opened, looked up; beside a scan of all triples.

    python benchmarks/graph_index.py [TRIPLES]
    python benchmarks/graph_index.py --open [TRIPLES]
    python benchmarks/graph_index.py --open TRIPLES.csv QUESTIONS.jsonl [PASSAGES.jsonl]

The graph is made by chance: names of one to four words, some words and some entities far more
frequent than others. Questions name one entity and ask for a relation, in the plural, in capitals,
misspelt or as it stands. The scan does what scripts do: it keeps the triples of which the head or
the tail, in lower case, is a part of the question, and orders them by the words that they share
with it. `--open` does so for a graph whose relations are words of texts, a tenth as many as its
triples, and which names passages; such a graph is looked up by the weight that flows through a
bounded part of it. Its own files can be named, such as MuSiQue's: then it also tells how many of
the passages that `support` names in a question are found. Figures stand beside their bounds.
Nothing here is a test: machines differ, and so does their load.
"""

from __future__ import annotations

import asyncio
import csv
import json
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
OPEN_P99 = 10.0  # ms of the processor, in an open graph
OPEN_QUESTIONS, OF_A_PASSAGE, WARM = 400, 9, 20
FOUND_AMONG = (2, 5, 10)  # passages
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


def open_rows(count: int) -> list[tuple[str, str, str, str]]:
    """Triples with the ids of their passages; relations of one to three words, half of them drawn
    from few."""
    rng = Random(3)
    words = ["".join(rng.choices(SYLLABLES, k=rng.choice((2, 3)))) for _ in range(4_000)]
    relations = [" ".join(rng.choices(words, k=rng.choice((1, 2, 3)))) for _ in range(count // 10)]
    made = []
    for number, (head, _, tail) in enumerate(rows(count)):
        place = rng.randrange(len(relations))
        if rng.random() < 0.5:
            place = min(int(rng.paretovariate(1)), len(relations) - 1)
        made.append((head, relations[place], tail, f"p{number // OF_A_PASSAGE}"))
    return made


def open_questions(given: Sequence[tuple[str, str, str, str]]) -> list[str]:
    """Questions about a triple, half of them about the one after it, too."""
    after = {}
    for head, relation, tail, _ in given:
        after.setdefault(head, (relation, tail))
    rng, asked = Random(4), []
    for head, relation, tail, _ in rng.sample(given, OPEN_QUESTIONS):
        if tail in after and rng.random() < 0.5:
            onward, end = after[tail]
            asked.append(f"What does the thing that {head} {relation} also {onward}, where {end}?")
        else:
            asked.append(f"What is the {relation} of {head} in relation to {tail}?")
    return asked


async def open_measured(
    source: GraphSource, asked: Sequence[str], support: Sequence[set[str]], folder: Path
) -> None:
    """Times the look-up of questions, and counts the passages that are found of their support."""
    index = await open_graph_index(source, folder / "index")
    for question in asked[:WARM]:
        index.look_up(question)
    taken, found = [], []
    for question in asked:
        begun = time.process_time()
        context = index.look_up(question)
        taken.append(time.process_time() - begun)
        found.append([str(passage[0]) for passage in context.passages])
    print(f"{len(asked)} questions")
    line("looked up, median of the processor", 1e3 * float(np.median(taken)), None, "ms")
    line("the same, 99th percentile", 1e3 * float(np.percentile(taken, 99)), OPEN_P99, "ms")
    for most in FOUND_AMONG if support else ():
        shares = [len(s & set(f[:most])) / len(s) for s, f in zip(support, found, strict=True)]
        line(f"support found among the {most} best passages", float(np.mean(shares)))


async def open_by_chance(count: int, folder: Path) -> None:
    given = open_rows(count)
    path = folder / "graph.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([("head", "relation", "tail", "passage_id"), *given])
    await open_measured(GraphSource(path=path), open_questions(given), [], folder)


async def open_of_files(paths: Sequence[Path], folder: Path) -> None:
    source = GraphSource(path=paths[0], passages=paths[2] if len(paths) > 2 else None)
    asked = [json.loads(text) for text in paths[1].read_text("utf-8").splitlines()]
    support = [set(map(str, question["support"])) for question in asked if "support" in question]
    questions = [question["question"] for question in asked]
    await open_measured(source, questions, support, folder)


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
    is_open = sys.argv[1:2] == ["--open"]
    words = sys.argv[2:] if is_open else sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        if is_open and len(words) > 1:
            asyncio.run(open_of_files(list(map(Path, words)), Path(folder)))
            return
        count = int(words[0]) if words else TRIPLES
        print(f"{count:,} triples")
        measure = open_by_chance if is_open else measured
        asyncio.run(measure(count, Path(folder)))


if __name__ == "__main__":
    main()
