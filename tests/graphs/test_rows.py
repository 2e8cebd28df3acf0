"""A row stays a row: ids in are ids out, in every file, whatever is judged once."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest

import factmark as fm
from factmark.errors import InputError
from factmark.files.problems import Problems
from factmark.graphs.core.claims import Triple
from factmark.graphs.results import GraphRow, RowsOnDemand
from factmark.graphs.triples.triples import read_triples
from factmark.ledger.export import export
from factmark.ledger.ledger import Ledger
from factmark.ledger.verdicts import judges_of
from sample_graph import sample_graph
from shell import run

TABLE = """id,head,relation,tail,pmid,passage,year,label,verdict:gpt
a1,oats,isa,cereal,p1,Oats are a cereal.,1999,1,T
a2,Oats,isa,cereal,p1,Oats are a cereal.,2001,0,T
a3,hens,treats,oats,p2,Hens eat oats.,2002,0,F
a4,oats,isa,cereal,p3,Oats and rye are cereals.,2003,1,abstain
"""


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "triples.csv"
    path.write_text(TABLE)
    return path


@pytest.mark.parametrize("measure", ["factscore", "validity"])
def test_every_id_is_in_every_file_with_all_columns(table: Path, measure: str) -> None:
    folder = table.parent
    done = run("graph", measure, "triples.csv", "--out", "out", cwd=folder)
    assert done.returncode == 0, done.stderr
    given = list(csv.DictReader(TABLE.splitlines()))
    out = folder / "out"
    with (out / "rows.csv").open(encoding="utf-8", newline="") as file:
        of_csv = list(csv.DictReader(file))
    of_json = json.loads((out / "results.json").read_text("utf-8"))["rows"]
    query = f"SELECT id, year, label_given, passage_id FROM '{out}/rows.parquet'"
    of_parquet = duckdb.sql(query).fetchall()
    for rows in (of_csv, of_json):
        for row, own in zip(rows, given, strict=True):
            assert (row["id"], row["year"], row["verdict:gpt"]) == (
                own["id"],
                own["year"],
                own["verdict:gpt"],
            )
            assert (row["label_given"], row["passage_id"]) == (own["label"], own["pmid"])
    assert of_parquet == [(row["id"], row["year"], row["label"], row["pmid"]) for row in given]
    page = (out / "report.html").read_text("utf-8")
    assert all(f"<bdi>{row['id']}</bdi>" in page for row in given)  # on cards or beside them


def test_rows_of_a_unit_share_its_verdict_and_count_once(table: Path) -> None:
    results = fm.factscore(table)
    frame = {row["id"]: row for row in results.json_rows()}
    assert list(frame) == ["a1", "a2", "a3", "a4"]
    assert frame["a1"]["unit"] == frame["a2"]["unit"] != frame["a4"]["unit"]
    assert [row["repeats"] for row in frame.values()] == ["", "a1", "", ""]
    assert (frame["a1"]["label"], frame["a1"]["status"]) == (
        frame["a2"]["label"],
        frame["a2"]["status"],
    )
    scores = results.details.scores
    assert scores.pairs.n_labelled + scores.pairs.n_missing == 3
    (told,) = (text for text in results.problems if "counted once" in text)
    assert "line 3" in told


def test_a_frame_keeps_its_columns_and_their_types(tmp_path: Path) -> None:
    rows = [
        {"head": "oats", "relation": "isa", "tail": "cereal", "weight": n / 2, "tags": ["a", n]}
        for n in range(3)
    ]
    results = fm.validity(rows)
    assert [row["weight"] for row in results.json_rows()] == [0.0, 0.5, 1.0]
    assert [row["tags"] for row in results.json_rows()] == [["a", 0], ["a", 1], ["a", 2]]
    assert [row["id"] for row in results.json_rows()] == ["line 1", "line 2", "line 3"]
    results.report(tmp_path / "out")
    query = f"SELECT weight, tags FROM '{tmp_path}/out/rows.parquet'"
    assert duckdb.sql(query).fetchall()[1] == (0.5, '["a", 1]')


def test_objects_on_one_line_have_places_of_their_own(tmp_path: Path) -> None:
    rows = [{"head": head, "relation": "isa", "tail": "cereal"} for head in ("oats", "rye", "")]
    path = tmp_path / "t.json"
    for text, places in (
        (json.dumps(rows), ["line 1", "line 1 (2)", "line 1 (3)"]),
        (json.dumps(rows).replace("}, ", "},\n", 1), ["line 1", "line 2", "line 2 (2)"]),
    ):
        path.write_text(text)
        results = fm.validity(path)
        assert [row["id"] for row in results.json_rows()] == places[:2]
        assert any(f"({places[2]}: " in problem for problem in results.problems)


@pytest.mark.parametrize(
    ("sample", "note"),
    [
        ("random", "A random sample was drawn: 2 of 3 triples."),
        ("relation", "A random sample of each relation was drawn: 2 of 3 triples."),
    ],
)
def test_a_sample_is_told_below_the_first_sentence(table: Path, sample: str, note: str) -> None:
    options = ("--judge", "verdict:gpt", "--sample", sample, "--out", "out")
    done = run("graph", "factscore", "triples.csv", *options, "--limit", "2", cwd=table.parent)
    assert note in done.stdout.partition("\n\n")[0], done.stdout
    for name in ("report.html", "tables.md", "results.json"):
        assert note in (table.parent / "out" / name).read_text("utf-8")
    whole = run("graph", "factscore", "triples.csv", *options, "--limit", "3", cwd=table.parent)
    assert "was drawn" not in whole.stdout


def test_a_row_whose_passage_is_not_there_is_missing_and_told(table: Path) -> None:
    (table.parent / "p.jsonl").write_text('{"id": "p1", "text": "Oats are a cereal."}\n')
    rows = [{"head": "oats", "relation": "isa", "tail": "cereal", "passage_id": "p9"}]
    results = fm.factscore(rows, passages=table.parent / "p.jsonl")
    assert [text for text in results.problems if "p9" in text] == [
        "The rules decided 0 of 1 units. Left undecided: 1 no passage of that id (p9).",
        "no passage of that id: 1 kept (line 1: 'p9')",
    ]
    assert results.rows[0].status == "undecided"


def test_what_is_wrong_with_a_list_that_is_no_triple_is_told(tmp_path: Path) -> None:
    path = tmp_path / "t.json"
    path.write_text('{"a": ["x", "isa", "y"], "b": ["x", "y"], "d": ["x", "isa", 5]}')
    problems = Problems()
    assert [triple.id for triple in read_triples(path, problems)] == ["a"]
    (told,) = problems.sentences()
    assert "2 left out ('b': 2 parts in place of three: " in told
    assert "'d': part 3 is no text: " in told


def test_frames_of_one_ledger_stand_side_by_side(tmp_path: Path) -> None:
    """The second took the place of the first, so that labels by the first one's ids were lost."""
    ledger = tmp_path / "l.db"
    frames = [
        [{"id": n, "head": head, "relation": "isa", "tail": "cereal"} for n in ids]
        for head, ids in (("oats", (1, 2)), ("rye", (2, 3)))
    ]
    for frame in (*frames, frames[0]):
        fm.validity(frame, ledger=ledger)
        claims = [{"id": n, "claim": f"{row['head']} {n}."} for n, row in enumerate(frame)]
        fm.claims([row | {"passage": "x", "label": "1"} for row in claims], ledger=ledger)
    export(ledger, tmp_path / "all.csv")
    with (tmp_path / "all.csv").open() as file:
        rows = [row for row in csv.DictReader(file) if row["judge_kind"] == "rule"]
    held = {(row["file"], row["kind"], row["id"]) for row in rows}
    assert len({file for file, _, _ in held}) == 4
    assert sorted(name for _, kind, name in held if kind == "triple") == ["1", "2", "2", "3"]
    assert sorted(name for _, kind, name in held if kind == "claim") == ["0", "0", "1", "1"]
    with Ledger(ledger) as opened:
        people = [judge.name for judge in judges_of(opened) if judge.kind == "person"]
    assert len(people) == 2


@pytest.mark.parametrize("command", ["graph factscore", "claims judge"])
def test_an_id_is_its_text_and_one_of_several_units_is_told(tmp_path: Path, command: str) -> None:
    path, labels = tmp_path / "t.jsonl", tmp_path / "gt.json"
    triple = '"head": "hens", "relation": "isa", "tail": "birds", "score": 0.50'
    path.write_text(
        "".join(
            f'{{"id": {name}, {triple}, "passage": "{n} birds."}}\n'
            for n, name in enumerate(("2.0", "2.50", "1e3", "7", '"7"', '"8"', "8"))
        ).replace("6 birds", "5 birds")
    )
    done = run(*command.split(), path, "--out", tmp_path / "out")
    told = "id of several units, which labels by id do not reach: 1 kept (line 5: '7')"
    assert told in done.stderr, done.stderr
    with next((tmp_path / "out").glob("*.csv")).open() as file:
        rows = list(csv.DictReader(file))
    assert [row["id"] for row in rows] == ["2.0", "2.50", "1e3", "7", "7", "8", "8"]
    assert {row["score"] for row in rows} == {"0.5"}
    labels.write_text('{"2.0": 1, "2.50": 1, "1e3": 1, "8": 1, "7": 1}')
    done = run("ledger", "import", tmp_path / "out" / "ledger.db", labels)
    assert "4 labels by 1 person" in done.stdout
    assert "'7'); name the file with --source" in done.stderr


def test_files_hold_more_rows_than_the_page_shows(tmp_path: Path) -> None:
    lines = "".join(f"r{n},thing {n},isa,disease\n" for n in range(2_100))
    (tmp_path / "t.csv").write_text(f"id,head,relation,tail\n{lines}")
    results = fm.validity(tmp_path / "t.csv")
    results.report(tmp_path / "out")
    with (tmp_path / "out" / "rows.csv").open(encoding="utf-8", newline="") as file:
        assert [row["id"] for row in csv.DictReader(file)] == [f"r{n}" for n in range(2_100)]
    assert (tmp_path / "out" / "report.html").read_text("utf-8").count("<article") == 2_000


def test_a_foreign_judge_is_scored_like_any_other(table: Path) -> None:
    results = fm.factscore(table, judge="verdict:gpt")
    rows = {row["id"]: (row["status"], row["label"], row["reason"]) for row in results.json_rows()}
    assert rows == {
        "a1": ("ok", "SUPPORTED", ""),
        "a2": ("ok", "SUPPORTED", ""),
        "a3": ("ok", "NOT_SUPPORTED", ""),
        "a4": ("unparsed", None, "abstain"),
    }
    estimate = results.averages["FActScore*"]
    assert (estimate.value, estimate.n_units, estimate.n_missing) == (0.5, 2, 1)
    table.write_text(TABLE.replace("abstain", ""))  # an empty cell is missing as well
    empty = fm.factscore(table, judge="verdict:gpt")
    assert empty.averages["FActScore*"].n_missing == 1
    assert empty.rows[3].reason == "no verdict in the column verdict:gpt"


def test_rows_of_one_unit_on_which_a_foreign_judge_differs_have_no_label(table: Path) -> None:
    table.write_text(TABLE.replace("2001,0,T", "2001,0,F").replace("abstain", ""))
    results = fm.factscore(table, judge="verdict:gpt")
    assert [(row.status, row.reason) for row in results.rows][:2] == [("unparsed", "T / F")] * 2
    estimate = results.averages["FActScore*"]
    assert (estimate.n_units, estimate.n_missing) == (1, 2)
    told = " ".join(results.problems)
    assert "gpt decided 1 of 3 units. Left undecided: 1 no verdict in the column" in told
    assert (
        "1 unit has rows with contrary verdicts in the column verdict:gpt; none is taken "
        "(the first: line 2 and line 3)"
    ) in told
    assert "none of the labels" not in told


def test_words_of_a_foreign_judge_that_are_no_label_are_told(table: Path) -> None:
    table.write_text(TABLE.replace(",T\n", ",ja\n").replace("verdict:gpt", "gpt"))
    options = ("--judge", "verdict:gpt", "--column", "verdict:gpt=gpt")
    done = run("graph", "factscore", "triples.csv", *options, cwd=table.parent)
    told = " ".join(done.stderr.split())
    assert "3 verdicts are none of the labels, such as 'ja' (line 2); kept as unparsed." in told
    assert told.endswith("counted once: 1 kept (line 3: a2)"), told
    assert "name another column: --column verdict:gpt=NAME." in told
    assert "contrary" not in told


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("t.csv", "key,wer,tut,wem\n1,a,b,c\n"),
        ("t.jsonl", '{"key": 1, "wer": "a", "tut": "b", "wem": "c"}\n'),
    ],
)
def test_what_a_file_holds_is_said_where_it_cannot_be_read(
    name: str, text: str, tmp_path: Path
) -> None:
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(InputError) as error:
        list(read_triples(path, Problems()))
    assert "Found: key, wer, tut, wem." in str(error.value)
    options = "--column head=wer --column relation=tut --column tail=wem"
    assert options in str(error.value)
    columns = dict(pair.split("=") for pair in options.replace("--column ", "").split())
    (triple,) = read_triples(path, Problems(), columns=columns)
    assert (triple.head, triple.relation, triple.tail) == ("a", "b", "c")


def test_rows_are_made_one_by_one_as_they_are_looked_at() -> None:
    whole = list(sample_graph().rows)
    made: list[GraphRow] = []

    def make() -> Iterator[GraphRow]:
        for row in whole:
            made.append(row)
            yield row

    rows = RowsOnDemand(len(whole), make)
    assert len(rows) == len(whole)
    assert not made
    assert rows[1] == whole[1]
    assert made == whole[:2]
    assert list(rows) == list(rows) == whole
    assert list(rows[1:]) == whole[1:]
    assert rows[-1] == whole[-1]
    with pytest.raises(IndexError):
        rows[len(whole)]


@pytest.mark.parametrize("more", ["", ",predicate_modifier", ",verdict:gpt"])
def test_a_table_of_plain_cells_reads_as_one_that_is_looked_at_twice(
    more: str, tmp_path: Path
) -> None:
    """Further columns that mean something send every row the long way."""
    path, problems = tmp_path / "t.csv", Problems()
    rows = (
        " oats ,isa,cereal,p1, Oats are a cereal. ,0.5,a1,X",
        "hens,eat,oats,p2,,often,,",
        "rye,isa,,p3,Rye.,1,a3,",
        "NULL,isa,rye,p4,Rye.,1,a4,C1",
        "kale,NULL,rye,p5,,,a5,",
    )
    header = f"head,relation,tail,pmid,passage,score,id,head_cui{more}"
    path.write_text("\n".join((header, *(row + "," * bool(more) for row in rows))))
    triples = list(read_triples(path, problems))
    assert triples == [
        Triple("oats", "isa", "cereal", "Oats are a cereal.", "p1", 0.5, "a1", "line 2", "X"),
        Triple("hens", "eat", "oats", None, "p2", None, "", "line 3"),
        Triple("C1", "isa", "rye", "Rye.", "p4", 1.0, "a4", "line 5", "C1"),
    ]
    assert problems.dropped == {"no tail": 1, "no relation": 1}
    assert problems.odd == {"confidence is no number": 1}


def test_a_column_without_a_name_is_no_field(tmp_path: Path) -> None:
    """Pandas writes the index so: it is no passage, no id and no node of its own."""
    path = tmp_path / "t.csv"
    path.write_text(",head,relation,tail\n0,oats,isa,cereal\n1,oats,isa,cereal\n")
    plain = Triple("oats", "isa", "cereal", where="line 2")
    assert next(read_triples(path, Problems())) == plain
    assert len({triple.key for triple in read_triples(path, Problems())}) == 1


@pytest.mark.parametrize("name", ["t.csv", "t.jsonl"])
def test_what_is_no_character_in_a_column_that_passes_through_is_written(
    name: str, tmp_path: Path
) -> None:
    """A byte of another encoding, half of a pair; and what is nested too deeply to be written."""
    texts = {
        "t.csv": b"head,relation,tail,passage,caf\xe9\noats,isa,cereal,Oats are a cereal.,\xe9\n",
        "t.jsonl": b'{"head": "oats", "relation": "isa", "tail": "cereal", "a": {"\\udfff": NaN}, '
        b'"passage": "Oats are a cereal.", "b": "\\ud800", "deep": '
        + b"[" * 700
        + b"]" * 700
        + b"}",
    }
    given = {
        "t.csv": {"caf\ufffd": "\ufffd"},
        "t.jsonl": {
            "a": '{"\ufffd": null}',
            "b": "\ufffd",
            "deep": "(nested too deeply to be kept)",
        },
    }
    path = tmp_path / name
    path.write_bytes(texts[name])
    results = fm.factscore(path)
    (row,) = results.json_rows()
    assert {column: row[column] for column in given[name]} == given[name]
    results.report(tmp_path / "out")


def test_any_column_of_the_user_s_can_be_written(tmp_path: Path) -> None:
    """Names with quotes, that are SQL, that differ in case alone; numbers beyond 64 bits."""
    names = ["it's", 'a"b', "x': 'VARCHAR'}) --", "Label", "STATUS", "Year", "year", "n"]
    row = {"head": "oats", "relation": "isa", "tail": "rye", **dict.fromkeys(names, "v")}
    results = fm.factscore([{**row, "year": "w", "n": 2**63, "": "no name"}])
    results.report(tmp_path)
    (written,) = duckdb.sql(f"SELECT * FROM '{tmp_path}/rows.parquet'").fetchall()
    columns = [column[0] for column in duckdb.sql(f"FROM '{tmp_path}/rows.parquet'").description]
    assert columns[-8:] == [*names[:3], "Label_given", "STATUS_given", "Year", "year_given", "n"]
    assert written[-8:] == (*"vvvvvvw", str(2**63))


def test_times_with_a_zone_come_as_texts(tmp_path: Path) -> None:
    """As pandas writes them; the client of DuckDB would need a package for its own."""
    path = tmp_path / "t.parquet"
    at = "TIMESTAMPTZ '2020-01-02 03:04:05+00'"
    query = f"SELECT 'oats' head, 'isa' relation, 'rye' tail, {at} \"a\"\"t\", [{at}] many"
    duckdb.sql(f"SET TimeZone = 'UTC'; {query}").write_parquet(str(path))
    (triple,) = read_triples(path, Problems())
    assert triple.given['a"t'] == "2020-01-02 03:04:05+00"
    assert "2020-01-02" in str(triple.given["many"])


def test_nan_is_an_empty_cell(tmp_path: Path) -> None:
    path, problems = tmp_path / "t.jsonl", Problems()
    path.write_text(
        '{"head": "oats", "relation": "isa", "tail": "rye", "id": NaN, "passage": NaN}\n'
        '{"head": NaN, "relation": "isa", "tail": "rye"}\n'
    )
    assert list(read_triples(path, problems)) == [Triple("oats", "isa", "rye", where="line 1")]
    assert problems.dropped == {"no head": 1}


def test_a_table_as_a_spreadsheet_in_german_writes_it(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    rows = ["a;r;b;0,5;1,5", "a;r;c;1;2", "a;r;d;1,000;3"]
    path.write_text(
        "\ufeffhead;relation;tail;confidence;Anteil\r\n" + "\r\n".join(rows), newline=""
    )
    problems = Problems()
    triples = list(read_triples(path, problems))
    assert [triple.confidence for triple in triples] == [0.5, 1.0, None]  # perhaps a thousand
    assert triples[0].given == {"Anteil": "1,5"}
    assert problems.odd == {"confidence is no number": 1}


def test_of_columns_of_one_name_the_first_is_read_and_that_is_told(tmp_path: Path) -> None:
    path, problems = tmp_path / "t.csv", Problems()
    path.write_text("head,head,relation,tail\noats,rye,isa,cereal\n")
    (triple,) = read_triples(path, problems)
    assert (triple.head, triple.given) == ("oats", {"head (2)": "rye"})
    assert problems.odd == {"several columns of one name": 1}
