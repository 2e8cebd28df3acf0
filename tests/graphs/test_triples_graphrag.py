"""Graphs as Microsoft GraphRAG writes them, in Parquet."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest

from factmark.errors import InputError
from factmark.graphs.core.claims import claim, pair_unit, triple_of
from factmark.graphs.reading import GraphUnits, Source
from factmark.graphs.triples.edges import relations_and_statement
from factmark.passages.passage_file import Passages
from graphs_data import read

SAYS = "Insulin lowers the glucose in the blood."


def write(path: Path, columns: str, rows: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    duckdb.sql(f"SELECT * FROM (VALUES {rows}) AS t({columns})").write_parquet(str(path))


def output(folder: Path, *, prefix: str = "", title: str = "title") -> Path:
    write(
        folder / f"{prefix}relationships.parquet",
        "id, human_readable_id, source, target, description, weight, combined_degree,"
        " text_unit_ids",
        f"('r0', 0, 'INSULIN', 'GLUCOSE', '{SAYS}', 9.0, 4, ['t1', 't2']),"
        "('r1', 1, 'FOOT ULCER', 'FOOT', 'finding_site_of, part_of', 1.0, 2, ['t2']),"
        "('r2', 2, 'INSULIN', 'PANCREAS', 'is made in', 1.0, 2, []),"
        "('r3', 3, '', 'PANCREAS', 'x', 1.0, 2, ['t1']),"
        "('r4', 4, 'A', 'B', NULL, 1.0, 2, ['gone'])",
    )
    write(
        folder / f"{prefix}entities.parquet",
        f"id, human_readable_id, {title}, type, description, text_unit_ids, frequency, degree",
        "('e0', 0, 'INSULIN', 'DRUG', 'A hormone.', ['t1'], 1, 2),"
        "('e1', 1, 'GLUCOSE', 'CHEMICAL', 'A sugar.', ['t1'], 1, 1)",
    )
    write(
        folder / f"{prefix}text_units.parquet",
        "id, human_readable_id, text, n_tokens, document_ids",
        "('t1', 1, 'Given insulin, blood glucose falls.', 7, ['d']), ('t2', 2, 'Feet.', 1, ['d'])",
    )
    return folder / f"{prefix}relationships.parquet"


def test_a_relationship_is_its_description_once_for_each_text_unit(tmp_path):
    triples, problems = read(output(tmp_path))
    first, second, *_ = triples
    assert (first.head, first.relation, first.tail) == ("INSULIN", "related_to", "GLUCOSE")
    assert claim(first) == SAYS
    assert (first.passage_id, first.passage) == ("t1", "Given insulin, blood glucose falls.")
    assert (second.passage_id, second.passage, second.key) == ("t2", "Feet.", first.key)
    assert (first.id, first.where, first.confidence) == ("r0", "row 1", None)
    assert (first.head_id, first.tail_id) == ("e0", "e1")
    assert problems.dropped == {"no head": 1}
    assert problems.odd == {"edge without words": 1, "unknown passage": 1}
    assert problems.rows == 5


WORDS = {
    ("treats", "a", "b"): (("treats",), ""),
    ("works together with", "Ann", "Bob"): (("works together with",), ""),
    ("Ann knows Bob", "ANN", "BOB"): (("related_to",), "Ann knows Bob"),
    ("One thing.<SEP>Another  thing.", "a", "b"): (("related_to",), "One thing. Another thing."),
    ("胰岛素降低血糖", "胰岛素", "血糖"): (("related_to",), "胰岛素降低血糖"),
    ("治疗", "胰岛素", "糖尿病"): (("治疗",), ""),
    ("他们一起工作得很好", "甲", "乙"): (("related_to",), "他们一起工作得很好"),
    ("", "a", "b"): (("related_to",), ""),
    ("unknown", "a", "b"): (("related_to",), ""),
    ("1, 2 | 3.", "a", "b"): (("related_to",), ""),
    ("strong, positive, direct", "a", "b"): (("related_to",), "strong, positive, direct"),
    ("treats, Has finding site", "a", "b"): (("treats", "Has finding site"), ""),
    ("treatsDisease;co_occurs_with", "a", "b"): (("treatsDisease", "co_occurs_with"), ""),
    ("KNOWS", "a", "b"): (("KNOWS",), ""),
    ("insulin", "Insulin", "b"): (("related_to",), "insulin"),
    ("co-occurs with", "a", "b"): (("co-occurs with",), ""),
    ("they work together", "Ann", "Bob"): (("related_to",), "they work together"),
    ("given in 2", "a", "b"): (("related_to",), "given in 2"),
    ("One thing.<SEP>One thing.", "a", "b"): (("related_to",), "One thing."),
    (" ,; ", "a", "b"): (("related_to",), ""),
}


@pytest.mark.parametrize("given", WORDS)
def test_what_a_description_is(given):
    assert relations_and_statement(*given) == WORDS[given]


@pytest.mark.parametrize(
    ("inner", "prefix", "title"),
    [
        ("", "", "title"),
        ("output", "final_", "title"),
        ("output/artifacts", "create_final_", "name"),
    ],
)
def test_a_folder_of_any_version(tmp_path, inner, prefix, title):
    output(tmp_path / inner, prefix=prefix, title=title)
    if prefix == "final_":  # the scripts write the text units under their usual name
        (tmp_path / inner / "final_text_units.parquet").rename(
            tmp_path / inner / "text_units.parquet"
        )
    triples, _ = read(tmp_path)
    assert (triples[0].head_id, triples[0].passage_id, len(triples)) == ("e0", "t1", 6)
    assert triples[0].passage == "Given insulin, blood glucose falls."


def test_a_folder_without_a_graph_says_what_to_name(tmp_path):
    with pytest.raises(InputError, match=r"without a relationships\.parquet"):
        read(tmp_path)


def test_passages_of_ones_own_go_before_the_text_units_and_nothing_else_is_needed(tmp_path):
    path = output(tmp_path)
    with Passages() as passages:
        passages.add("t1", "mine")
        triples, _ = read(path, passages=passages)
    assert [t.passage for t in triples[:2]] == ["mine", "Feet."]
    (tmp_path / "text_units.parquet").unlink()
    (tmp_path / "entities.parquet").unlink()
    triples, problems = read(path)
    assert (triples[0].passage, triples[0].passage_id, triples[0].head_id) == (None, "t1", "")
    assert "unknown passage" not in problems.odd


def test_as_a_table_of_text_with_quoted_names(tmp_path):
    path = tmp_path / "edges.csv"
    path.write_text(
        "source,target,description,text_unit_ids\n"
        '"""ALEX""",BO,"ALEX met BO, by chance.","[\'u1\' \'u2\']"\n'
    )
    triples, _ = read(path)
    assert [(t.head, t.statement, t.passage_id) for t in triples] == [
        ("ALEX", "ALEX met BO, by chance.", "u1"),
        ("ALEX", "ALEX met BO, by chance.", "u2"),
    ]
    path.write_text("source,target,relation,description\na,b,isa,A is a b indeed.\n")
    triples, _ = read(path)  # with a relation it is a plain table
    assert (triples[0].relation, triples[0].statement) == ("isa", "")


def test_factscore_judges_the_description_by_the_text_unit(tmp_path):
    graph = GraphUnits(Source(measure="factscore", triples=(output(tmp_path),)))
    units = [unit for _, unit in graph.jobs()]
    assert graph.size == len(units) == 6
    without = [unit.data["passage_id"] for unit in units if unit.data["passage"] is None]
    assert without == ["", "gone"]  # both are missing, neither is left out
    assert units[0].text == SAYS
    assert units[0].data["passage"] == "Given insulin, blood glucose falls."
    assert pair_unit(triple_of(units[0])).text == SAYS
    assert len({unit.id for unit in units}) == 6
