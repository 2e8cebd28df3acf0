"""What commands take as their input grows: work, memory and bytes written, each in a process.

Four times the rows take at most five times the work of a command by rule, beyond what it takes to
start, and what it writes is at most four times its ledger. What streams holds no more of them.
"""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random

import pytest

FEW, ROWS = 40, 1_500
MORE = 4 * ROWS
NOISE = 0.5  # seconds of the processor by which equal runs may differ on a busy machine
STEPS_OF_LEDGER = 600_000  # bytes that an empty ledger is made with, and its files beside it
CHILD = """
import json, resource, sys
from pathlib import Path
told, *sys.argv = sys.argv[1:]
from factmark.cli.main import main
try:
    main()
finally:
    used = resource.getrusage(resource.RUSAGE_SELF)
    words = Path("/proc/self/status").read_text().split()
    written = Path("/proc/self/io").read_text().split()
    Path(told).write_text(json.dumps({
        "seconds": used.ru_utime + used.ru_stime,
        "peak": int(words[words.index("VmHWM:") + 1]) * 1024,
        "written": int(written[written.index("wchar:") + 1]),
    }))
"""
EXAMPLE = Path(__file__).parents[1] / "examples" / "music"

pytestmark = pytest.mark.skipif(
    not Path("/proc/self/io").exists(), reason="the system does not count what a process writes"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Taken:
    """What a command took: seconds of the processor, and bytes."""

    command: str
    seconds: float
    peak: int
    written: int


def take(folder: Path, *arguments: object) -> Taken:
    told = folder / "taken.json"
    command = [sys.executable, "-c", CHILD, str(told), "factmark", *map(str, arguments)]
    done = subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, "PYTHONHASHSEED": "0"},
        capture_output=True,
        text=True,
        check=False,
    )
    # 1: `agree` and rules that decide little end so, and have done all the same.
    assert done.returncode in (0, 1), done.stderr
    return Taken(command=" ".join(map(str, arguments)), **json.loads(told.read_text()))


def write_table(path: Path, rows: list[tuple[object, ...]]) -> Path:
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(rows)
    return path


def write_graph(folder: Path, n: int) -> None:
    """Ten triples a passage; some stated there, some denied, some not named."""
    rows: list[tuple[object, ...]] = [("head", "relation", "tail", "passage_id")]
    passages = []
    for first in range(0, n, 10):
        text = [f"Report {first} is about trains."]
        for number in range(first, min(n, first + 10)):
            town = f"Town {number % 997}"
            rows.append((f"Line {number // 7}", "opened in", town, f"p{first}"))
            if number % 4:
                text.append(f"Line {number // 7} was {'not ' * (number % 8 == 1)}opened in {town}.")
        passages.append(json.dumps({"id": f"p{first}", "text": " ".join(text)}))
    write_table(folder / "t.csv", rows)
    (folder / "p.jsonl").write_text("\n".join(passages))


def write_claims(folder: Path, n: int) -> None:
    rows: list[tuple[object, ...]] = [("id", "claim", "evidence", "system")]
    for number in range(n):
        claim = f"Line {number} was opened in town {number % 97}."
        rows.append((f"c{number}", claim, f"{claim} Trains ran daily.", f"s{number % 3}"))
    write_table(folder / "claims.csv", rows)


def write_judged(folder: Path, n: int) -> None:
    """A judge's verdicts, and people's labels of a tenth."""
    rng = Random(5)
    rows: list[tuple[object, ...]] = [("id", "verdict", "label")]
    for number in range(n):
        verdict = rng.choice(["SUPPORTED", "SUPPORTED", "NOT_SUPPORTED"])
        label = ""
        if number % 10 == 0:
            label = rng.choice([verdict, verdict, "NOT_SUPPORTED"])
        rows.append((f"c{number}", verdict, label))
    write_table(folder / "judged.csv", rows)


def write_labels(folder: Path, n: int) -> None:
    rng = Random(3)
    rows: list[tuple[object, ...]] = [("id", "annotator", "label")]
    for number in range(n):
        for name in ("Ada", "Ben"):
            label = rng.choice(["SUPPORTED", "SUPPORTED", "NOT_SUPPORTED"])
            rows.append((f"c{number}", name, label))
    write_table(folder / "labels.csv", rows)


def write_ratings(folder: Path, n: int) -> None:
    rng = Random(4)
    rows: list[tuple[object, ...]] = [("document", "system", "annotator", "rating")]
    for number in range(n):
        document, system, name = number // 6, number % 2, number % 3
        rows.append((f"d{document}", f"s{system}", f"p{name}", rng.choice([1, 2, 3, 3, 4, 5])))
    write_table(folder / "ratings.csv", rows)


def write_summaries(folder: Path, n: int) -> None:
    """A row a document, with its source and two summaries of it."""
    rows: list[tuple[object, ...]] = [("id", "article", "s0", "s1")]
    for number in range(n // 2):
        source = f"Line {number} was opened in town {number % 97}. Trains ran daily."
        rows.append((f"d{number}", source, f"Line {number} is open.", f"Town {number % 97}."))
    write_table(folder / "summaries.csv", rows)


def write_questions(folder: Path, n: int) -> None:
    """Questions to the graph, of which each takes what some hundred triples take."""
    with (folder / "questions.jsonl").open("w", encoding="utf-8") as file:
        for number in range(max(2, n // 100)):
            question = {"question": f"Where was Line {number} opened?", "answer": f"Town {number}"}
            file.write(json.dumps({"id": f"q{number}", **question}) + "\n")


def write_answers(folder: Path, n: int) -> None:
    base = [json.loads(line) for line in (EXAMPLE / "answers.jsonl").open(encoding="utf-8")]
    with (folder / "answers.jsonl").open("w", encoding="utf-8") as file:
        for number in range(max(2, n // 15)):  # an answer takes what some dozen triples take
            row = dict(base[number % len(base)], model=f"m{number // len(base)}")
            file.write(json.dumps(row) + "\n")


def graph(folder: Path, n: int) -> Iterator[Taken]:
    write_graph(folder, n)
    command = ("graph", "factscore", "t.csv", "--passages", "p.jsonl", "--ledger", "graph.db")
    yield take(folder, *command)
    yield take(folder, *command, "--json")
    yield take(folder, *command, "--out", "out")
    yield take(folder, "graph", "validity", "t.csv", "--ledger", "validity.db")
    yield take(folder, "graph", "profile", "t.csv", "--json")
    yield take(folder, "ledger", "split", "graph.db", "--parts", "2", "--out", "parts")
    yield take(folder, "ledger", "merge", "parts/1-of-2.db", "parts/2-of-2.db", "--out", "all.db")


def questions(folder: Path, n: int) -> Iterator[Taken]:
    """Asked of a graph, answered and judged by rule."""
    write_graph(folder, n)
    write_questions(folder, n)
    graph_and_texts = ("t.csv", "--passages", "p.jsonl", "--questions", "questions.jsonl")
    yield take(folder, "graph", "graphrag", *graph_and_texts, "--ledger", "rag.db", "--json")


def claims(folder: Path, n: int) -> Iterator[Taken]:
    write_claims(folder, n)
    write_labels(folder, n)
    write_judged(folder, n)
    yield take(folder, "claims", "judge", "claims.csv", "--ledger", "claims.db")
    yield take(folder, "ledger", "import", "claims.db", "labels.csv")
    yield take(folder, "ledger", "export", "claims.db", "verdicts.csv")
    yield take(folder, "ledger", "info", "claims.db", "--json")
    yield take(folder, "agree", "claims.db", "--json")
    yield take(folder, "compare", "claims.db", "--json")
    yield take(folder, "plan", "--half-width", "0.03", "--ledger", "claims.db", "--json")
    yield take(folder, "analyse", "judged.csv", "--json")
    yield take(folder, "ledger", "check", "claims.db")


def people(folder: Path, n: int) -> Iterator[Taken]:
    write_ratings(folder, n)
    yield take(folder, "annotate", "import", "ratings.csv", "--ledger", "ratings.db")
    yield take(folder, "annotate", "results", "ratings.db", "--json")
    write_summaries(folder, n)
    asked = ("--annotators", "Ada,Ben", "--ledger", "campaign.db")
    yield take(folder, "annotate", "create", "summaries.csv", *asked)
    yield take(folder, "report", "campaign.db", "--json")


def answers(folder: Path, n: int) -> Iterator[Taken]:
    write_answers(folder, n)
    benchmark = ("--benchmark", EXAMPLE / "questions.jsonl", "--store", EXAMPLE / "music.ttl")
    yield take(folder, "score", "answers.jsonl", *benchmark, "--ledger", "score.db", "--json")
    yield take(folder, "report", "score.db", "--json")


Commands = Callable[[Path, int], Iterator[Taken]]


@pytest.mark.parametrize("commands", [graph, questions, claims, people, answers])
def test_work_grows_no_faster_than_the_rows(commands: Commands, tmp_path: Path) -> None:
    folders = {n: tmp_path / str(n) for n in (FEW, ROWS, MORE)}
    for folder in folders.values():
        folder.mkdir()
    next(commands(tmp_path, FEW))  # compiles modules that no command has loaded yet
    runs = [list(commands(folder, n)) for n, folder in folders.items()]
    for few, rows, more in zip(*runs, strict=True):
        start = few.seconds
        allowed = start + 5 * max(0.0, rows.seconds - start) + NOISE
        assert more.seconds <= allowed, (start, rows, more)


def test_a_graph_judged_by_rule_writes_little_and_shows_rows_as_they_come(tmp_path: Path) -> None:
    n = 12_000
    write_graph(tmp_path, n)
    command = ("graph", "factscore", "t.csv", "--passages", "p.jsonl", "--ledger", "graph.db")
    first = take(tmp_path, *command)
    size = (tmp_path / "graph.db").stat().st_size
    assert first.written <= 4 * size + STEPS_OF_LEDGER, (first, size)
    again = take(tmp_path, *command)
    as_json = take(tmp_path, *command, "--json")
    # A row held as a record, or as text, would take half a kilobyte each.
    assert as_json.peak - again.peak < 250 * n, (again, as_json)


@pytest.mark.parametrize("judge", ["rules", "alike:judge"])
def test_judging_claims_and_bringing_labels_writes_little(judge: str, tmp_path: Path) -> None:
    n = 4 * MORE
    write_claims(tmp_path, n)
    write_labels(tmp_path, n)
    (tmp_path / "alike.py").write_text("def judge(unit):\n    return 'SUPPORTED'\n")
    judging = ("claims", "judge", "claims.csv", "--judge", judge, "--ledger", "claims.db")
    for command in (judging, ("ledger", "import", "claims.db", "labels.csv")):
        written = take(tmp_path, *command).written
        size = (tmp_path / "claims.db").stat().st_size
        assert written <= 4 * size + STEPS_OF_LEDGER, (command, written, size)


def test_an_export_holds_no_more_of_a_larger_ledger(tmp_path: Path) -> None:
    peaks = []
    for n in (ROWS, 10 * ROWS):
        folder = tmp_path / str(n)
        folder.mkdir()
        write_graph(folder, n)
        take(folder, "graph", "validity", "t.csv", "--ledger", "l.db")
        peaks.append(take(folder, "ledger", "export", "l.db", "verdicts.csv").peak)
    # Pages that SQLite holds are some megabytes; a row held as a record would take 1.5 kB.
    assert peaks[1] - peaks[0] < 600 * 9 * ROWS, peaks
