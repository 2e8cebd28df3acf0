"""What the commands of people's work show first, write and print as JSON: as everywhere else."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

import factmark as fm
from campaigns import campaign_in, people, rated, summaries
from factmark.cli.annotate import protocol_of
from factmark.errors import InputError
from factmark.ledger.campaigns import tasks_of
from factmark.ledger.ledger import Ledger
from factmark.people.verdicts import take_ratings
from shell import Done, run

SCREEN = 25  # lines, at 80 columns
QUICK = ("--resamples", "100")
KEYS = (
    *("factmark", "measure", "target", "subject", "judge", "sentence", "averages", "tables"),
    *("spent", "problems", "signature", "details", "rows"),
)
SCALES = {"coherence": (1, 5), "fluency": (1, 5), "overall": (0, 100), "faithful": (0, 1)}


def annotate(*arguments: object, cwd: Path, status: int = 0) -> Done:
    done = run("annotate", *arguments, cwd=cwd, COLUMNS="80")
    assert done.returncode == status, done.stderr
    return done


def envelope(*arguments: object, cwd: Path) -> dict[str, Any]:
    value: dict[str, Any] = json.loads(annotate(*arguments, "--json", cwd=cwd).stdout)
    assert tuple(value) == KEYS
    return value


@pytest.fixture
def imported(tmp_path: Path) -> Path:
    """r.db: nine systems on six documents, by four dimensions on three scales, by two people who
    say the same of fluency."""
    rows = ["document,system,annotator,coherence,fluency,overall,faithful"]
    for document in range(6):
        for system in range(9):
            for person in range(2):
                coherence = 1 + (document + system + person) % 5
                fluency = 1 + (document + system) % 5
                overall = 10 * ((document + 2 * system + person) % 11)
                faithful = "yes" if (system + document * person) % 3 else "no"
                row = (f"d{document}", f"s{system}", f"P{person}", coherence, fluency, overall)
                rows.append(",".join(map(str, (*row, faithful))))
    (tmp_path / "study.csv").write_text("\n".join(rows) + "\n")
    annotate("import", "study.csv", "--ledger", "r.db", cwd=tmp_path)
    return tmp_path


@pytest.fixture
def asked(tmp_path: Path) -> Path:
    """c.db: three documents of three systems, of which Ada has rated all."""
    with Ledger(tmp_path / "c.db") as ledger:
        made = campaign_in(ledger, summaries(3), annotators=people("Ada", "Ben"))
        tasks = tasks_of(ledger, made, "A1")
        take_ratings(ledger, made, [rated(task.key, "4", 1) for task in tasks], protocol_of)
    return tmp_path


def write_summaries(folder: Path) -> Path:
    """Twelve documents of six systems that give themselves away by their marks."""
    rows = [
        {"id": f"d{n}", "article": f"It rained on day {n} ."}
        | {
            f"system_{m}": f"<pad> It rained {m} times on day {n} .<n> So it was ."
            for m in "abcdef"
        }
        for n in range(12)
    ]
    path = folder / "s.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_a_first_screen_has_at_most_25_lines_and_says_what_to_do_next(
    imported: Path, asked: Path
) -> None:
    source = write_summaries(asked)
    names = ",".join(f"Person {n}" for n in range(30))
    (asked / "own_screens.py").write_text("def judge(unit):\n    return 4\n")
    for command in (
        ("create", source, "--annotators", names, "--ledger", "new.db"),
        ("create", source, "--annotators", "Ada,Ben", "--ledger", "q.db", "--deal", "queue"),
        ("import", "study.csv", "--ledger", "again.db"),
        ("results", "r.db", *QUICK),
        ("results", "c.db", *QUICK),
        ("results", "new.db", *QUICK),
        ("judge", "c.db", "--model", "own_screens:judge"),
    ):
        shown = annotate(*command, cwd=asked).stdout
        assert len(shown.splitlines()) <= SCREEN, command
        assert "\nNext: `factmark " in shown, command


def test_all_dimensions_of_an_import_are_in_the_first_table_each_on_its_own_scale(
    imported: Path,
) -> None:
    shown = annotate("results", "r.db", *QUICK, cwd=imported).stdout
    for dimension, (low, high) in SCALES.items():
        assert dimension in shown
        assert f"({low}–{high})" in shown
    assert "alpha" in shown
    value = envelope("results", "r.db", *QUICK, cwd=imported)
    rows = value["tables"]["scores"]
    scales = {row["measure"]: (row["least"], row["greatest"]) for row in rows}
    assert scales == SCALES
    assert len(rows) == 4 * 9
    for row in rows:
        assert row["least"] <= row["final_low"] <= row["final"] <= row["final_high"]
        assert row["final_high"] <= row["greatest"]
    alphas = {row["of"]: row["alpha"] for row in value["tables"]["agreement"]}
    assert alphas["fluency"] == pytest.approx(1.0)  # both say the same
    assert -1 < alphas["coherence"] < 1
    alone = envelope(*("results", "r.db", "--campaign", "study: fluency", *QUICK), cwd=imported)
    means = {row["system"]: row["final"] for row in rows if row["measure"] == "fluency"}
    assert {row["system"]: row["final"] for row in alone["tables"]["scores"]} == means
    by_name = envelope("results", "r.db", "--campaign", "study", *QUICK, cwd=imported)
    assert by_name["averages"] == value["averages"]


def test_the_rows_of_several_dimensions_say_which_and_no_rating_is_an_empty_label(
    imported: Path, asked: Path
) -> None:
    annotate("results", "r.db", *QUICK, "--out", "out", cwd=imported)
    with (imported / "out" / "rows.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 4 * 6 * 9 * 2
    assert {row["dimension"] for row in rows} == set(SCALES)
    names = {path.name for path in (imported / "out").iterdir() if path.name[0] != "."}
    of_results = {"results.json", "rows.csv", "rows.parquet", "report.html"}
    assert names == of_results | {"tables.md", "tables.tex"}
    page = (imported / "out" / "report.html").read_text()
    assert page.count("<article") == 6  # a card a document, with all its dimensions
    assert "s0 · coherence" in page
    annotate("results", "c.db", *QUICK, "--out", "asked", cwd=asked)
    with (asked / "asked" / "rows.csv").open(newline="") as file:
        labels = [row["label"] for row in csv.DictReader(file)]
    assert sorted(labels) == [""] * 9 + ["4"] * 9  # Ben owes his nine


def test_every_command_prints_the_same_keys(imported: Path, asked: Path) -> None:
    source = write_summaries(asked)
    (asked / "own_envelopes.py").write_text("def judge(unit):\n    return 4\n")
    for command in (
        ("create", source, "--annotators", "Ada,Ben", "--ledger", "new.db"),
        ("import", "study.csv", "--ledger", "again.db"),
        ("links", "new.db"),
        ("status", "c.db"),
        ("results", "c.db", *QUICK),
        ("judge", "c.db", "--model", "own_envelopes:judge"),
        ("add", "c.db", "--annotators", "Cleo"),
        ("reassign", "c.db"),
        ("adjudicate", "c.db"),
        ("withdraw", "c.db", "Ben"),
        ("forget", "c.db", "Ben"),
    ):
        value = envelope(*command, cwd=asked)
        assert value["measure"]["key"] in (f"annotate {command[0]}", "rating")


def test_a_file_of_marks_that_factmark_did_not_write_is_kept(asked: Path) -> None:
    (asked / "out").mkdir()
    theirs = asked / "out" / "annotated.jsonl"
    theirs.write_text("{}\n")
    done = annotate("results", "c.db", *QUICK, "--out", "out", cwd=asked, status=2)
    assert "annotated.jsonl" in done.stderr
    assert theirs.read_text() == "{}\n"


def test_ratings_in_python(imported: Path, asked: Path, capsys: pytest.CaptureFixture[str]) -> None:
    result = fm.ratings(imported / "r.db", resamples=100)
    assert next(iter(result.averages)) == "coherence of s0"
    assert len(result.averages) == 36
    assert result.measure.scale == (0, 100)  # spans those of the dimensions
    assert len(result.to_pandas()) == 4 * 6 * 9 * 2
    assert set(result.to_pandas("scores").measure) == set(SCALES)
    one = fm.ratings(asked / "c.db", resamples=100)
    assert one.averages["rating of s0"].value == pytest.approx(4)
    assert one.details.campaign == one.subject
    assert capsys.readouterr().err == ""
    with pytest.raises(InputError, match="Did you mean 'campaign'"):
        fm.ratings(asked / "c.db", campain="x")
    with pytest.raises(InputError, match="--campaign x"):
        fm.ratings(asked / "c.db", "x")
