"""Commands on small inputs: all that they print and write equals the golden copies.

After a wanted change write the copies anew, and read the difference:

    FACTMARK_GOLDEN=write pytest tests/golden/test_commands.py

FACTMARK_GOLDEN=FOLDER writes the texts whole to a folder: where a digest differs, do so before and
after the change.
"""

from __future__ import annotations

import csv
import hashlib
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from golden_text import check
from servers.model_server import Running, model_server
from shell import Shell, kept_ledger, known_as

HERE = Path(__file__).parent
SUMMARIES = HERE.parents[1] / "examples" / "summaries" / "summaries.jsonl"
SUPPORT = ("graph", "factscore", "triples.csv", "--passages", "passages.jsonl")
MODEL = ("--judge", "openai:test-model", "--base-url", "http://model.test/v1")
CONDITIONS = "baseline,rag,context,mcp"
IN_TURN = ("--concurrency", "1")  # so that verdicts are in the ledger in one order
QUICK = ("--resamples", "300")


@pytest.fixture
def shell(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Shell:
    for name, value in (("COLUMNS", "110"), ("NO_COLOR", "1"), ("OPENAI_API_KEY", "sk-none")):
        monkeypatch.setenv(name, value)
    shutil.copytree(HERE / "given", tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    made = Shell(tmp_path, capsys)
    version = made.prepare("--version").split()[-1]
    places = {str(SUMMARIES.parent): "EXAMPLES", str(tmp_path): "FOLDER"}
    made.names = {re.escape(given): name for given, name in places.items()}
    made.names[rf"\b{re.escape(version)}\b"] = "VERSION"
    return made


@pytest.fixture(scope="module")
def running() -> Iterator[Running]:
    with model_server() as server, known_as("model.test", server):
        yield server


def test_demo(shell: Shell) -> None:
    shell.names[r"in \d+\.\d s"] = "in SECONDS s"
    shell.run("demo", brief=True)
    check("demo.txt", shell.text)


def test_score(shell: Shell) -> None:
    given = ("answers.jsonl", "--benchmark", "benchmark.jsonl", *QUICK)
    shell.run("score", *given, "--out", "out", "--json")
    shell.run("score", *given)
    shell.run("report", "out/ledger.db", "--format", "csv")
    check("score.txt", shell.text)


def test_score_by_a_model(shell: Shell, server: Running) -> None:
    given = ("answers.jsonl", "--benchmark", "benchmark.jsonl", *QUICK, *IN_TURN)
    model = ("--judge", "openai:test-model", "--base-url", "http://model.test/v1")
    shell.run("score", *given, *model, "--dry-run")
    shell.run("score", *given, *model, "--ledger", "l.db", "--json")
    assert server.stats()["requests"]
    check("score_model.txt", shell.text)


def test_groundtruth(shell: Shell) -> None:
    given = ("--benchmark", "lions.jsonl", "--store", "lions.ttl")
    shell.run("groundtruth", "build", "truth.jsonl", *given, status=1)
    shell.run("groundtruth", "check", *given, status=1)
    shell.run("groundtruth", "check", *given, "--json", status=1)
    check("groundtruth.txt", shell.text)


def test_compare(shell: Shell) -> None:
    for condition in ("baseline", "rag"):
        rows = Path("answers.jsonl").read_text("utf-8").splitlines(keepends=True)
        Path(f"{condition}.jsonl").write_text("".join(row for row in rows if condition in row))
        Path(condition).mkdir()
        kept_in = ("--ledger", f"{condition}/ledger.db")
        shell.prepare("score", f"{condition}.jsonl", "--benchmark", "benchmark.jsonl", *kept_in)
    shell.prepare("graph", "validity", "triples.csv", "--out", "one")
    shell.prepare("graph", "validity", "triples.csv", "--limit", "8", "--out", "two")
    shell.run("compare", "baseline", "rag", *QUICK, "--out", "out", "--json")
    shell.run("compare", "baseline", "rag", *QUICK, "--metric", "C")
    shell.run("compare", "one", "two", *QUICK)
    check("compare.txt", shell.text)


def test_factscore_by_rule(shell: Shell) -> None:
    shell.run(*SUPPORT, "--out", "out", "--json")
    shell.run(*SUPPORT)
    check("factscore.txt", shell.text)


def test_factscore_by_a_model(shell: Shell, server: Running) -> None:
    server.set(malformed=0.2)
    given = (*SUPPORT, *MODEL, *IN_TURN)
    shell.run(*given, "--dry-run")
    shell.run(*given, "--out", "out", "--json")
    shell.run(*given, "--ledger", "out/ledger.db")
    shell.run(*given, "--ledger", "l.db", "--batch", "3", "--samples", "2", "--limit", "4")
    assert server.stats()["requests"]
    check("factscore_model.txt", shell.text)


def test_validity(shell: Shell, server: Running) -> None:
    given = ("graph", "validity", "triples.csv")
    shell.run(*given, "--out", "out", "--json")
    shell.run(*given, *MODEL, *IN_TURN, "--ledger", "l.db")
    assert server.stats()["requests"]
    check("validity.txt", shell.text)


def test_graphrag(shell: Shell, server: Running) -> None:
    passages = ("--passages", "passages.jsonl")
    given = ("graph", "graphrag", "triples.csv", "--questions", "questions.jsonl", *passages)
    shell.run(*given, "--out", "out", "--json")
    shell.run(*given, "--model", "openai:test-model", *MODEL, *IN_TURN, "--ledger", "l.db")
    assert server.stats()["requests"]
    check("graphrag.txt", shell.text)


def _filled(sheet: Path, name: str, labels: tuple[str, ...]) -> Path:
    """The sheet as somebody filled it in, with these labels in turn."""
    with sheet.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    for at, row in enumerate(rows):
        row["annotator"], row["label"] = name, labels[at % len(labels)]
    path = sheet.with_name(f"{name}.csv")
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path


@pytest.fixture
def labelled(shell: Shell, server: Running) -> Shell:
    """With l.db: support judged by rule and model, and in part labelled by two people."""
    shell.prepare(*SUPPORT, "--ledger", "l.db")
    shell.prepare(*SUPPORT, *MODEL, *IN_TURN, "--ledger", "l.db")
    assert server.stats()["requests"]
    drawn = ("plan", "--labels", "8", "--ledger", "l.db", "--judge", "openai:test-model")
    shell.prepare(*drawn, "--sheet", "sheet.csv")
    labels = ("supported", "not_supported", "supported")
    for name, given in (("Ada", labels), ("Ben", labels[:2])):
        shell.prepare("ledger", "import", "l.db", _filled(Path("sheet.csv"), name, given))
    return shell


def test_annotate(labelled: Shell) -> None:
    """A campaign's digest of its source is that of the file; the copy names the file instead."""
    for source in (SUMMARIES, Path("sheet.csv")):
        digest = hashlib.sha256(source.read_bytes()).hexdigest()
        labelled.names[digest] = f"SHA-256 of {source.name}"
    labelled.run("annotate", "create", SUMMARIES, "--annotators", "Ada,Ben", "--json")
    given = ("--form", "support", "--ledger", "l.db", "--sheet", "sheet.csv")
    labelled.run("annotate", "create", *given, "--annotators", "Cleo,Dan", "--json")
    labelled.run("annotate", "results", "l.db", *QUICK)
    check("annotate.txt", labelled.text)


def test_annotate_results(shell: Shell) -> None:
    kept_ledger("campaign", Path("rated.db"))
    shell.run("annotate", "results", "rated.db", *QUICK, "--out", "out", "--json")
    check("annotate_results.txt", shell.text)


def test_corrected_by_people(labelled: Shell) -> None:
    labelled.run(*SUPPORT, *MODEL, "--ledger", "l.db", "--json")
    check("corrected.txt", labelled.text)


def test_agree(labelled: Shell) -> None:
    labelled.run("agree", "l.db", *QUICK, "--out", "out", "--json")
    labelled.run("agree", "l.db", *QUICK, "--judge", "Ada")
    check("agree.txt", labelled.text)


def test_plan(labelled: Shell) -> None:
    pilot = ("--ledger", "l.db", "--judge", "openai:test-model")
    labelled.run("plan", "--half-width", "0.05", "--share", "0.8", "--wage", "20", "--json")
    labelled.run("plan", "--half-width", "0.2", "--verdicts", "900", *pilot)
    labelled.run("plan", "--labels", "9", *pilot, "--sheet", "more.csv")
    check("plan.txt", labelled.text)


def test_ledger(labelled: Shell) -> None:
    labelled.names[r"[\d.]+ MB"] = "SIZE MB"
    labelled.run("ledger", "export", "l.db", "verdicts.jsonl")
    labelled.run("ledger", "export", "l.db", "verdicts.parquet")
    labelled.run("ledger", "info", "l.db")
    check("ledger.txt", labelled.text)


def test_run(shell: Shell) -> None:
    """On replies that are kept, so that they took the same time."""
    kept_ledger("measured", Path("out/ledger.db"))
    by = ("--model", "openai:agent", "--base-url", "http://agent.test/v1", "--temperature", "0")
    given = ("run", "lions.jsonl", "--store", "lions.ttl", *by, "--condition", CONDITIONS)
    shell.run(*given, "--out", "new", "--dry-run")
    shell.run(*given, "--out", "out", "--json", status=1)
    check("run.txt", shell.text)
