"""A campaign's results from a ledger, and as files."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import duckdb
import pytest

from campaigns import coarse_ledger
from factmark.cli.annotate import protocol_of
from factmark.errors import InputError, LedgerError
from factmark.people.results import campaign_results, write_campaign_results
from sample_campaign import QUICK, sample_campaign

SAID = {
    ("A1", "d1", "a"): [("3", ""), ("4", "3.5")],
    ("A1", "d1", "b"): [("2", "=HYPERLINK(1)")],
    ("A1", "d2", "a"): [("5", "")],
    ("A1", "d2", "b"): [],
    ("A2", "d1", "a"): [("4", "")],
    ("A2", "d1", "b"): [("1", "")],
}
JUDGE = {"d1-a": "5", "d1-b": "1", "d2-a": "5", "d2-b": "1"}


@pytest.fixture
def ledger(tmp_path: Path) -> Path:
    return coarse_ledger(tmp_path / "c.db", SAID, judge=JUDGE)


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_what_people_said_is_read_back(ledger: Path) -> None:
    found = campaign_results(ledger, options=QUICK, protocol_of=protocol_of)
    # a: d1 (4 + 4) / 2, d2 5: 4.5. b: d1 (2 + 1) / 2, d2 missing: 1.5.
    values = {one.system: one.final.value for one in found.scores}
    assert values == pytest.approx({"a": 4.5, "b": 1.5})
    assert [(one.n_answered, one.n_asked) for one in found.annotators] == [(3, 4), (2, 2)]
    assert found.annotators[0].n_recalibrated == 1
    assert found.refused == {"it has no label": 1}
    judge = found.judges[0]
    assert (judge.name, judge.n_judged) == ("m1", 4)
    assert judge.agreement is not None
    assert judge.agreement.n_units == 5  # pairs of a label of the judge and one of a person
    assert judge.agreement.exact.value == pytest.approx(2 / 5)
    assert set(judge.systems) == {"a", "b"}


def test_a_row_per_revision(ledger: Path, tmp_path: Path) -> None:
    write_campaign_results(
        campaign_results(ledger, options=QUICK, protocol_of=protocol_of), tmp_path / "out"
    )
    found = rows(tmp_path / "out" / "ratings.csv")
    assert [
        (one["annotator"], one["unit"], one["label"], one["first"], one["final"], one["finer"])
        for one in found[:3]
    ] == [
        ("A1", "d1-a", "3", "True", "False", ""),
        ("A1", "d1-a", "4", "False", "True", "3.5"),
        ("A1", "d1-b", "2", "True", "True", ""),
    ]
    assert len(found) == 6
    assert found[2]["comment"] == "'=HYPERLINK(1)"  # no formula where a spreadsheet opens it
    parquet = str(tmp_path / "out" / "ratings.parquet")
    with duckdb.connect() as db:
        table = db.execute("SELECT comment, value, final FROM read_parquet(?)", [parquet])
        assert table.fetchall()[2] == ("=HYPERLINK(1)", 2.0, True)


def test_names_only_where_asked_for(ledger: Path, tmp_path: Path) -> None:
    for names in (False, True):
        out = tmp_path / str(names)
        write_campaign_results(
            campaign_results(ledger, names=names, options=QUICK, protocol_of=protocol_of), out
        )
        for path in out.iterdir():
            if path.suffix in (".json", ".html", ".md", ".tex") or path.name == "ratings.csv":
                assert ("Person 1" in path.read_text("utf-8")) == names, path.name
        found = json.loads((out / "results.json").read_text("utf-8"))
        assert found["annotators"][0]["name"] == ("Person 1" if names else "A1")


def test_a_judge_is_chosen_by_name_and_people_are_no_judges(ledger: Path) -> None:
    assert (
        len(campaign_results(ledger, judges=["m1"], options=QUICK, protocol_of=protocol_of).judges)
        == 1
    )
    with pytest.raises(InputError, match="is a person"):
        campaign_results(ledger, judges=["Person 1"], options=QUICK, protocol_of=protocol_of)
    with pytest.raises(InputError, match="has no judge 'm2'"):
        campaign_results(ledger, judges=["m2"], options=QUICK, protocol_of=protocol_of)


def test_no_such_campaign_or_ledger(ledger: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="--campaign other"):
        campaign_results(ledger, "other", options=QUICK, protocol_of=protocol_of)
    with pytest.raises(LedgerError, match="no such ledger"):
        campaign_results(tmp_path / "none.db", options=QUICK, protocol_of=protocol_of)


def test_hostile_text_is_written(tmp_path: Path) -> None:
    write_campaign_results(sample_campaign(text="a\ud800\x00|`\\input{x}"), tmp_path)
    assert "\\input{" not in (tmp_path / "tables.tex").read_text("utf-8")
