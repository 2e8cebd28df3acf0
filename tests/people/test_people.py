"""From verdicts to a plan, a sheet, people's labels and a corrected score, as a user runs them."""

from __future__ import annotations

import csv
import json
import shutil
from pathlib import Path

import pytest

from shell import run


def read(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def write(path: Path, rows: list[dict[str, str]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


@pytest.fixture(scope="module")
def verdicts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("verdicts")
    made = run("graph", "factscore", "--out", "out", cwd=folder)
    assert made.returncode == 0, made.stderr
    return folder


@pytest.fixture
def judged(verdicts: Path, tmp_path: Path) -> Path:
    shutil.copytree(verdicts, tmp_path, dirs_exist_ok=True)
    return tmp_path


@pytest.fixture
def filled(judged: Path) -> Path:
    """A sheet of 461 units drawn by plan, filled in with the author's labels."""
    made = run(
        "plan", "--half-width", "0.07", "--census", "--ledger", "out/ledger.db",
        "--sheet", "sheet.csv", cwd=judged,
    )  # fmt: skip
    assert made.returncode == 0, made.stderr
    assert "no labels by people" in made.stderr
    units = {row["unit"]: row for row in _export(judged)}
    truth = {row["id"]: row["support"] for row in read(judged / "truth.csv")}
    rows = read(judged / "sheet.csv")
    for row in rows:
        assert set(row) == {"unit", "claim", "passage", "labels", "annotator", "label", "comment"}
        row["annotator"], row["label"] = "ana", truth[units[row["unit"]]["unit"]].lower()
    rows[0]["label"] = ""
    write(judged / "filled.csv", rows)
    return judged


def _export(folder: Path) -> list[dict[str, str]]:
    """Every unit; and beside it the author's labels by unit, matched by claim and passage."""
    run("ledger", "export", "out/ledger.db", "units.csv", cwd=folder)
    shown = {
        (row["claim"], row["label"]): row["truth"] for row in read(folder / "out/factscore.csv")
    }
    rows = read(folder / "units.csv")
    write(
        folder / "truth.csv",
        [{"id": row["unit"], "support": shown[row["text"], row["label"]]} for row in rows],
    )
    return rows


def test_from_verdicts_to_a_corrected_score(filled: Path) -> None:
    labels = len(read(filled / "filled.csv"))
    told = run("ledger", "import", "out/ledger.db", "filled.csv", cwd=filled)
    new = f"{labels - 1} new or changed"
    assert told.stdout == f"{labels - 1} labels by 1 person, {new}; 1 row without a label\n"
    again = run("ledger", "import", "out/ledger.db", "filled.csv", cwd=filled)
    assert "nothing new" in again.stdout

    made = json.loads(run("graph", "factscore", "--out", "out", "--json", cwd=filled).stdout)
    found = made["correction"]
    assert made["annotators"] == ["ana"]
    assert found["labels"] == labels - 1
    assert sum(cell["labelled"] for cell in found["cells"]) == labels - 1
    by_hand = sum(cell["total"] / 461 * cell["sum"] / cell["labelled"] for cell in found["cells"])
    assert found["corrected"]["value"] == pytest.approx(by_hand)
    assert found["judge_only"] == made["scores"]["pairs"]["estimate"]  # one mean, one interval
    truth = [row["support"] == "SUPPORTED" for row in read(filled / "truth.csv")]
    assert found["corrected"]["low"] < sum(truth) / len(truth) < found["corrected"]["high"]
    assert "rubric:lexical evidence" in found["corrected"]["signature"]

    shown = run("graph", "factscore", "--out", "out", cwd=filled).stdout
    assert "corrected by people" in shown
    assert "Labels by ana." in shown
    page = (filled / "out/factscore.html").read_text("utf-8")
    assert ", corrected by " in page
    assert run("ledger", "info", "out/ledger.db", cwd=filled).stdout.count("person ana") == 1


@pytest.mark.parametrize(
    ("row", "told"),
    [
        ("unit,label\nx,SUPPORTED\n", "no column 'annotator'"),
        ("unit,annotator,label\nx,ana,SUPPORTED\n", "has no unit 'x'"),
        ("unit,annotator,label\nUNIT,ana,MAYBE\n", "'MAYBE' is none of the labels SUPPORTED"),
        ("unit,annotator,label\nUNIT,,SUPPORTED\n", "a label without an annotator"),
        ("unit,annotator,label\nUNIT,eva,CONTRADICTED\n", "here and above, differently"),
    ],
)
def test_a_bad_file_of_labels_changes_nothing(judged: Path, row: str, told: str) -> None:
    unit = _export(judged)[0]["unit"]
    good = f"{unit},eva,SUPPORTED\n"
    head, _, rest = row.replace("UNIT", unit).partition("\n")
    (judged / "bad.csv").write_text(f"{head}\n{good if 'annotator' in head else ''}{rest}")
    made = run("ledger", "import", "out/ledger.db", "bad.csv", cwd=judged)
    assert made.returncode == 2
    assert told in made.stderr
    assert "bad.csv, line" in made.stderr
    assert "person" not in run("ledger", "info", "out/ledger.db", cwd=judged).stdout


def test_text_of_a_sheet_is_no_formula(tmp_path: Path) -> None:
    rows = "".join(f'"=HYPERLINK({n})",treats,gout,"@SUM(A{n}) x"\n' for n in range(30))
    (tmp_path / "t.csv").write_text(f"head,relation,tail,passage\n{rows}")
    run("graph", "factscore", "t.csv", "--out", "out", cwd=tmp_path)
    pilot = ("--ledger", "out/ledger.db", "--census")
    run("plan", "--half-width", "0.2", *pilot, "--sheet", "s.csv", cwd=tmp_path)
    cells = [cell for row in read(tmp_path / "s.csv") for cell in row.values()]
    assert any(cell.startswith("'=HYPERLINK") for cell in cells)
    assert not any(cell.startswith(("=", "@")) for cell in cells)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--half-width", "0.1"), "--share"),
        (("--half-width", "0.1", "--share", "0.5", "--ledger", "l.db"), "--share"),
        (("--half-width", "0.1", "--ledger", "l.db"), "no such ledger"),
        (("--half-width", "0.1", "--share", "0.5", "--sheet", "s.csv"), "--ledger"),
    ],
)
def test_a_plan_that_cannot_be_made(tmp_path: Path, arguments: tuple[str, ...], told: str) -> None:
    made = run("plan", *arguments, cwd=tmp_path)
    assert made.returncode == 2
    assert told in made.stderr
