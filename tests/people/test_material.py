"""What annotators see: nothing that tells whose it is, and everything they need to judge it."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import pytest

from factmark.analysis.labels.label_sheet import write_sheet
from factmark.answers.campaign import answers_asked
from factmark.answers.core.evaluate import JudgedAnswers
from factmark.answers.core.records import Question
from factmark.answers.questions.ground_truths import Truth
from factmark.answers.reading import read_answers
from factmark.answers.study import score_study
from factmark.cli.annotate import protocol_of
from factmark.cli.unit_files import UnitFiles
from factmark.errors import InputError
from factmark.graph_answers.campaign import read_exchanges
from factmark.graphs.core.claims import Triple, pair_unit
from factmark.ledger.ledger import Ledger
from factmark.model import Item
from factmark.people.core.assign import assign
from factmark.people.core.material import (
    Document,
    Material,
    material_of_clauses,
    material_of_summaries,
    material_of_units,
    sample_material,
)
from factmark.people.reading import ledger_pairs
from factmark.stats.comparison import Options

SOURCE = "Forty adults took the drug. Pain fell by half. Ten had a headache , none a fever ."
DOCUMENTS = [
    Document(
        id="d1",
        source=SOURCE,
        summaries={
            "people": "forty adults took the drug . pain fell by half .",
            "model_n": "pain fell by half.<n> nobody had a fever.",
            "model_pad": "<pad> ten had a headache. <pad>",
        },
    ),
    Document(
        id="d2",
        source="Rats slept. They ate.",
        summaries={
            "people": "rats slept .",
            "model_n": "rats<n> slept.",
            "model_pad": "<pad> rats ate.",
        },
    ),
]


def shown(material: Material) -> str:
    return json.dumps([asdict(what) for what in material.shown.values()])


def test_no_system_and_no_trace_is_shown_and_changes_are_counted_for_the_owner() -> None:
    made = material_of_summaries(DOCUMENTS)
    for trace in ("people", "model", "<n>", "<pad>", " ."):
        assert trace not in shown(made)
    settings = made.owners_settings()
    counts = {
        system: {one["rule"]: one["count"] for one in changes}
        for system, changes in settings["blinding"].items()
    }
    assert counts["people"] == {"blanks before marks": 3}
    assert counts["model_n"]["line tokens"] == 2
    assert counts["model_pad"]["special tokens"] == 3
    assert counts["source"] == {"blanks before marks": 2}


def test_a_summary_of_which_nothing_is_left_and_one_that_is_lacking() -> None:
    document = Document(id="d", source="s", summaries={"a": "<pad> <pad>"}, where="f, line 3")
    with pytest.raises(InputError, match=r"f, line 3: of 'a' nothing but signs is left"):
        material_of_summaries([document])
    document = Document(id="d3", source="s", summaries={"people": "It is so."})
    made = material_of_summaries([DOCUMENTS[0], document])
    assert made.notes == (
        "model_n has summaries of 1 of 2 documents",
        "model_pad has summaries of 1 of 2 documents",
    )
    assert len(made.documents["d3"]) == 1


def test_clauses_stand_in_their_summary_and_point_to_the_source() -> None:
    made = material_of_clauses(DOCUMENTS, share=1.0, seed=0)
    units = {unit.id: unit for unit in made.units if unit.kind == "clause"}
    summaries = {unit.id: unit for unit in made.units if unit.kind == "summary"}
    assert set(units) == set(made.shown)
    assert len(summaries) == 6
    for name, unit in units.items():
        what = made.shown[name]
        assert what.clause is not None
        start, end = what.clause
        assert what.text[start:end] == unit.text
        assert what.text == summaries[str(unit.data["summary"])].text
        assert all(what.evidence[a:b].strip() for a, b in what.likely)
    fell = next(n for n, u in units.items() if u.text == "pain fell by half." and u.item == "d1")
    assert "Pain fell by half." in [
        made.shown[fell].evidence[a:b] for a, b in made.shown[fell].likely
    ]


LONG = Document(
    id="d",
    source="Everything is told here.",
    summaries={
        system: " ".join(f"The value of item {system} number {n} was measured." for n in range(8))
        for system in ("a", "b", "c")
    },
)


def test_a_share_of_the_clauses_of_each_summary_is_asked_about_in_order() -> None:
    made = material_of_clauses([LONG], share=0.5, seed=1)
    every = {unit.id: unit for unit in made.units if unit.kind == "clause"}
    assert len(every) == 24  # a judge may go through all of them
    for system in "abc":
        mine = [every[u] for u in made.documents["d"] if every[u].data["system"] == system]
        assert len(mine) == 4
    rows = assign(made.documents, ["A1"], seed=4, overlap=0, parts=made.parts)
    starts: dict[str, list[int]] = {}
    for row in rows:
        unit = every[row.unit]
        starts.setdefault(str(unit.data["system"]), []).append(made.shown[unit.id].clause[0])
    assert all(found == sorted(found) for found in starts.values())
    small = material_of_clauses([LONG], share=0.01, seed=1)
    assert len(small.shown) == 3  # one of each summary at least
    assert set(small.shown) <= set(made.shown)  # a larger share contains a smaller one
    assert set(material_of_clauses([LONG], share=0.5, seed=2).shown) != set(made.shown)


def test_a_sample_leaves_the_rest_to_a_judge() -> None:
    documents = [
        Document(id=f"d{n}", source="s", summaries={"a": f"It is {n}.", "b": f"Is it {n}?"})
        for n in range(10)
    ]
    whole = material_of_summaries(documents)
    three, five = (sample_material(whole, n, seed=7, whole=True) for n in (3, 5))
    assert len(three.documents) == 3
    assert set(three.documents) < set(five.documents)
    assert len(three.shown) == 6
    assert three.units == whole.units
    assert three.settings["sample"] == {
        "how": "simple random without replacement, nested by seed",
        "drawn": 3,
        "of": 10,
        "what": "documents",
    }
    turned = sample_material(material_of_summaries(documents[::-1]), 3, seed=7, whole=True)
    assert set(turned.documents) == set(three.documents)


def rows_of(path: Path, *rows: dict[str, object]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


ROW = {"question": "What?", "reference": "That.", "answer": "that .<n> yes", "system": "local"}


def test_graphrag_answers_are_blinded_and_share_their_question(tmp_path: Path) -> None:
    rows = [
        ROW,
        {**ROW, "answer": "<pad> no", "system": "global"},
        {**ROW, "question": "Who?", "reference": "She.", "answer": "he"},
    ]
    source = rows_of(tmp_path / "a.jsonl", *rows)
    made = material_of_units(
        protocol_of("graphrag").units_asked(UnitFiles(source=source), "graphrag")
    )
    assert len(made.items) == len(made.documents) == 2
    assert {unit.kind for unit in made.units} == {"graphrag"}
    told = shown(made)
    assert not [trace for trace in ("local", "global", "<n>", "<pad>") if trace in told]
    assert "Question: What?\\n\\nReference answer: That." in told
    settings = made.owners_settings()
    assert list(settings["blinding"]) == ["local", "global"]


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
        list(read_exchanges(rows_of(tmp_path / "a.jsonl", ROW, row)))


def test_people_meet_the_rules_in_one_ledger(tmp_path: Path) -> None:
    """The item of an answer is the very one that `factmark score` writes."""
    path = rows_of(tmp_path / "a.jsonl", {"query_id": "Q1", "answer": "It is a.", "model": "m"})
    question = Question(query_id="Q1", category="c", text="Which?", ground_truth=("a",))
    score_study(
        Truth(benchmark="bench", questions=(question,)),
        read_answers(path),
        judged=JudgedAnswers(),
        settings=Options(resamples=100),
        ledger=tmp_path / "l.db",
    )
    made = material_of_units(answers_asked(path, read_answers(path), "bench", [question]))
    with Ledger(tmp_path / "l.db", read_only=True) as ledger:
        known = {row[0] for row in ledger.connection.execute("SELECT id FROM items")}
    assert {item.id for item in made.items} == known


@pytest.mark.parametrize(
    ("sheet", "told"),
    [
        ("unit\nnone\n", "line 2: .* has no unit 'none' of the kind 'pair'"),
        ("claim\nx\n", "line 2: no column 'unit'"),
        ("unit\n", "names no units"),
    ],
)
def test_the_units_of_a_ledger_or_a_sheet(tmp_path: Path, sheet: str, told: str) -> None:
    ledger = tmp_path / "graph.db"
    triples = [
        Triple(head="insulin", relation="treats", tail=tail, passage=f"Insulin treats {tail}.")
        for tail in ("a", "b", "c")
    ]
    pairs = [pair_unit(triple) for triple in triples]
    with Ledger(ledger) as opened, opened.writing():
        opened.add_new_item(Item(id="insulin", cluster="insulin"))
        for pair in pairs:
            opened.add_unit(pair)
    assert {unit.id: unit for _, unit in ledger_pairs(ledger, "pair")} == {
        unit.id: unit for unit in pairs
    }
    path = tmp_path / "sheet.csv"
    write_sheet(path, [pairs[2], pairs[0]], {})
    assert [unit for _, unit in ledger_pairs(ledger, "pair", path)] == [pairs[2], pairs[0]]
    path.write_text(sheet)
    with pytest.raises(InputError, match=told):
        ledger_pairs(ledger, "pair", path)


def test_people_see_the_other_writings_of_an_element_beside_it(tmp_path: Path) -> None:
    path = rows_of(tmp_path / "a.jsonl", {"query_id": "Q1", "answer": "By A. M. Weir."})
    question = Question(
        query_id="Q1",
        category="c",
        text="Who?",
        ground_truth=("Ann Weir", "62.5"),
        aliases={"Ann Weir": ("A. M. Weir",)},
        units={"62.5": "%"},
    )
    [(_, _, shown)] = answers_asked(path, read_answers(path), "bench", [question]).rows
    assert "- Ann Weir (or: A. M. Weir)\n- 62.5 (or: 62.5 %; 0.625)" in shown.evidence
    assert shown.elements == ("Ann Weir", "62.5")  # what is ticked stays as it is on record


@pytest.mark.parametrize(("language", "label"), [("en", "Harbour Lights"), ("de", "Hafenlichter")])
def test_the_ground_truth_of_a_campaign_has_labels_in_the_language_asked_for(
    tmp_path: Path, language: str, label: str
) -> None:
    iri, name = "<http://m.example/a1>", "<http://www.w3.org/2000/01/rdf-schema#label>"
    (tmp_path / "m.ttl").write_text(f'{iri} {name} "Harbour Lights"@en, "Hafenlichter"@de .\n')
    asked = {"id": "Q1", "question": "Which?", "sparql": f"SELECT ?a {{ ?a {name} ?n }}"}
    benchmark = rows_of(tmp_path / "b.jsonl", asked)
    source = rows_of(tmp_path / "a.jsonl", {"query_id": "Q1", "answer": "Some."})
    files = UnitFiles(
        source=source, benchmark=str(benchmark), store=tmp_path / "m.ttl", labels=language
    )
    [(_, _, shown)] = protocol_of("answer").units_asked(files, "answer").rows
    assert shown.elements == (label,)
