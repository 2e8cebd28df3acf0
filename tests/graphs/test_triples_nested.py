"""Triples within objects, lists and Arrow, as published graphs have them."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import duckdb
import pytest

from factmark.errors import InputError
from factmark.files.nested import unfold
from graphs_data import parts, read
from later import later

pa = later("pyarrow")


ADA = ("Ada", "knows", "Ben")
CEM = ("Cem", "isa", "baker")
RESPONSES = [
    {
        "id": "r1",
        "answer": "Ada knows Ben. Cem bakes.",
        "kg": [{"triplet": [*ADA], "people": "Entailment"}, {"triplet": [*CEM], "people": "no"}],
    },
    {"id": "r2", "answer": "Nothing.", "kg": []},
]


def json_file(folder: Path, value: Any) -> Path:
    path = folder / "t.json"
    path.write_text(json.dumps(value))
    return path


@pytest.mark.parametrize(
    "value",
    [
        {"17": [*ADA], "18": [*CEM]},
        {"17": {"head": ADA[0], "relation": ADA[1], "tail": ADA[2]}, "18": {"triple": [*CEM]}},
        {"made": "Monday", "facts": [{"id": "17", "triple": [*ADA]}, {"id": 18, "t": [*CEM]}]},
    ],
)
def test_objects_of_rows_keep_their_ids(tmp_path, value):
    triples, problems = read(json_file(tmp_path, value))
    assert [(t.id, p) for t, p in zip(triples, parts(triples), strict=True)][:1] == [("17", ADA)]
    assert len(triples) + problems.n_dropped == problems.rows == 2


@pytest.mark.parametrize(
    "value",
    [
        [[*ADA], [*CEM]],
        [{"triples": [[*ADA], [*CEM]]}],
        [{"triples": [{"subject": "Ada", "type": "knows", "object": "Ben"}, [*CEM]]}],
        [{"doc": {"triplets": [[*ADA], [*CEM]]}}],
        [{"facts": [{"subject": a, "rel": r, "object": b} for a, r, b in (ADA, CEM)]}],
        RESPONSES,
    ],
)
def test_lists_of_triples_are_unfolded_without_an_option(tmp_path, value):
    triples, _ = read(json_file(tmp_path, value))
    assert parts(triples) == [ADA, CEM]


def test_a_path_says_where_each_part_stands_and_what_is_beside_passes_through(tmp_path):
    columns = {"head": "kg.triplet.0", "relation": "kg.triplet.1", "tail": "kg.triplet.2"}
    path = json_file(tmp_path, RESPONSES)
    triples, problems = read(path, columns={**columns, "passage": "answer"})
    assert parts(triples) == [ADA, CEM]
    assert {(t.id, t.passage) for t in triples} == {("r1", "Ada knows Ben. Cem bakes.")}
    assert [t.where for t in triples] == ["line 1, 1", "line 1, 2"]
    assert triples[1].given["kg"] == {"triplet": [*CEM], "people": "no"}
    assert problems.dropped == {"an empty list, which gives no triple": 1}


def test_a_foreign_verdict_may_stand_at_a_path(tmp_path):
    columns = {"triple": "kg.triplet", "verdict:people": "kg.people"}
    triples, _ = read(json_file(tmp_path, RESPONSES), columns=columns)
    assert [t.given["verdict:people"] for t in triples] == ["Entailment", "no"]


def test_each_of_several_tails_makes_a_triple(tmp_path):
    rows = [{"head": "Ada", "relation": "knows", "tails": ["Ben", "Cem", "Dor"]}]
    assert [t.tail for t in read(json_file(tmp_path, rows))[0]] == ["Ben", "Cem", "Dor"]


def test_lists_too_deep_in_lists_are_refused():
    deep: list[object] = [*ADA]
    for _ in range(5_000):
        deep = [deep]
    with pytest.raises(InputError, match="line 3: lists within lists"):
        list(unfold("t.json, line 3", {"kg": deep}, ["kg"], parts=["kg"]))


def test_nested_parquet(tmp_path):
    path = tmp_path / "t.parquet"
    duckdb.sql(
        "SELECT 7 AS id, [{'triplet': ['Ada', 'knows', 'Ben']}, {'triplet': ['Cem', 'isa', "
        "'baker']}] AS kg"
    ).write_parquet(str(path))
    for columns in ({}, {"triple": "kg.triplet"}):
        assert parts(read(path, columns=columns)[0]) == [ADA, CEM]
    with pytest.raises(InputError, match=r"no column 'kgs.t'.*--column triple=kg.triplet"):
        read(path, columns={"head": "kgs.t"})


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ([{"a": {"wer": [*ADA]}}], r"Found: a, a\.wer\..*--column triple=a\.wer\."),
        ({"17": 1, "18": 0}, r"It holds: 17 \(int\) and 18 \(int\)\. Write .*\{id: \[head"),
        ({"head": "x", "tail": "y"}, r"no list of objects.*It holds: head \(str\) and tail"),
        (7, "is no list of objects"),
        ({}, "It holds: nothing"),
    ],
)
def test_what_cannot_be_read_is_told_with_what_it_holds_and_what_would_read_it(
    tmp_path, value, message
):
    with pytest.raises(InputError, match=message):
        read(json_file(tmp_path, value))


@pytest.mark.parametrize("place", ["²", "9" * 5_000])
def test_what_is_no_place_in_a_list(tmp_path, place):
    path = json_file(tmp_path, [{"kg": [["a", "r", "b"]]}])
    with pytest.raises(InputError, match="no column"):
        read(path, columns={"triple": f"kg.{place}"})


def test_a_confidence_beyond_all_floats_is_no_number(tmp_path):
    row = {"head": "a", "relation": "r", "tail": "b", "confidence": 10**400}
    triples, problems = read(json_file(tmp_path, [row]))
    assert (triples[0].confidence, problems.odd["confidence is no number"]) == (None, 1)


def arrow(path: Path, rows: list[dict[str, Any]], new: str = "new_stream") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    table = pa.Table.from_pylist(rows)
    with getattr(pa.ipc, new)(str(path), table.schema) as writer:
        writer.write_table(table, max_chunksize=2)
    return path


def tails(*names: str) -> list[dict[str, Any]]:
    return [{"head": "Ada", "relation": "knows", "tails": [name]} for name in names]


@pytest.mark.parametrize("new", ["new_stream", "new_file"])
def test_arrow_files(tmp_path, new):
    triples, problems = read(arrow(tmp_path / "t.arrow", tails("a", "b", "c"), new))
    assert [(t.tail, t.where) for t in triples][-1] == ("c", "row 3, 1")
    assert problems.rows == 3


def test_folders_of_save_to_disk(tmp_path):
    """A data set in two files, beside what `map` left; and one in splits."""
    arrow(tmp_path / "d" / "data-00001-of-00002.arrow", tails("c"))
    arrow(tmp_path / "d" / "data-00000-of-00002.arrow", tails("a", "b"))
    arrow(tmp_path / "d" / "cache-1.arrow", tails("x"))
    triples, _ = read(tmp_path / "d")
    assert [t.tail for t in triples] == ["a", "b", "c"]
    assert triples[-1].where == "data-00001-of-00002.arrow, row 1, 1"
    arrow(tmp_path / "s" / "train" / "data-00000-of-00001.arrow", tails("a"))
    (tmp_path / "s" / "dataset_dict.json").write_text('{"splits": ["train", "test"]}')
    assert len(read(tmp_path / "s")[0]) == 1
    arrow(tmp_path / "s" / "test" / "data-00000-of-00001.arrow", tails("a"))
    with pytest.raises(InputError, match="holds the splits test, train"):
        read(tmp_path / "s")


def test_damaged_arrow_and_arrow_without_pyarrow(tmp_path, monkeypatch):
    path = arrow(tmp_path / "t.arrow", tails("a"))
    path.write_bytes(path.read_bytes()[:40] + b"damaged")
    with pytest.raises(InputError, match="cannot be read as Arrow"):
        read(path)
    arrow(path, tails("a"))
    path.write_bytes(path.read_bytes().replace(b"knows", b"know\xff"))
    with pytest.raises(InputError, match="Invalid UTF8"):
        read(path)
    with pytest.raises(InputError, match="there is no such file"):
        read(tmp_path / "gone.arrow")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(InputError, match=r"pip install \"factmark\[arrow\]\""):
        read(path)
