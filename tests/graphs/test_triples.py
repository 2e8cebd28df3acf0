"""Tables of triples, as people and the GraphMERT scripts write them."""

from __future__ import annotations

import contextlib
import json
import tracemalloc

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

from factmark.errors import InputError
from factmark.files.problems import Problems
from factmark.files.rows import read_rows
from factmark.graphs.core.claims import Triple, claim
from factmark.graphs.ontologies.bundled import read_wordings
from factmark.graphs.triples.cells import parts_of
from factmark.graphs.triples.triples import read_triples
from factmark.passages.passage_file import Passages, read_passages
from graphs_data import parts, read


@pytest.fixture
def table(tmp_path):
    return lambda name, text, **options: read(tmp_path / name, text, **options)


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
        b'j,isa,"k\r\n'
    )
    triples, problems = read(path)
    assert [t.head for t in triples] == ["insulin", "a", "c", "h"]
    assert (triples[0].passage, triples[0].where) == ("Two\r\nlines.", "lines 2 to 3")
    assert [t.confidence for t in triples] == [0.5, None, None, 1.0]
    assert (problems.rows, problems.n_dropped) == (9, 5)
    places = " ".join(problems.sentences())
    assert all(f"{line}:" in places for line in ("line 4", "line 5", "line 6", "line 7", "line 9"))
    assert "line 12" in places  # what an open quote swallows


def test_columns_can_be_mapped_and_usual_names_do(table):
    text = "Subject\tPredicate\tObject\tnote\nx\tisa\ty\thello there\n"
    assert table("t.tsv", text)[0][0].head == "x"
    assert table("t.tsv", text, columns={"passage": "note"})[0][0].passage == "hello there"
    with pytest.raises(InputError, match=r"line 1: no column 'gone' for the head"):
        table("t.tsv", text, columns={"head": "gone"})
    with pytest.raises(InputError, match="no field 'hat'"):
        table("t.tsv", text, columns={"hat": "note"})
    with pytest.raises(InputError, match=r"no column 'relation'.*Found: head, tail"):
        table("t.csv", "head,tail\na,b\n")


def test_a_table_of_pandas_with_names_beside_ids(table):
    triples, problems = table(
        "kg.csv",
        ",id,head,head_name,relation_type,tail,similarity,score,sequence,text\n"
        '0,17,C1,foot ulcer,finding_site_of,foot,0.7,.9,s,"Ulcers, seen often."\n'
        "1,18,C2,insulin,NULL,glucose,0.5,,x,\n"
        "2,19,C2,insulin,treats,,0.5,,x,\n",
    )
    assert parts(triples) == [("foot ulcer", "finding_site_of", "foot")]
    assert (triples[0].id, triples[0].head_id, triples[0].confidence, triples[0].passage) == (
        "17",
        "C1",
        0.9,
        "Ulcers, seen often.",
    )
    assert problems.dropped == {"no relation": 1, "no tail": 1}


def test_json_lines_with_passages(table, tmp_path):
    passages = tmp_path / "p.jsonl"
    passages.write_text('{"id": "p", "text": "t"}\n{"id": "p", "text": "u"}\n{"id": "q"}\n')
    told = Problems()
    with read_passages(passages, told) as known:
        triples, problems = table(
            "t.jsonl",
            '{"head": "ß", "relation": "isa", "tail": "\\u2028 b", "id": 7, "passage_id": "p"}\n'
            '\n{"head": "a", "relation"\n[1]\n{"head": {"x": 1}, "relation": "r", "tail": "b"}\n'
            '{"head": "c", "relation": "isa", "tail": "d", "passage_id": "gone"}\n',
            passages=known,
        )
    assert told.n_dropped == 2
    assert [(t.head, t.id, t.passage, t.where) for t in triples] == [
        ("ß", "7", "t", "line 1"),
        ("c", "", None, "line 6"),
    ]
    assert (problems.n_dropped, problems.odd) == (3, {"unknown passage": 1})


def test_parquet(tmp_path):
    path = tmp_path / "t.parquet"
    duckdb.sql(
        "SELECT ['h' || i, 'isa', CASE WHEN i = 5 THEN '' ELSE 't' END] AS triplet "
        "FROM range(10) t(i)"
    ).write_parquet(str(path))
    triples, problems = read(path)
    assert (len(triples), triples[-1].where) == (9, "row 10")
    assert problems.examples["no triple in the cell"][0].startswith("row 6")
    path.write_text("no parquet")
    with pytest.raises(InputError, match="as Parquet"):
        read(path)


ROW = "head,isa,tail," + "text " * 60 + "\n"
NODES = '<node id="a"/><node id="b"/>'
EDGE = '<edge source="a" target="b" label="x">' + '<data key="d">text</data>' * 3 + "</edge>\n"


@pytest.mark.parametrize(
    ("name", "start", "row", "end", "rows"),
    [
        ("t.csv", "head,relation,tail,passage\n", ROW, "", 2_500),  # more than are looked at first
        ("t.graphml", f"<graphml><graph>{NODES}", EDGE, "</graph></graphml>", 2_500),
    ],
)
def test_memory_does_not_grow_with_the_file(tmp_path, name, start, row, end, rows):
    def peak(count: int) -> int:
        path = tmp_path / name
        path.write_text(start + row * count + end)
        tracemalloc.start()
        assert sum(1 for _ in read_triples(path, Problems())) == count
        size = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return size

    peak(10)  # what is made once, at the first reading
    assert peak(4 * rows) < 1.5 * peak(rows)


@pytest.mark.parametrize("name", ["t.docx", "gone.csv", "gone.ttl", "empty.csv"])
def test_what_cannot_be_read_at_all(tmp_path, name):
    (tmp_path / "t.docx").write_text("x")
    (tmp_path / "empty.csv").write_text("")
    with pytest.raises(InputError, match=name):
        read(tmp_path / name)


@given(
    st.binary(max_size=200),
    st.sampled_from("csv tsv jsonl json arrow nt ttl jsonld graphml xml pubtator".split()),
    st.sampled_from([b"", b'{"graphs": [', b"<collection><document>", b"1|t|a\n1\t", b"#\n"]),
)
def test_any_bytes_are_read_or_refused(tmp_path_factory, data, suffix, beginning):
    path = tmp_path_factory.mktemp("bytes") / f"t.{suffix}"
    path.write_bytes(beginning + data)
    with contextlib.suppress(InputError):  # any other exception fails
        read(path)


@pytest.mark.parametrize(
    ("name", "mark"), [("t.csv", ";"), ("t.csv", "\t"), ("t.tsv", ","), ("t.csv", "|")]
)
def test_what_separates_the_columns_is_seen_in_the_first_line(table, name, mark):
    text = f'head{mark}relation{mark}tail\n"a{mark}b"{mark}isa{mark}c\n'
    triples, problems = table(name, text)
    assert parts(triples) == [(f"a{mark}b", "isa", "c")]
    assert (problems.n_dropped, triples[0].where) == (0, "line 2")


def test_a_name_with_a_comma_in_it_is_one_column(tmp_path):
    path = tmp_path / "asked.tsv"
    path.write_text("Question, as asked\nWhat, then?\n")
    assert [row for _, row in read_rows(path, Problems())] == [
        {"Question, as asked": "What, then?"}
    ]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("# a: b\n#\n\nhead\trelation\ttail\na\tisa\tb\n", "line 5"),
        ("#made: Monday\t\t\nhead\trelation\ttail\na\tisa\tb\n", "line 3"),
        ("# made on Monday\n#head\trelation\ttail\na\tisa\tb\n", "line 3"),
        ("\n\nhead\trelation\ttail\na\tisa\tb\n", "line 4"),
    ],
)
def test_what_stands_before_the_header_is_left_out(table, text, line):
    triples, problems = table("t.tsv", text)
    assert parts(triples) == [("a", "isa", "b")]
    assert (triples[0].where, problems.rows) == (line, 1)


CELLS = {
    "(insulin, treats, diabetes)": ("insulin", "treats", "diabetes"),
    "('insulin', 'treats', 'diabetes')": ("insulin", "treats", "diabetes"),
    '["type 1, 2", "isa", "diabetes"]': ("type 1, 2", "isa", "diabetes"),
    "insulin | treats | diabetes, type 1": ("insulin", "treats", "diabetes, type 1"),
    "insulin -[treats]-> diabetes": ("insulin", "treats", "diabetes"),
    "insulin --[:TREATS]--> diabetes": ("insulin", "TREATS", "diabetes"),
    "insulin -> treats -> diabetes": ("insulin", "treats", "diabetes"),
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
    words = (head, relation, tail)
    for cell in (sign.join(words), f"({sign.join(words)})", json.dumps(words), repr(words)):
        assert parts_of(cell) == words


def test_a_column_of_triples_gives_way_to_head_relation_and_tail(table):
    text = 'triplet,text\n"(insulin, treats, diabetes)",t\n"a, b",t\nx | isa | y,u\n'
    triples, problems = table("kg.csv", text)
    assert parts(triples) == [("insulin", "treats", "diabetes"), ("x", "isa", "y")]
    assert problems.examples["no triple in the cell"] == ["line 3: 'a, b'"]
    triples, _ = table("kg.csv", "triple,head,relation,tail\nx | y | z,a,isa,b\n")
    assert parts(triples) == [("a", "isa", "b")]


def test_own_wordings(tmp_path):
    path = tmp_path / "w.toml"
    path.write_text('[wordings]\ntreats = "{head} helps {tail}"\n"my own" = "{head}, {tail}"\n')
    wordings = read_wordings(path)
    triple = Triple(head="insulin", relation="treats", tail="diabetes")
    assert claim(triple, wordings) == "Insulin helps diabetes"
    assert wordings["my_own"] == "{head}, {tail}"
    for bad in ('treats = "{head}"', "treats = 3", "treats = "):
        path.write_text(bad)
        with pytest.raises(InputError, match=r"w\.toml"):
            read_wordings(path)


def test_a_passage_is_there_once_it_is_added() -> None:
    with Passages() as passages:
        assert passages.get("p") is None
        assert passages.add("p", "A text.")
        assert not passages.add("p", "Another.")
        assert passages.get("p") == "A text."
