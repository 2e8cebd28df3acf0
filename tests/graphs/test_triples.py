from __future__ import annotations

import contextlib
import csv
import io
import json
import resource
from pathlib import Path

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

from factmark.errors import InputError
from factmark.files.problems import Problems
from factmark.files.rows import read_rows
from factmark.graphs.core.claims import Triple, claim
from factmark.graphs.ontologies.bundled import example_graph, read_wordings
from factmark.graphs.triples.triples import read_triples
from factmark.passages.passage_file import read_passages


def read(path: Path, **options) -> tuple[list[Triple], Problems]:
    problems = Problems()
    return list(read_triples(path, problems, **options)), problems


def test_the_bundled_graph_reads_without_a_problem():
    folder, problems = example_graph(), Problems()
    with read_passages(folder / "passages.jsonl", problems) as passages:
        triples, more = read(folder / "triples.csv", passages=passages)
        assert len(passages) == 122
    assert len(triples) == 461
    assert all(triple.passage for triple in triples)
    assert problems.sentences() == more.sentences() == ()


def test_csv_with_bad_rows_is_read_on_and_each_is_told(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes(
        b"\xef\xbb\xbfhead,relation,tail,passage,confidence\r\n"
        b'insulin,treats,diabetes,"Two\r\nlines.",0.5\r\n'
        b",treats,diabetes,x,\r\n"
        b"a,b\r\n"
        b"caf\xe9,isa,drink,x,\r\n"
        b"a,isa,b,x,often\r\n"
        b"\r\n"
        b"c,isa,d,,nan\r\n"
        b'e,isa,"f" g,x,\r\n'
        b"h,isa,i,x,1\r\n"
    )
    triples, problems = read(path)
    assert [t.head for t in triples] == ["insulin", "a", "c", "h"]
    assert triples[0].passage == "Two\r\nlines."
    assert triples[0].where == "lines 2 to 3"
    assert triples[-1].where == "line 11"
    assert [t.confidence for t in triples] == [0.5, None, None, 1.0]
    assert problems.rows == 8
    assert problems.n_dropped == 4
    told = " ".join(problems.sentences())
    for place in ("line 4", "line 5", "line 6", "line 10", "line 7", "line 9"):
        assert f"{place}:" in told


def test_an_open_quote_tells_what_is_lost(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text('head,relation,tail\na,isa,b\nc,isa,"d\ne,isa,f\n')
    triples, problems = read(path)
    assert len(triples) == 1
    assert "lines 3 to 4" in problems.sentences()[0]


def test_columns_can_be_mapped_and_usual_names_do(tmp_path):
    path = tmp_path / "t.tsv"
    path.write_text("Subject\tPredicate\tObject\tnote\nx\tisa\ty\thello there\n")
    assert read(path)[0][0].head == "x"
    assert read(path, columns={"passage": "note"})[0][0].passage == "hello there"
    with pytest.raises(InputError, match=r"line 1: no column 'gone' for the head"):
        read(path, columns={"head": "gone"})
    with pytest.raises(InputError, match="no field 'hat'"):
        read(path, columns={"hat": "note"})


def test_json_lines(tmp_path):
    path = tmp_path / "t.jsonl"
    path.write_text(
        '{"head": "a", "relation": "isa", "tail": "b", "confidence": 0.9, "id": 7}\n'
        "\n"
        '{"head": "a", "relation"\n'
        "[1]\n"
        '{"head": {"x": 1}, "relation": "isa", "tail": "b"}\n'
        '{"head": "c", "relation": "isa", "tail": "d", "passage_id": "gone"}\n'
    )
    passages = tmp_path / "p.jsonl"
    passages.write_text('{"id": "p", "text": "t"}\n{"id": "p", "text": "u"}\n{"id": "q"}\n')
    told = Problems()
    with read_passages(passages, told) as known:
        triples, problems = read(path, passages=known)
        assert known.get("p") == "t"
    assert told.n_dropped == 2
    assert [(t.head, t.id, t.where) for t in triples] == [("a", "7", "line 1"), ("c", "", "line 6")]
    assert problems.n_dropped == 3
    assert problems.odd == {"unknown passage": 1}


def test_parquet(tmp_path):
    path = tmp_path / "t.parquet"
    duckdb.sql(
        "SELECT 'h' || i AS head, 'isa' AS relation, "
        "CASE WHEN i = 5 THEN NULL ELSE 't' END AS tail FROM range(10) t(i)"
    ).write_parquet(str(path))
    triples, problems = read(path)
    assert len(triples) == 9
    assert triples[-1].where == "row 10"
    assert problems.sentences() == ("no tail: 1 left out (row 6: no tail)",)
    path.write_text("no parquet")
    with pytest.raises(InputError, match="as Parquet"):
        read(path)


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_memory_does_not_grow_with_the_file(tmp_path, suffix):
    path = tmp_path / f"t.{suffix}"
    duckdb.sql(
        "SELECT 'head ' || i AS head, 'isa' AS relation, 'tail ' || i AS tail, "
        "repeat('text ', 60) || i AS passage FROM range(150000) t(i)"
    ).write_csv(str(path)) if suffix == "csv" else duckdb.sql(
        "SELECT 'head ' || i AS head, 'isa' AS relation, 'tail ' || i AS tail, "
        "repeat('text ', 60) || i AS passage FROM range(150000) t(i)"
    ).write_parquet(str(path))
    stream = read_triples(path, Problems())
    for _ in range(10_000):
        next(stream)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert sum(1 for _ in stream) == 140_000
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 30_000  # KiB of 45 MB


@pytest.mark.parametrize("name", ["t.docx", "gone.csv", "gone.ttl", "empty.csv"])
def test_what_cannot_be_read_at_all(tmp_path, name):
    (tmp_path / "t.docx").write_text("x")
    (tmp_path / "empty.csv").write_text("")
    with pytest.raises(InputError, match=name):
        read(tmp_path / name)


CELLS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=20)


@given(st.lists(st.tuples(CELLS, CELLS, CELLS, CELLS), max_size=8))
def test_what_is_written_is_read_back(tmp_path_factory, rows):
    path = tmp_path_factory.mktemp("round") / "t.csv"
    text = io.StringIO()
    writer = csv.writer(text, quoting=csv.QUOTE_ALL)
    writer.writerow(["head", "relation", "tail", "passage"])
    writer.writerows(rows)
    path.write_text(text.getvalue(), newline="", encoding="utf-8")
    triples, problems = read(path)
    good = [tuple(cell.strip() for cell in row) for row in rows]
    wanted = [row for row in good if all(row[:3])]
    assert [(t.head, t.relation, t.tail, t.passage or "") for t in triples] == wanted
    blank = sum(not any(row) for row in rows)
    assert problems.n_dropped + blank + len(wanted) == len(rows)


@given(st.binary(max_size=200), st.sampled_from(["csv", "tsv", "jsonl", "nt", "ttl", "jsonld"]))
def test_any_bytes_are_read_or_refused(tmp_path_factory, data, suffix):
    path = tmp_path_factory.mktemp("bytes") / f"t.{suffix}"
    path.write_bytes(data)
    with contextlib.suppress(InputError):  # any other exception fails
        read(path)


def test_own_wordings(tmp_path):
    path = tmp_path / "w.toml"
    path.write_text(
        '[wordings]\ntreats = "{head} helps against {tail}"\n"my own" = "{head}, {tail}"\n'
    )
    wordings = read_wordings(path)
    triple = Triple(head="insulin", relation="treats", tail="diabetes")
    assert claim(triple, wordings) == "Insulin helps against diabetes"
    assert wordings["my_own"] == "{head}, {tail}"
    for bad in ('treats = "{head}"', "treats = 3", "treats = "):
        path.write_text(bad)
        with pytest.raises(InputError, match=r"w\.toml"):
            read_wordings(path)


def test_json_lines_survive_a_round_trip(tmp_path):
    path = tmp_path / "t.jsonl"
    rows = [{"head": "ß", "relation": "isa", "tail": "\u2028 x", "passage": "a\nb"}]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert read(path)[0][0].passage == "a\nb"


@pytest.mark.parametrize(
    ("name", "mark", "told"),
    [
        ("t.csv", ";", r"separated by semicolons, not by commas\. Save it with commas"),
        ("t.csv", "\t", r"separated by tabs, not by commas\. Name it \.tsv"),
        ("t.csv", "|", r"separated by `\|`, not by commas"),
        ("t.tsv", ",", r"separated by commas, not by tabs\. Name it \.csv"),
    ],
)
def test_what_separates_the_columns_is_told(tmp_path, name, mark, told):
    path = tmp_path / name
    path.write_text(f"head{mark}relation{mark}tail\na{mark}b{mark}c\n")
    with pytest.raises(InputError, match=told):
        read(path)
    with pytest.raises(InputError, match=told):
        list(read_rows(path, Problems()))


def test_one_column_may_have_a_comma_in_its_name(tmp_path):
    path = tmp_path / "t.tsv"
    path.write_text("triple\na | b | c\n")
    assert len(read(path)[0]) == 1
    path.write_text("Question, as asked\nWhat, then?\n")
    assert [row for _, row in read_rows(path, Problems())] == [
        {"Question, as asked": "What, then?"}
    ]
