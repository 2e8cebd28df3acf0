"""Tables of claims as the field publishes them: nested rows, labels, triples, bad files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from factmark.claim_support.options import ClaimsOptions
from factmark.claim_support.reading import ClaimTable, read_claims
from factmark.errors import InputError
from factmark.files.problems import Problems


def read(folder: Path, name: str, text: str | list[Any], **options: Any) -> ClaimTable:
    path = folder / name
    path.write_text(text if isinstance(text, str) else json.dumps(text))
    return read_claims(ClaimsOptions(claims=path, **options), Problems())


def test_labels_of_the_field_and_foreign_verdicts_are_understood(tmp_path: Path) -> None:
    table = read(
        tmp_path,
        "c.csv",
        "claim,evidence,label,verdict:gpt,topic\n"
        "A is B,A is B.,Supports,entailment,1\n"
        "A is C,A is B.,Refutes,0,2\n"
        "A is D,A is B.,NEI,,3\n"
        "A is E,A is B.,,Neutral,4\n",
    )
    assert [row.label for row in table.rows] == ["SUPPORTED", "CONTRADICTED", "NOT_SUPPORTED", None]
    gpt = [row.foreign.get("gpt") for row in table.rows]
    assert gpt == ["SUPPORTED", "NOT_SUPPORTED", None, "NOT_SUPPORTED"]
    assert table.judges == ("gpt",)
    assert [row.data["topic"] for row in table.rows] == ["1", "2", "3", "4"]
    assert [row.passage for row in table.rows] == ["A is B."] * 4


def test_a_message_in_place_of_a_response_gives_no_claim_and_is_missing(tmp_path: Path) -> None:
    lines = "Error running the pipeline over HTTP.\nnan\nI don't know.\n"
    table = read(tmp_path, "r.csv", f"response\n{lines}", split="sentences")
    assert [row.unjudged and row.unjudged.status for row in table.rows] == [
        "undecided",
        "undecided",
        None,
    ]


def test_nested_rows_are_unfolded_by_a_path(tmp_path: Path) -> None:
    """RefChecker's form: responses, each with its triples and a label for each."""
    nested = [
        {"id": "r1", "kg": [{"t": ["Ada", "knows", "Ben"], "by": {"h": "Entailment"}}]},
        {"id": "r2", "kg": []},
        {"id": "r3", "kg": [{"t": ["'Cem'", "knows", '"Dor"'], "by": {"h": "Contradiction"}}] * 2},
    ]
    table = read(tmp_path, "n.json", nested, column=["claim=kg.t", "label=kg.by.h"])
    assert [row.text for row in table.rows] == ["Ada knows Ben", "Cem knows Dor", "Cem knows Dor"]
    assert [row.label for row in table.rows] == ["SUPPORTED", "CONTRADICTED", "CONTRADICTED"]
    assert [row.id for row in table.rows] == ["r1", "r3", "r3"]
    assert table.rows[1].cluster == table.rows[2].cluster != table.rows[0].cluster
    assert len({row.place for row in table.rows}) == 3
    assert table.rows[0].triple == ("Ada", "knows", "Ben")


def test_sentences_of_evidence_are_one_passage_and_ids_may_be_nested(tmp_path: Path) -> None:
    """WiCE's form."""
    row = {"claim": "A is B", "evidence": ["A is", "B."], "meta": {"id": 7}}
    table = read(tmp_path, "w.jsonl", json.dumps(row), column=["id=meta.id", "cluster=meta.id"])
    assert (table.rows[0].passage, table.rows[0].id, table.rows[0].cluster) == ("A is B.", "7", "7")


def test_nested_triples_and_their_labels_are_found_by_their_usual_names(tmp_path: Path) -> None:
    triple = {"triplet": ["Ada", "knows", "Ben"], "human_label": "Entailment"}
    nested = [{"id": "r1", "response": "Ada knows Ben.", "kg": [triple]}, {"id": "r2", "kg": []}]
    table = read(tmp_path, "n.json", nested)
    assert [(row.text, row.label) for row in table.rows] == [("Ada knows Ben", "SUPPORTED")]
    objects = {"17": ["Ada", "knows", "Ben"], "18": ["Cem", "isa", "baker"]}
    table = read(tmp_path, "o.json", objects)  # type: ignore[arg-type]
    assert [(row.id, row.text) for row in table.rows][1] == ("18", "Cem is a baker")


def test_columns_of_a_triple_are_a_claim(tmp_path: Path) -> None:
    table = read(tmp_path, "t.csv", "head,relation,tail,passage\ngout,isa,disease,Gout is one.\n")
    assert table.rows[0].text == "Gout is a disease"


def test_passages_are_found_by_id_and_what_names_none_stays_without_a_verdict(
    tmp_path: Path,
) -> None:
    (tmp_path / "p.jsonl").write_text('{"id": "p1", "text": "A is B."}')
    problems = Problems()
    (tmp_path / "c.csv").write_text("claim,passage_id\nA is B,p1\nA is C,p2\n")
    given = ClaimsOptions(claims=tmp_path / "c.csv", passages=tmp_path / "p.jsonl")
    table = read_claims(given, problems)
    assert [(row.passage, row.cluster) for row in table.rows] == [("A is B.", "p1"), (None, "p2")]
    known, unknown = table.rows
    assert known.unjudged is None
    assert unknown.unjudged is not None
    assert unknown.unjudged.reason == "no passage of that id: p2"
    assert not problems.dropped
    assert any("line 3: 'p2'" in sentence for sentence in problems.sentences())


def test_a_larger_sample_keeps_the_smaller_one(tmp_path: Path) -> None:
    text = "claim\n" + "".join(f"A is {n}\n" for n in range(50))
    few, more = (read(tmp_path, "c.csv", text, limit=n).rows for n in (5, 20))
    assert len(few) == 5
    assert {row.text for row in few} < {row.text for row in more}


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("sentence\nA is B\n", {}, "Found: sentence. Say which column holds the claims"),
        ("id;sentence\n1;A is B\n", {}, "--column claim=sentence"),
        ("response\nA is B.\n", {}, "--split MODEL"),
        ("claim,label\nA is B,perhaps\n", {}, "line 2: 'perhaps' is no label of a claim"),
        ("claim,verdict:x\nA is B,ja\n", {}, "name another column: --column verdict:x=NAME"),
        ("claim\nA is B\n", {"column": ["clam=claim"]}, "--column clam: no such field"),
    ],
)
def test_a_table_that_cannot_be_used_is_told_with_what_to_do(
    tmp_path: Path, text: str, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        read(tmp_path, "c.csv", text, **options)


def test_other_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no folder of results"):
        read(tmp_path, "c.txt", "claim\nA is B\n")
    with pytest.raises(InputError, match="no scored answers"):
        read_claims(ClaimsOptions(claims=tmp_path), Problems())


def test_cells_of_nothing_and_of_no_character(tmp_path: Path) -> None:
    """Frames of numbers have NaN in an empty cell; a lone surrogate can be written nowhere."""
    rows = (
        '{"claim": "A is B", "passage": "A is B.", "label": NaN, "system": NaN, "verdict:x": NaN}',
        '{"claim": "A is C", "passage": [{"b": 2}, "A is B."], "label": 1.0, "cluster": {"a": 1}}',
        '{"id": "\\ud800", "claim": "A is D", "passage": "A is B."}',
        '{"claim": {"a": "A is D"}, "passage": "A is B."}',
    )
    path, problems = tmp_path / "c.jsonl", Problems()
    path.write_text("\n".join(rows))
    first, second = read_claims(ClaimsOptions(claims=path), problems).rows
    assert (first.label, first.system, first.foreign) == (None, "", {})
    assert (second.label, second.passage, second.cluster) == ("SUPPORTED", "A is B.", "line 2")
    assert problems.dropped == {"broken characters": 1, "no claim": 1}


@pytest.mark.parametrize("column", ["claim=text", "verdict:gpt=grade"])
def test_a_column_that_is_named_and_not_there_is_told(tmp_path: Path, column: str) -> None:
    with pytest.raises(InputError, match=r"no column '(text|grade)'"):
        read(tmp_path, "c.csv", "claim,passage\nA is B,A is B.\n", column=[column])


def test_objects_may_have_fields_that_the_first_has_not(tmp_path: Path) -> None:
    rows = [
        {"claim": "A is B", "passage": "A is B."},
        {"claim": "A is C", "passage": "A is B.", "gold": 1, "model": "m", "verdict:x": "Refutes"},
    ]
    table = read(tmp_path, "c.json", rows)
    second = table.rows[1]
    assert (second.label, second.system) == ("SUPPORTED", "m")
    assert (second.foreign, table.judges) == ({"x": "CONTRADICTED"}, ("x",))
