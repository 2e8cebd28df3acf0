"""`factmark agree` as a user runs it: the bundled graph judged by rule and labelled by people."""

from __future__ import annotations

import csv
import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from factmark.graphs.core.claims import folded
from factmark.graphs.ontologies.bundled import example_graph
from factmark.ledger.ledger import Ledger
from factmark.model import Item, Judge, Unit, Verdict
from factmark.report.files import RESULT_FILES
from panel_data import GRADES, SUPPORT
from shell import run


def label(path: Path, kind: str, name: str) -> None:
    """A person's labels, which are the author's."""
    with (example_graph() / "triples.csv").open(encoding="utf-8", newline="") as file:
        truth = {(row["head"], row["relation"], row["tail"]): row for row in csv.DictReader(file)}
    values, column = (SUPPORT, "support") if kind == "pair" else (GRADES, "validity")
    judge = Judge.create("person", name)
    with Ledger(path) as ledger:
        units = ledger.connection.execute(
            "SELECT id, item, text, data FROM whole_units WHERE kind = ? ORDER BY id", (kind,)
        ).fetchall()
        rows, items = [], {}
        for unit, item, text, data in units:
            told = json.loads(data)
            said = truth[told["head"], told["relation"], told["tail"]][column]
            cluster = folded(told["head"])
            items[item] = Item(id=item, cluster=cluster, data={"head": told["head"]})
            verdict = Verdict(unit=unit, judge=judge.id, label=said, value=values[said])
            rows.append((Unit(id=unit, item=item, kind=kind, text=text, data=told), verdict))
        ledger.record(judge, list(items.values()), rows, {})


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The bundled graph judged by both rules, and labelled by its author."""
    folder = tmp_path_factory.mktemp("judged")
    for measure, kind in (("factscore", "pair"), ("validity", "triple")):
        done = run("graph", measure, "--ledger", "l.db", cwd=folder)
        assert done.returncode == 0, done.stderr
        label(folder / "l.db", kind, "the author")
    return folder / "l.db"


@pytest.fixture
def ledger(judged: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(judged, tmp_path / "l.db"))


def agreed(ledger: Path, *arguments: str) -> dict[str, Any]:
    done = run("agree", ledger, *arguments, "--resamples", "200", "--json", cwd=ledger.parent)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_the_rules_against_the_author_as_published(judged: Path) -> None:
    before = judged.read_bytes()
    agreement = agreed(judged)
    kinds = agreement["details"]["kinds"]
    validity = next(kind for kind in kinds if kind["kind"] == "triple")
    assert judged.read_bytes() == before
    # `graph validity` tells 388 of 456 rows; one triple stands there with two passages.
    (types,) = validity["comparisons"]
    assert (types["n_units"], types["n_unlabelled"], types["n_alone"]) == (455, 5, 0)
    (row,) = [row for row in agreement["rows"] if row["kind"] == "triple"]
    assert row["exact"] == pytest.approx(387 / 455)
    chance = (84 * 86 + 371 * 318) / 455**2  # NO and YES; the rules say no MAYBE
    assert row["cohen"] == pytest.approx((387 / 455 - chance) / (1 - chance))
    assert sum(map(sum, types["confusion"])) == 455
    for key in ("alpha", "ac1", "cohen", "exact"):
        assert row[f"{key}_low"] < row[key] < row[f"{key}_high"]
    by = agreed(judged, "--kind", "triple", "--by", "relation")
    rows = by["rows"]
    assert sum(row["n_units"] for row in rows[1:]) == rows[0]["n_units"] == 455
    assert {"treats", "cause_of"} <= {row["stratum"] for row in rows}
    assert len(by["tables"]["strata"]) == len(rows) - 1


def test_tables_fit_a_terminal_and_are_written(judged: Path, tmp_path: Path) -> None:
    done = run("agree", judged, "--kind", "triple", "--out", "out", cwd=tmp_path, COLUMNS="80")
    assert done.returncode == 0, done.stderr
    assert max(map(len, done.stdout.splitlines())) <= 80
    row = next(line for line in done.stdout.splitlines() if "semantic" in line and "0.62" in line)
    assert row.split()[-7:] == ["455", "5", "0", "0.71", "0.81", "0.62", "0.85"]
    names = {path.name for path in (tmp_path / "out").iterdir()}
    assert names == {".factmark", *RESULT_FILES}
    assert len(done.stdout.splitlines()) <= 25
    whole = run("agree", judged, "--all", "--by", "relation", cwd=tmp_path, COLUMNS="80").stdout
    assert "cause_of" in whole
    assert "What each gave" in whole
    pages = (tmp_path / "out" / name for name in ("report.html", "tables.md"))
    assert all("What each gave" in path.read_text("utf-8") for path in pages)


def test_the_folder_of_the_judged_results_is_not_written_over(judged: Path, tmp_path: Path) -> None:
    """The results of all measures have the same names, those of the ledger's own among them."""
    shutil.copy(judged, tmp_path / "ledger.db")
    done = run("agree", "ledger.db", "--out", ".", cwd=tmp_path)
    assert done.returncode == 2
    assert "holds the results of the ledger ledger.db. Name another folder." in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["ledger.db"]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--judge", "nobody"), "has no judge 'nobody'. It has rule lexical evidence"),
        (("--judge", "lexical evidence", "--judge", "semantic types"), "No two judges to compare"),
        (("--first-final", "the author"), "judged a unit more than once"),
        (("--scale", "ordinal", "--kind", "pair"), "have no order"),
        (("--judge", "x", "--first-final", "x"), "take one of them"),
    ],
)
def test_what_cannot_be_is_told(judged: Path, arguments: tuple[str, ...], told: str) -> None:
    done = run("agree", judged, *arguments, cwd=judged.parent)
    assert done.returncode == 2
    assert told in done.stderr


def test_hostile_names_reach_no_terminal(ledger: Path) -> None:
    label(ledger, "pair", "[/red]\x1b[31mEve\u202e")
    done = run("agree", ledger, "--kind", "pair", cwd=ledger.parent)
    assert done.returncode == 0, done.stderr
    wrong = run("agree", ledger, "--judge", "nobody", cwd=ledger.parent)
    for shown in (done.stdout, wrong.stderr):
        assert "Eve" in shown
        assert not {"\x1b", "\u202e"} & set(shown)
