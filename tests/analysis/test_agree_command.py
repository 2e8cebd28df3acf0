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
from panel_data import GRADES, SUPPORT
from shell import run

Truth = dict[tuple[str, ...], dict[str, str]]


def author() -> Truth:
    """Head, relation, tail (and passage) of the bundled graph -> what its author says of it."""
    with (example_graph() / "triples.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    names = ("head", "relation", "tail")
    return {tuple(row[n] for n in (*names, "passage_id")): row for row in rows} | {
        tuple(row[n] for n in names): row for row in rows
    }


def label(path: Path, kind: str, name: str, *, every: int = 1, wrong: int = 0) -> None:
    """A person's labels of every n-th unit: the author's, and every `wrong`-th the next label."""
    truth, values = author(), SUPPORT if kind == "pair" else GRADES
    column = "support" if kind == "pair" else "validity"
    labels = list(values)
    judge = Judge.create("person", name)
    with Ledger(path) as ledger:
        units = ledger.connection.execute(
            "SELECT id, item, text, data FROM units WHERE kind = ? ORDER BY id", (kind,)
        ).fetchall()
        rows, items = [], {}
        for at, (unit, item, text, data) in enumerate(units[::every]):
            told = json.loads(data)
            key = [told["head"], told["relation"], told["tail"]]
            said = truth[(*key, told["passage_id"]) if kind == "pair" else tuple(key)][column]
            if wrong and at % wrong == 0:
                said = labels[(labels.index(said) + 1) % len(labels)]
            head = folded(told["head"])
            items[item] = Item(id=item, cluster=head, data={"head": told["head"]})
            rows.append(
                (
                    Unit(id=unit, item=item, kind=kind, text=text, data=told),
                    Verdict(unit=unit, judge=judge.id, label=said, value=values[said]),
                )
            )
        ledger.record(judge, list(items.values()), rows, {})


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The bundled graph judged by both rules, and labelled by its author."""
    folder = tmp_path_factory.mktemp("judged")
    for measure in ("factscore", "validity"):
        done = run("graph", measure, "--ledger", "l.db", cwd=folder)
        assert done.returncode == 0, done.stderr
    for kind in ("pair", "triple"):
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
    support, validity = agreed(judged)["kinds"]
    assert (support["kind"], support["scale"]) == ("pair", "nominal")
    assert (validity["kind"], validity["scale"]) == ("triple", "ordinal")
    (rules,) = support["comparisons"]
    assert (rules["n_units"], rules["n_unlabelled"], rules["exact"]["value"]) == (41, 420, 1)
    assert rules["cohen"]["value"] is None  # both say SUPPORTED of all 41
    # `graph validity` tells 388 of 456 rows; one triple stands there with two passages.
    (types,) = validity["comparisons"]
    assert (types["n_units"], types["n_unlabelled"], types["n_alone"]) == (455, 5, 0)
    assert types["exact"]["value"] == pytest.approx(387 / 455)
    chance = (84 * 86 + 371 * 318) / 455**2  # NO and YES; the rules say no MAYBE
    assert types["cohen"]["value"] == pytest.approx((387 / 455 - chance) / (1 - chance))
    assert sum(map(sum, types["confusion"])) == 455
    assert types["b"] == "the author"
    for key in ("alpha", "ac1", "cohen", "exact"):
        assert types[key]["low"] < types[key]["value"] < types[key]["high"]
    assert rules["ac2"] is None
    assert validity["comparisons"][0]["tau_b"]["value"] > 0.7


def test_table_names_both_and_fits_a_terminal(judged: Path, tmp_path: Path) -> None:
    done = run("agree", judged, "--out", "out", cwd=tmp_path, COLUMNS="80")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert max(map(len, lines)) <= 80
    shown = " ".join(done.stdout.split())
    assert "Agreement on pair units (nominal: labels share a value)" in shown
    assert "The same on triple units, by how far apart the labels are" in shown
    assert "rows lexical evidence, columns the author" in shown
    row = next(line for line in lines if "semantic" in line and "0.62" in line)
    assert row.split()[-7:] == ["455", "(271)", "5/0", "0.71", "0.81", "0.62", "0.85"]
    names = sorted(path.name for path in (tmp_path / "out").iterdir())
    assert names == [".factmark", "agree.csv", "agree.json", "agree.md", "agree.tex"]
    with (tmp_path / "out" / "agree.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["kind"] for row in rows] == ["pair", "triple"]
    assert rows[0]["cohen"] == ""
    assert float(rows[1]["cohen"]) == pytest.approx(0.62, abs=0.005)
    assert "wrote" in done.stderr


def test_people_against_rules_and_each_other(ledger: Path) -> None:
    label(ledger, "pair", "Ann", every=2, wrong=10)
    label(ledger, "pair", "Ben", every=3, wrong=5)
    (support,) = agreed(ledger, "--kind", "pair")["kinds"]
    made = {(one["comparison"], one["a"], one["b"]): one for one in support["comparisons"]}
    assert len(made) == 8
    ann = made["pair", "Ann", "the author"]
    assert ann["exact"]["value"] == pytest.approx(1 - 24 / 231)
    assert (ann["n_units"], ann["n_alone"]) == (231, 230)
    assert made["pair", "Ann", "Ben"]["n_units"] == 77
    assert made["against people", "lexical evidence", "people (3)"]["n_units"] == 41
    assert made["people", "people (3)", ""]["cohen"] is None
    only = agreed(ledger, "--judge", "Ann", "--judge", "lexical evidence")["kinds"][0]
    assert [(one["a"], one["b"]) for one in only["comparisons"]] == [("lexical evidence", "Ann")]


def test_first_against_final(ledger: Path) -> None:
    label(ledger, "pair", "Ann", every=2)
    label(ledger, "pair", "Ann", every=2, wrong=10)
    whole, again = agreed(ledger, "--first-final", "Ann")["kinds"][0]["comparisons"]
    assert (whole["n_units"], whole["n_again"], whole["n_moved"]) == (231, 24, 24)
    assert whole["exact"]["value"] == pytest.approx(1 - 24 / 231)
    assert (again["n_units"], again["exact"]["value"]) == (24, 0.0)


def test_by_relation(judged: Path) -> None:
    (kind,) = agreed(judged, "--kind", "triple", "--by", "relation")["kinds"]
    parts = kind["comparisons"]
    assert parts[0]["stratum"] == "overall"
    assert sum(one["n_units"] for one in parts[1:]) == parts[0]["n_units"]
    assert parts[1]["n_units"] >= parts[2]["n_units"]
    assert {"treats", "cause_of"} <= {one["stratum"] for one in parts}


def test_a_scale_of_ones_own_and_the_same_numbers_again(judged: Path) -> None:
    one = agreed(judged, "--kind", "triple", "--scale", "nominal")
    assert one["kinds"][0]["why"] == "as asked for"
    assert one == agreed(judged, "--kind", "triple", "--scale", "nominal")


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--judge", "nobody"), "has no judge 'nobody'. It has rule lexical evidence"),
        (("--judge", "lexical evidence", "--judge", "semantic types"), "No two judges to compare"),
        (("--first-final", "the author"), "judged a unit more than once"),
        (("--kind", "fact"), "of the kinds pair, triple"),
        (("--by", "nothing"), "neither items nor units have it"),
        (("--scale", "ordinal", "--kind", "pair"), "have no order"),
        (("--judge", "x", "--first-final", "x"), "take one of them"),
    ],
)
def test_what_cannot_be_is_told(judged: Path, arguments: tuple[str, ...], told: str) -> None:
    done = run("agree", judged, *arguments, cwd=judged.parent)
    assert done.returncode == 2
    assert told in done.stderr
    assert "Traceback" not in done.stderr


def test_reading_writes_nothing(judged: Path, tmp_path: Path) -> None:
    before = judged.read_bytes()
    assert run("agree", judged, cwd=tmp_path).returncode == 0
    assert judged.read_bytes() == before
    assert run("agree", "none.db", cwd=tmp_path).returncode == 2
    assert list(tmp_path.iterdir()) == []


def test_hostile_names_reach_no_terminal(ledger: Path) -> None:
    label(ledger, "pair", "[/red]\x1b[31mEve\u202e")
    done = run("agree", ledger, "--kind", "pair", cwd=ledger.parent)
    assert done.returncode == 0, done.stderr
    wrong = run("agree", ledger, "--judge", "nobody", cwd=ledger.parent)
    for text in (done.stdout, wrong.stderr):
        assert "\x1b" not in text
        assert "\u202e" not in text
        assert "Eve" in text
