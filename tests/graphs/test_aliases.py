from __future__ import annotations

import json

import duckdb
import pytest

from factmark.errors import InputError
from factmark.files.problems import Problems
from factmark.graphs.triples.aliases import read_aliases


@pytest.fixture
def read(tmp_path):
    def reading(name, text):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        problems = Problems()
        return list(read_aliases(path, problems)), problems

    return reading


WANTED = [("diabetes mellitus", "DM"), ("diabetes mellitus", "sugar disease"), ("insulin", "INS")]


def test_tables(read):
    found, problems = read(
        "a.csv",
        "Entity,Synonyms,note\ndiabetes mellitus,DM | sugar disease|DM|,x\n,lost,\n"
        "insulin,INS,\ninsulin,insulin,\nfoot,,\n",
    )
    assert found == WANTED
    assert problems.examples["no name"] == ["line 3: no name"]
    assert (
        read("b.csv", 'name,alias\ndiabetes mellitus,"[""DM"", ""sugar disease""]"\n')[0]
        == (WANTED[:2])
    )


def test_lists(read, tmp_path):
    rows = [
        {"name": "diabetes mellitus", "aliases": ["DM", " sugar disease "]},
        {"name": "insulin", "aliases": "INS"},
        {"name": "x", "aliases": 3},
        {"name": "x", "aliases": ["a\0"]},
        {"name": "y", "aliases": None},
    ]
    found, problems = read("a.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
    assert found == WANTED
    assert problems.dropped == {"alias is no text": 1, "broken characters": 1}
    path = tmp_path / "a.parquet"
    duckdb.sql("SELECT 'insulin' AS name, ['INS'] AS synonyms").write_parquet(str(path))
    assert list(read_aliases(path, Problems())) == WANTED[2:]


@pytest.mark.parametrize(
    ("name", "text", "why"),
    [
        ("a.csv", "name,other\na,b\n", r"a\.csv, line 1: no column 'alias'. Found: name, other"),
        ("a.csv", "alias\nb\n", "no column 'name'"),
        ("a.docx", "", "ends in none of"),
        ("a.ttl", "", "--ontology"),
    ],
)
def test_what_cannot_be_read(read, name, text, why):
    with pytest.raises(InputError, match=why):
        read(name, text)
