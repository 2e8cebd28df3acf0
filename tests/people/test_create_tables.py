"""What the owner of a new campaign sees: loads, changes, lengths, tells; all of it escaped."""

from __future__ import annotations

from factmark.campaign_model import Annotator
from factmark.people.core.assign import assign, loads
from factmark.people.core.forms import COARSE, SUPPORT
from factmark.people.report.progress_tables import blinding_table, lengths_table, loads_table
from factmark.tables.layouts import csv_table, markdown_table

PEOPLE = (Annotator(code="A1", name="Ada\x1b[31m"), Annotator(code="A2", name="<b>Ben</b>"))


def test_loads() -> None:
    """Ten documents of three summaries, two of them twice: 36 rows, 18 and 18, 6 shared each."""
    documents = {f"d{n}": [f"d{n}{system}" for system in "abc"] for n in range(10)}
    made = assign(documents, ["A1", "A2"], overlap=0.2, batch=4)
    ada, ben = loads(COARSE, PEOPLE, made)
    assert (ada.documents, ada.rows, ada.shared, ada.batches) == (6, 18, 6, 2)
    assert (ben.documents, ben.rows, ben.shared, ben.batches) == (6, 18, 6, 2)
    assert ada.minutes == 6 * 25
    table = loads_table((ada, ben), title="one")
    text = markdown_table(table)
    assert "\x1b" not in text
    assert "Ada\\[U+001B\\]" in text
    assert "<b>" not in text
    assert "| **all** |" in text
    assert csv_table(table).splitlines()[2] == "A2,<b>Ben</b>,6,18,6,2,2.5"


def test_units_that_stand_alone_take_their_time_each() -> None:
    made = assign({"c": ["u1", "u2"]}, ["A1"], overlap=0, together=False)
    (load,) = loads(SUPPORT, PEOPLE[:1], made)
    assert (load.rows, load.minutes) == (2, 2.0)


def test_blinding() -> None:
    changes = [{"rule": "special tokens", "count": 1200, "examples": [["<pad> a" * 30, "a\x07"]]}]
    table = blinding_table({"source": [], "model": changes})
    assert [line.labels[:2] for line in table.lines] == [
        ("source", "nothing changed"),
        ("model", "special tokens"),
    ]
    assert table.lines[1].cells[0].value == "1,200"
    assert "[U+0007]" in table.lines[1].labels[2]
    assert len(table.lines[1].labels[2]) < 100


def test_lengths_and_tells() -> None:
    one = {"system": "m", "texts": 30, "median": 12.5, "shortest": 3, "longest": 20, "unended": 0.1}
    none = {**one, "texts": 0, "median": None, "shortest": None, "longest": None, "unended": None}
    told = lengths_table([one], ["m: the longest in 30 of 30 documents (by chance: 15.0)"])
    assert [cell.value for cell in told.lines[0].cells] == ["30", "12.5", "3", "20", "10%"]
    assert any("Still tells: m: the longest" in note for note in told.notes)
    assert any("Nothing in the form" in note for note in lengths_table([one], []).notes)
    assert any("Too few documents" in note for note in lengths_table([none], []).notes)
