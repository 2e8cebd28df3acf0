"""From verdicts to a plan, a sheet, people's labels, a corrected score, and when to stop."""

from __future__ import annotations

import csv
import json
import shutil
import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from rich.table import Table

from factmark.analysis.labels.label_sheet import SHEET
from factmark.analysis.options import PlanOptions
from factmark.analysis.pilots.pilot import Pilot
from factmark.analysis.plan import advice, needs_of, standing_of, stopping_of, strata_of
from factmark.analysis.report import plan_table, standing_lines
from factmark.analysis.results import LabelPlan, Standing
from factmark.evaluated.columns import column_of_labels
from factmark.evaluated.table import Evaluated, table_of_judge
from factmark.report.terminal import fitting_tables
from factmark.stats.cells import tabulate
from factmark.stats.sequential import stopping
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
        "plan",
        "--half-width",
        "0.07",
        "--target",
        "units",
        "--ledger",
        "out/ledger.db",
        "--sheet",
        "sheet.csv",
        cwd=judged,
    )
    assert made.returncode == 0, made.stderr
    assert "no labels by people" in made.stderr
    units = {row["unit"]: row for row in _export(judged)}
    truth = {row["id"]: row["support"] for row in read(judged / "truth.csv")}
    rows = read(judged / "sheet.csv")
    for row in rows:
        assert set(row) == set(SHEET)
        row["annotator"], row["label"] = "ana", truth[units[row["unit"]]["unit"]].lower()
    rows[0]["label"] = ""
    write(judged / "filled.csv", rows)
    return judged


def _export(folder: Path) -> list[dict[str, str]]:
    """Every unit; and beside it the author's labels by unit, matched by claim and passage."""
    run("ledger", "export", "out/ledger.db", "units.csv", cwd=folder)
    shown = {(row["claim"], row["label"]): row["truth"] for row in read(folder / "out/rows.csv")}
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
    found = made["details"]["correction"]
    assert found["labels"] == sum(cell["labelled"] for cell in found["cells"]) == labels - 1
    by_hand = sum(cell["total"] / 461 * cell["sum"] / cell["labelled"] for cell in found["cells"])
    assert found["corrected"]["value"] == pytest.approx(by_hand)
    assert (
        found["judge_only"] == made["details"]["scores"]["pairs"]["estimate"]
    )  # one mean, one interval
    truth = [row["support"] == "SUPPORTED" for row in read(filled / "truth.csv")]
    assert found["corrected"]["low"] < sum(truth) / len(truth) < found["corrected"]["high"]
    shown = run("graph", "factscore", "--out", "out", cwd=filled).stdout
    assert "Labels by ana." in shown

    asked = ("plan", "--half-width", "0.07", "--target", "units", "--ledger", "out/ledger.db")
    standing = json.loads(run(*asked, "--json", cwd=filled).stdout)["details"]["standing"]
    assert standing["estimate"]["value"] == pytest.approx(by_hand)
    assert sum(one["n"] for one in standing["verdicts"].values()) == labels - 1
    assert standing["may_stop"] is False  # who looks on the way needs more than was planned
    lines = run(*asked, "--out", "planned", cwd=filled, COLUMNS="80").stdout.splitlines()
    assert len(lines) <= 25
    assert lines[-1].startswith(f"Now: {by_hand:.2f} [")
    assert "May one stop? Not before the number that was planned" in lines[-1]
    page = (filled / "planned" / "report.html").read_text("utf-8")
    assert "A plan of labels" in page
    assert "judge, labels by verdict" in page


def labelled(verdicts: Sequence[str | None], people: Mapping[int, float]) -> Evaluated:
    """What the judge said of units, and people of some."""
    worth = dict.fromkeys(filter(None, verdicts), 0.0)
    return table_of_judge(column_of_labels("judge", verdicts, worth), people)


def pilot_of(labels: list[bool], n_units: tuple[int, int]) -> Pilot:
    """Two verdicts; people labelled the first ones of the first."""
    verdicts = ("YES",) * n_units[0] + ("NO",) * n_units[1]
    people = {place: float(label) for place, label in enumerate(labels)}
    return Pilot(
        judge="j",
        kind="pair",
        labelled=labelled(verdicts, people),
        cells=tabulate(verdicts, people),
        verdict_cells=tabulate(verdicts, people),
        worth={"YES": 1.0, "NO": 0.0},
        cost=0.0,
        seconds=0.0,
        design_effect=1.0,
    )


def standing(pilot: Pilot, half_width: float) -> Standing:
    options = PlanOptions(half_width=half_width, ledger=Path("l.db"))
    needed = needs_of(options, half_width, strata_of(options, pilot), pilot)
    return standing_of(options, half_width, pilot, needed[-1])


def test_how_far_labelling_has_come() -> None:
    found = standing(pilot_of([True] * 60, (60, 40)), 0.1)
    assert list(found.verdicts) == ["NO"]  # every YES is labelled
    assert found.may_stop is False
    now, stop = standing_lines(found)
    assert f"the plan wants {found.more} labels more" in now
    # 40 are all there are of NO, and not enough for its target.
    progress = found.verdicts["NO"]
    assert progress.expected_more == 40
    assert progress.reached is not None
    assert f"NO all 40 that are left (± {progress.reached:.2f} then)" in stop
    # Weights 0.6 and 0.4: 0.1 W^(-1/3) / (0.6^(2/3) + 0.4^(2/3)) is 0.0946 and 0.1083.
    target = 0.1 * 0.4 ** (-1 / 3) / (0.6 ** (2 / 3) + 0.4 ** (2 / 3))
    assert progress == stopping([], target, units=40)
    assert progress.reached > target
    many = standing(pilot_of([True] * 60, (600, 400)), 0.1)
    assert many.verdicts["NO"].reached is None
    assert f"NO about {many.verdicts['NO'].expected_more} more" in list(standing_lines(many))[1]
    done = standing(pilot_of([True] * 60 + [False] * 40, (60, 40)), 0.1)
    assert (done.more, done.may_stop, done.verdicts) == (0, True, {})
    maybe = pilot_of([True] * 10, (60, 40))
    people = {**maybe.labelled.people_by_place, 0: 0.5}
    units = labelled(maybe.labelled.judges["judge"].texts, people)
    maybe = replace(maybe, labelled=units)
    assert standing(maybe, 0.1).may_stop is None
    assert standing(pilot_of([True] * 10, (60, 40)), 0.3).may_stop is None


@pytest.mark.parametrize(
    ("yes", "no", "helps"),
    [
        ([True] * 6 + [False] * 24, [True] * 6 + [False] * 24, False),
        ([True] * 6 + [False] * 24, [True] * 20 + [False] * 10, False),  # the wrong way round
        ([True] * 27 + [False] * 3, [True] * 3 + [False] * 27, True),
        ([True] * 3, [True] * 3, True),  # too few to tell
        ([True] * 9, [], False),  # it says YES of every unit
    ],
)
def test_a_judge_that_separates_nothing_is_not_to_be_asked_more(
    yes: list[bool], no: list[bool], helps: bool
) -> None:
    pilot = pilot_of([*yes, *no], (len(yes), len(no)))
    told = advice(PlanOptions(half_width=0.01, ledger=Path("l.db")), pilot)
    assert ("label by hand" not in told) == helps
    lines = " ".join(standing_lines(standing(pilot, 0.01), told))
    assert ("judge more units" in lines) == helps


def test_a_judge_with_one_word_is_said_to_say_it_of_what_it_decided() -> None:
    options = PlanOptions(half_width=0.05, ledger=Path("l.db"))
    pilot = pilot_of([], (9, 0))
    assert "It says YES of every unit." in advice(options, pilot)
    labels = ("YES",) * 9 + (None,) * 3
    some = replace(pilot, labelled=labelled(labels, {}), verdict_cells=tabulate(labels, {}))
    assert "YES of every one of the 9 units that it decided, of 12." in advice(options, some)


def test_a_plan_asks_for_no_more_labels_than_there_are_units() -> None:
    """Long names of strata stand below the table, which fits a terminal."""
    strata = {"name not in passage": 19, "both directions": 10, "no suspect": 726}
    labels = tuple(name for name, size in strata.items() for _ in range(size))
    pilot = pilot_of([], (755, 0))
    people = dict.fromkeys([*range(7), *range(19, 26), *range(29, 60)], 1.0)
    people[50] = 0.0
    units = labelled(labels, people)
    pilot = replace(pilot, labelled=units, cells=tabulate(labels, people), verdict_cells=())
    options = PlanOptions(half_width=0.01, ledger=Path("l.db"))
    needed = needs_of(options, 0.01, strata_of(options, pilot), pilot)
    assert needed[0].labels is None
    planned = LabelPlan(pilot=pilot, share=0.9, needs=needed, standing=None, wanted=None)
    assert "people only ± 0.0" in " ".join(plan_table(planned, options).notes)
    assert "--target units" in " ".join(plan_table(planned, options).notes)
    known = replace(options, target="units")
    needed = needs_of(known, 0.03, strata_of(known, pilot), pilot)
    assert (needed[0].labels or 756) <= 755
    table = plan_table(replace(planned, needs=needed), known)
    assert "These are: no suspect 155, name not in passage" in " ".join(table.notes)
    assert "--target units" not in " ".join(table.notes)
    (shown,) = fitting_tables(table, 80)
    assert isinstance(shown, Table)
    progress = stopping_of(pilot, 0.03, 0.95) or {}
    left = {name: strata[name] - progress[name].n for name in strata}
    assert progress["both directions"].expected_more == left["both directions"] == 3
    assert all(progress[name].expected_more <= left[name] for name in strata)


def test_an_assumed_judge_that_separates_nothing(tmp_path: Path) -> None:
    plan = ("plan", "--half-width", "0.05", "--share", "0.6", "--sensitivity", "0.7")
    assert "does not help" in run(*plan, "--specificity", "0.3", cwd=tmp_path).stdout
    assert "does not help" not in run(*plan, "--specificity", "0.8", cwd=tmp_path).stdout


def test_who_stops_by_the_rule_has_the_share_within_the_half_width() -> None:
    """Simulated: 0.7 of the units with a share of 0.9, the rest with 0.3; a target of 0.08."""
    rng = np.random.default_rng(7)
    weights, shares, within = (0.7, 0.3), (0.9, 0.3), []
    for _ in range(200):
        drawn = [list(rng.random(900) < share) for share in shares]
        verdicts = ("YES",) * 7_000 + ("NO",) * 3_000
        places = [*range(900), *range(7_000, 7_900)]
        people = dict(zip(places, map(float, [*drawn[0], *drawn[1]]), strict=True))
        pilot = pilot_of([], (1, 1))
        pilot = replace(
            pilot, labelled=labelled(verdicts, people), cells=tabulate(verdicts, people)
        )
        progress = stopping_of(pilot, 0.08, 0.95) or {}
        assert all(one.done for one in progress.values())
        values = [progress[name].estimate or 0.0 for name in ("YES", "NO")]
        error = sum(w * (v - s) for w, v, s in zip(weights, values, shares, strict=True))
        within.append(abs(error) <= 0.08)
    assert np.mean(within) >= 0.95


@pytest.mark.parametrize(
    ("row", "told"),
    [
        ("unit,label\nx,SUPPORTED\n", "no column 'annotator'"),
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


def test_labels_of_units_that_are_not_judged_yet_are_told_and_the_others_kept(judged: Path) -> None:
    unit, head = _export(judged)[0]["unit"], "unit,annotator,label\n"
    (judged / "early.csv").write_text(f"{head}{unit},eva,SUPPORTED\nx,eva,SUPPORTED\n")
    part = run("ledger", "import", "out/ledger.db", "early.csv", cwd=judged)
    assert (part.returncode, part.stdout[:7]) == (3, "1 label")
    assert "early.csv, line 3" in part.stderr
    (judged / "strange.csv").write_text(f"{head}x,eva,SUPPORTED\n")
    none = run("ledger", "import", "out/ledger.db", "strange.csv", cwd=judged)
    assert (none.returncode, "here they are 'x', in the" in none.stderr) == (2, True)


def test_text_of_a_sheet_is_no_formula(tmp_path: Path) -> None:
    rows = "".join(f'"=HYPERLINK({n})",treats,gout,"@SUM(A{n}) x"\n' for n in range(30))
    (tmp_path / "t.csv").write_text(f"head,relation,tail,passage\n{rows}")
    run("graph", "factscore", "t.csv", "--out", "out", cwd=tmp_path)
    pilot = ("--ledger", "out/ledger.db", "--target", "units")
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


def test_a_label_that_is_no_text_is_told_as_damage(judged: Path) -> None:
    with sqlite3.connect(judged / "out" / "ledger.db") as db:
        db.execute("UPDATE verdicts SET label = x'ff00'")
    done = run("plan", "--half-width", "0.1", "--ledger", "out/ledger.db", cwd=judged)
    assert (done.returncode, "damaged" in done.stderr) == (2, True)
