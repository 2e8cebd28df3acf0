"""What is read of a ledger to compare its judges: the newest and the first, told apart by name."""

from __future__ import annotations

import sqlite3
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from factmark.analysis.agree import read_panels
from factmark.errors import InputError, LedgerError
from factmark.model import Judge
from panel_data import GRADES, SUPPORT, record

RULES = Judge.create("rule", "rules")
ANN = Judge.create("person", "Ann")


@pytest.fixture
def ledger(tmp_path: Path) -> Path:
    path = tmp_path / "l.db"
    record(path, RULES, {"a1": "SUPPORTED", "a2": "CONTRADICTED", "b1": None}, SUPPORT)
    record(path, ANN, {"a1": "SUPPORTED", "b1": "SUPPORTED"}, SUPPORT)
    record(path, ANN, {"a1": "NOT_SUPPORTED", "b1": "SUPPORTED"}, SUPPORT)
    return path


def test_newest_counts_and_the_first_is_kept(ledger: Path) -> None:
    (panel,) = read_panels(ledger).panels
    assert [rater.name for rater in panel.raters] == ["rules", "Ann"]
    assert list(panel.rows) == [
        {RULES.id: "SUPPORTED", ANN.id: "NOT_SUPPORTED"},
        {RULES.id: "CONTRADICTED"},
        {RULES.id: None, ANN.id: "SUPPORTED"},
    ]
    assert panel.clusters == ["ca", "ca", "cb"]
    assert panel.firsts == {ANN.id: {0: "SUPPORTED"}}  # b1 was only confirmed
    assert panel.values == {"SUPPORTED": 1.0, "CONTRADICTED": 0.0, "NOT_SUPPORTED": 0.0}
    assert set(panel.raters[0].offered) == set(SUPPORT)


def test_strata_of_items_and_fields_of_units(ledger: Path) -> None:
    assert list(read_panels(ledger, by="s").panels[0].strata) == ["a", "a", "b"]
    assert list(read_panels(ledger, by="relation").panels[0].strata) == ["1", "2", "1"]
    with pytest.raises(InputError, match="They have relation, s"):
        read_panels(ledger, by="category")
    with pytest.raises(InputError, match="no stratum has such a name"):
        read_panels(ledger, by='x"y')


def test_judges_by_name_and_by_the_beginning_of_an_id(ledger: Path) -> None:
    found = read_panels(ledger, judges=["Ann", RULES.id[:6]], revised=["Ann"])
    assert (found.named, found.revised) == ((ANN.id, RULES.id), (ANN.id,))
    for unknown in ("ann", RULES.id[:3], ""):
        with pytest.raises(InputError, match=rf"It has person Ann \({ANN.id[:8]}\), 2 units; rule"):
            read_panels(ledger, judges=[unknown])
    with pytest.raises(InputError, match="twice"):
        read_panels(ledger, judges=["Ann", ANN.id])
    with pytest.raises(InputError, match="kinds pair"):
        read_panels(ledger, kind="triple")


def test_one_name_with_other_parameters_is_told_apart_by_id(ledger: Path) -> None:
    other = Judge.create("rule", "rules", version="2")
    record(ledger, other, {"a1": "SUPPORTED"}, SUPPORT)
    with pytest.raises(InputError, match="2 judges with other parameters") as caught:
        read_panels(ledger, judges=["rules"])
    assert other.id[:8] in str(caught.value)
    assert read_panels(ledger, judges=[other.id[:8]]).named == (other.id,)
    names = [rater.name for rater in read_panels(ledger).panels[0].raters]
    assert f"rules ({other.id[:8]})" in names


def test_a_models_labels_are_those_of_its_rubric(ledger: Path) -> None:
    model = Judge.create("model", "m", rubric_name="support-aligned")
    record(ledger, model, {"a1": "SUPPORTED"}, SUPPORT)
    rater = next(r for r in read_panels(ledger).panels[0].raters if r.kind == "model")
    assert dict(rater.offered) == {"SUPPORTED": 1.0, "NOT_SUPPORTED": 0.0}


def test_numbers_differently_written_are_one_label(tmp_path: Path) -> None:
    path = tmp_path / "l.db"
    record(path, ANN, {"a1": "3", "a2": "5"}, {}, kind="rating")
    record(path, RULES, {"a1": "3.0", "a2": " 4"}, {}, kind="rating")
    (panel,) = read_panels(path).panels
    assert set(panel.values) == {"3", "4", "5"}
    assert panel.rows[0] == {ANN.id: "3", RULES.id: "3"}


def test_a_label_with_two_values_is_told(tmp_path: Path) -> None:
    path = tmp_path / "l.db"
    record(path, ANN, {"a1": "good"}, {"good": 1.0}, kind="k")
    record(path, RULES, {"a1": "good"}, {"good": 2.0}, kind="k")
    found = read_panels(path)
    assert found.panels[0].values == {"good": None}
    assert "more than one value" in found.problems[0]


def test_what_is_no_ledger_or_damaged(ledger: Path, tmp_path: Path) -> None:
    with pytest.raises(LedgerError, match="no such ledger"):
        read_panels(tmp_path / "none.db")
    with sqlite3.connect(ledger) as db:
        db.execute("UPDATE items SET strata = '{'")
    with pytest.raises(LedgerError, match="cannot be read"):
        read_panels(ledger, by="s")


histories = st.lists(
    st.tuples(
        st.sampled_from(["x", "y"]), st.sampled_from(["a1", "a2", "b1"]),
        st.sampled_from([None, *GRADES]),
    ),
    min_size=1,
    max_size=12,
)  # fmt: skip


@settings(max_examples=25, deadline=None)
@given(histories)
def test_any_history_reads_as_it_was_written(history: list[tuple[str, str, str | None]]) -> None:
    judges = {name: Judge.create("person", name) for name in "xy"}
    first: dict[tuple[str, str], str | None] = {}
    last: dict[tuple[str, str], str | None] = {}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "l.db"
        for name, unit, label in history:
            record(path, judges[name], {unit: label}, GRADES, kind="triple")
            first.setdefault((name, unit), label)
            last[name, unit] = label
        (panel,) = read_panels(path, by="relation").panels
    newest = sorted((str(row.get(judges[n].id, "-"))) for row in panel.rows for n in "xy")
    units = {unit for _, unit in last}
    assert newest == sorted(str(last.get((n, unit), "-")) for unit in units for n in "xy")
    for rater in panel.raters:
        said = [label for (name, _), label in last.items() if name == rater.name]
        assert sum(rater.id in row for row in panel.rows) == len(said)
        began = sorted(map(str, panel.firsts.get(rater.id, {}).values()))
        all_first = sorted(str(label) for (name, _), label in first.items() if name == rater.name)
        assert all(all_first.count(one) >= began.count(one) for one in began)
