"""Tables as the GraphMERT scripts and people around them write them."""

from __future__ import annotations

import json

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

from factmark.errors import InputError
from factmark.files.problems import Problems
from factmark.graphs.triples.triples import parts_of, read_triples


@pytest.fixture
def read(tmp_path):
    def reading(name, text, **options):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        problems = Problems()
        return list(read_triples(path, problems, **options)), problems

    return reading


def said(triples):
    return [(t.head, t.relation, t.tail) for t in triples]


def test_a_table_of_pandas_with_sequence_and_similarity(read):
    triples, problems = read(
        "kg.csv",
        ",id,head,relation_type,tail,similarity,sequence\n"
        '0,17,foot ulcer,finding_site_of,foot,0.71,"Ulcers of the foot, seen often."\n'
        "1,18,insulin,NULL,glucose,0.5,x\n"
        "2,19,insulin,treats,,0.5,x\n",
    )
    assert said(triples) == [("foot ulcer", "finding_site_of", "foot")]
    first = triples[0]
    assert (first.id, first.confidence, first.passage) == (
        "17", 0.71, "Ulcers of the foot, seen often.",
    )  # fmt: skip
    assert problems.dropped == {"no relation": 1, "no tail": 1}
    assert "line 3" in problems.examples["no relation"][0]


def test_score_goes_before_similarity_and_text_before_sequence(read):
    triples, _ = read(
        "kg.csv", "head,relation,tail,similarity,score,sequence,text\na,r,b,.1,.9,s,t\n"
    )
    assert (triples[0].confidence, triples[0].passage) == (0.9, "t")


def test_names_beside_ids(read):
    triples, _ = read(
        "kg.csv",
        "head,head_name,relation,tail,tail_name\nC0011849,diabetes mellitus,isa,C0012634,disease\n",
    )
    assert said(triples) == [("diabetes mellitus", "isa", "disease")]
    assert (triples[0].head_id, triples[0].tail_id) == ("C0011849", "C0012634")


def test_an_id_column_of_its_own_goes_before(read):
    triples, _ = read("kg.csv", "head,head_name,head_id,relation,tail\nh,name,C1,isa,t\n")
    assert (triples[0].head, triples[0].head_id) == ("name", "C1")


CELLS = {
    "(insulin, treats, diabetes)": ("insulin", "treats", "diabetes"),
    "('insulin', 'treats', 'diabetes')": ("insulin", "treats", "diabetes"),
    '["type 1, 2", "isa", "diabetes"]': ("type 1, 2", "isa", "diabetes"),
    "insulin | treats | diabetes, type 1": ("insulin", "treats", "diabetes, type 1"),
    "insulin\ttreats\tdiabetes": ("insulin", "treats", "diabetes"),
    "insulin -[treats]-> diabetes": ("insulin", "treats", "diabetes"),
    "insulin --[:TREATS]--> diabetes": ("insulin", "TREATS", "diabetes"),
    "insulin -> treats -> diabetes": ("insulin", "treats", "diabetes"),
    "insulin → treats → diabetes": ("insulin", "treats", "diabetes"),
    "<insulin; treats; diabetes>": ("insulin", "treats", "diabetes"),
    "(heart (left), part_of, body (human))": ("heart (left)", "part_of", "body (human)"),
    "(a) | r | (b)": ("(a)", "r", "(b)"),
    "insulin, treats, diabetes, type 1": None,
    "insulin treats diabetes": None,
    "(insulin, , diabetes)": None,
    "('insulin', 'treats', 3)": None,
    "": None,
    "(" * 5_000: None,
    "__import__('os').system('true')": None,
}


@pytest.mark.parametrize("cell", CELLS, ids=lambda cell: cell[:30])
def test_a_triple_in_a_cell(cell):
    assert parts_of(cell) == CELLS[cell]


WORDS = st.text(st.characters(categories=["L", "N"]), min_size=1, max_size=12)


@given(WORDS, WORDS, WORDS, st.sampled_from([" | ", "\t", " -> ", " ; ", ", "]))
def test_three_words_come_back_from_any_form(head, relation, tail, sign):
    for cell in (sign.join((head, relation, tail)), f"({sign.join((head, relation, tail))})"):
        assert parts_of(cell) == (head, relation, tail)
    assert parts_of(json.dumps([head, relation, tail])) == (head, relation, tail)
    assert parts_of(repr((head, relation, tail))) == (head, relation, tail)


@given(st.text(max_size=60))
def test_any_cell_has_three_parts_or_none(cell):
    found = parts_of(cell)
    assert found is None or (len(found) == 3 and all(found))


def test_a_column_of_triples(read):
    triples, problems = read(
        "kg.csv", 'triplet,text\n"(insulin, treats, diabetes)",t\n"a, b",t\nx | isa | y,u\n'
    )
    assert said(triples) == [("insulin", "treats", "diabetes"), ("x", "isa", "y")]
    assert triples[1].passage == "u"
    assert problems.examples["no triple in the cell"] == ["line 3: 'a, b'"]


def test_lists_in_json_lines_and_parquet(read, tmp_path):
    triples, _ = read("kg.jsonl", '{"triple": ["a", "isa", "b"]}\n{"triple": ["c", "isa", "d"]}\n')
    assert said(triples) == [("a", "isa", "b"), ("c", "isa", "d")]
    path = tmp_path / "kg.parquet"
    duckdb.sql("SELECT ['a', 'isa', 'b'] AS triplet").write_parquet(str(path))
    assert said(read_triples(path, Problems())) == [("a", "isa", "b")]


def test_head_relation_and_tail_go_before_a_cell(read):
    triples, _ = read("kg.csv", "triple,head,relation,tail\nx | y | z,a,isa,b\n")
    assert said(triples) == [("a", "isa", "b")]


def test_a_table_without_a_relation_says_what_it_has(read):
    with pytest.raises(InputError, match=r"no column 'relation'.*Found: head, tail"):
        read("kg.csv", "head,tail\na,b\n")
