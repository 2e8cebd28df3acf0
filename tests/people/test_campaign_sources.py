"""Units of a ledger, triples and answers as what a campaign asks about."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from factmark.analysis.later_verdicts import write_sheet
from factmark.answers.core.averages import Settings
from factmark.answers.core.evaluate import Extraction
from factmark.answers.core.records import Question
from factmark.answers.derive import Truth
from factmark.answers.reading import read_answers
from factmark.answers.study import score_study
from factmark.errors import InputError
from factmark.graphs.core.claims import Triple, pair_unit, triple_unit
from factmark.ledger.ledger import Ledger
from factmark.model import Item
from factmark.people.sources import answers_material, ledger_pairs, read_exchanges

TRIPLES = [
    Triple(head="insulin", relation="treats", tail=tail, passage=f"Insulin treats {tail}.")
    for tail in ("a", "b", "c")
]


@pytest.fixture
def ledger(tmp_path: Path) -> Path:
    path = tmp_path / "graph.db"
    with Ledger(path) as opened, opened.writing():
        opened.add_new_item(Item(id="insulin", cluster="insulin"))
        for triple in TRIPLES:
            opened.add_unit(pair_unit(triple))
            opened.add_unit(triple_unit(triple))
    return path


def test_all_units_of_a_kind_or_those_of_a_sheet(ledger: Path, tmp_path: Path) -> None:
    pairs = [pair_unit(triple) for triple in TRIPLES]
    found = ledger_pairs(ledger, "pair", None)
    assert {unit.id: unit for _, unit in found} == {unit.id: unit for unit in pairs}
    assert {item.cluster for item, _ in found} == {"insulin"}
    assert len(ledger_pairs(ledger, "triple", None)) == 3
    sheet = tmp_path / "sheet.csv"
    write_sheet(sheet, [pairs[2], pairs[0]], {})
    assert [unit for _, unit in ledger_pairs(ledger, "pair", sheet)] == [pairs[2], pairs[0]]
    with pytest.raises(InputError, match=r"line 2: .* has no unit .* of the kind 'triple'"):
        ledger_pairs(ledger, "triple", sheet)


def test_a_sheet_that_is_none(ledger: Path, tmp_path: Path) -> None:
    sheet = tmp_path / "sheet.csv"
    sheet.write_text("claim\nx\n")
    with pytest.raises(InputError, match="line 2: no column 'unit'"):
        ledger_pairs(ledger, "pair", sheet)
    sheet.write_text("unit\n")
    with pytest.raises(InputError, match="names no units"):
        ledger_pairs(ledger, "pair", sheet)


def exchanges(path: Path, *rows: dict[str, object]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


ROW = {"question": "What?", "reference": "That.", "answer": "This.", "system": "local"}


@pytest.mark.parametrize(
    ("row", "told"),
    [
        ({**ROW, "answer": ""}, "line 2: 'answer' is empty"),
        ({"question": "What?"}, "line 2: no column 'reference'"),
        (ROW, "line 2: 'local' answers this question in .*line 1 already"),
    ],
)
def test_graphrag_answers_that_are_wrong(tmp_path: Path, row: dict[str, object], told: str) -> None:
    with pytest.raises(InputError, match=told):
        read_exchanges(exchanges(tmp_path / "a.jsonl", ROW, row))


def test_people_meet_the_rules_in_one_ledger(tmp_path: Path) -> None:
    """The item of an answer is the very one that `factmark score` writes."""
    path = exchanges(tmp_path / "a.jsonl", {"query_id": "Q1", "answer": "It is a.", "model": "m"})
    question = Question(query_id="Q1", category="c", text="Which?", ground_truth=("a",))
    score_study(
        Truth(benchmark="bench", questions=(question,)),
        read_answers(path),
        extraction=Extraction.by_rule(),
        settings=Settings(resamples=100),
        ledger=tmp_path / "l.db",
    )
    made, _ = answers_material(path, "bench", [question])
    with Ledger(tmp_path / "l.db", read_only=True) as ledger:
        known = {row[0] for row in ledger.connection.execute("SELECT id FROM items")}
    assert {item.id for item in made.items} == known
