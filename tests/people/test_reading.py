"""Documents and people from files: all forms read alike; what is wrong is told by its line."""

from __future__ import annotations

import csv
import json
from io import StringIO
from pathlib import Path

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

from factmark.campaign_model import Annotator
from factmark.errors import InputError
from factmark.people.core.material import Document
from factmark.people.reading import SummaryColumns, read_documents, read_people

ROWS = [
    {"id": "d1", "article": 'Source, one\nwith "lines".', "bart": "One.", "human": "Eins ."},
    {"id": "d2", "article": "Source two.", "bart": "Two.", "human": "Zwei ."},
]


def jsonl(path: Path, rows: list[dict[str, object]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def table(path: Path, rows: list[dict[str, str]], delimiter: str = ",") -> Path:
    out = StringIO()
    writer = csv.DictWriter(out, list(rows[0]), delimiter=delimiter)
    writer.writeheader()
    writer.writerows(rows)
    path.write_text(out.getvalue(), encoding="utf-8", newline="")
    return path


def plain(documents: tuple[Document, ...]) -> list[tuple[str, str, dict[str, str]]]:
    return [(one.id, one.source, dict(one.summaries)) for one in documents]


EXPECTED = [
    (row["id"], row["article"], {"bart": row["bart"], "human": row["human"]}) for row in ROWS
]


@pytest.mark.parametrize("suffix", [".jsonl", ".json", ".csv", ".tsv", ".parquet"])
def test_every_form_reads_alike(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"s{suffix}"
    if suffix == ".jsonl":
        jsonl(path, ROWS)
    elif suffix == ".json":
        path.write_text(json.dumps(ROWS))
    elif suffix == ".parquet":
        source = jsonl(tmp_path / "s.jsonl", ROWS)
        duckdb.sql(f"COPY (SELECT * FROM read_json('{source}')) TO '{path}' (FORMAT parquet)")
    else:
        table(path, ROWS, "," if suffix == ".csv" else "\t")
    assert plain(read_documents(path, SummaryColumns())) == EXPECTED


def test_a_row_a_summary(tmp_path: Path) -> None:
    rows = [
        {"id": one["id"], "article": one["article"], "model": system, "text": one[system]}
        for system in ("bart", "human")
        for one in ROWS
    ]
    columns = SummaryColumns(system="model", summary="text")
    path = table(tmp_path / "s.csv", rows)
    assert plain(read_documents(path, columns)) == EXPECTED
    with pytest.raises(InputError, match="lines 5 to 6: a second summary of 'd1' by 'human'"):
        # The sources hold a line break, so that each row of d1 takes two lines.
        read_documents(table(path, [rows[1], rows[2], *rows[2:]]), columns)
    rows[3]["article"] = "Another."
    with pytest.raises(InputError, match=r"document 'd2' has another source in .*line 4"):
        read_documents(table(path, rows), columns)


def test_without_ids_a_document_is_named_by_its_source(tmp_path: Path) -> None:
    rows: list[dict[str, object]] = [{"article": "One.", "a": "x"}, {"article": "Two.", "a": "y"}]
    made = read_documents(jsonl(tmp_path / "s.jsonl", rows), SummaryColumns())
    turned = read_documents(jsonl(tmp_path / "t.jsonl", rows[::-1]), SummaryColumns())
    assert {one.id: one.source for one in made} == {one.id: one.source for one in turned}
    assert len({one.id for one in made}) == 2
    with pytest.raises(InputError, match="line 2: a second summary of 'document-"):
        read_documents(jsonl(tmp_path / "s.jsonl", [rows[0], rows[0]]), SummaryColumns())


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        ([{"text": "x", "a": "y"}], "line 1: no column 'article'. Found: text, a"),
        ([{"article": "x", "a": "y"}, {"article": " ", "a": "y"}], "line 2: 'article' is empty"),
        ([{"article": ["x"], "a": "y"}], "line 1: 'article' is a list, not a text"),
        ([{"article": "x", "n": 3}], "line 1: no summary beside 'article'"),
        ([{"article": "x", "a": "y"}, {"article": "z", "b": "y"}], "line 2: 'a' is a summary here"),
        (
            [{"id": "d", "article": "x", "a": "y"}, {"id": "d", "article": "z", "a": "y"}],
            "line 2: the document 'd' has another source in .*line 1",
        ),
        ([{"id": "a\0", "article": "x", "a": "y"}], "line 1: 'id' holds what is no character"),
        ([{"id": float("nan"), "article": "x", "a": "y"}], "line 1: 'id' is nan, which names"),
        ([], "holds no documents"),
    ],
)
def test_rows_that_are_wrong(tmp_path: Path, rows: list[dict[str, object]], told: str) -> None:
    with pytest.raises(InputError, match=told):
        read_documents(jsonl(tmp_path / "s.jsonl", rows), SummaryColumns())


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (b'{"article": "x", "a": "y"}\n{"article": "x2", "a": "y', "line 2: .*cut off"),
        (b'{"article": "x", "a": "caf\xe9"}\n', "line 1: 'a' is not UTF-8"),
        (b"\xff\xfe{\x00", "line 1: .*cut off"),
    ],
)
def test_files_that_are_wrong(tmp_path: Path, text: bytes, told: str) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(text)
    with pytest.raises(InputError, match=told):
        read_documents(path, SummaryColumns())


def test_options_that_do_not_fit(tmp_path: Path) -> None:
    path = jsonl(tmp_path / "s.jsonl", ROWS)
    with pytest.raises(InputError, match="go together"):
        read_documents(path, SummaryColumns(system="model"))
    with pytest.raises(InputError, match="no column 'gpt'"):
        read_documents(path, SummaryColumns(systems=("gpt",)))
    with pytest.raises(InputError, match="stands twice"):
        read_documents(path, SummaryColumns(systems=("bart", "bart")))


texts = st.text(st.characters(exclude_categories=["Cs"]), min_size=1).filter(str.strip)


@given(st.lists(st.tuples(texts, texts), min_size=1, max_size=5, unique_by=lambda one: one[0]))
def test_any_text_is_read_as_it_was_written(tmp_path_factory, rows) -> None:
    path = tmp_path_factory.mktemp("any") / "s.jsonl"
    jsonl(path, [{"article": source, "a b": text} for source, text in rows])
    made = read_documents(path, SummaryColumns())
    assert [(one.source, one.summaries["a b"]) for one in made] == rows


ABOUT = {"section_names": "Aims\nMethods and results\n5. \nNone", "year": "2024"}


def test_a_column_without_sentences_is_no_system_and_is_told(tmp_path: Path) -> None:
    rows: list[dict[str, object]] = [row | ABOUT for row in ROWS]
    rows[1].pop("year")  # nor does every row need what is no summary
    notes: list[str] = []
    path = jsonl(tmp_path / "s.jsonl", rows)
    documents = read_documents(path, SummaryColumns(), note=notes.append)
    assert plain(documents) == EXPECTED
    (note,) = notes
    assert "'year'" in note
    assert documents[0].sections == ("Aims", "Methods and results")  # `5.` and `None` name none
    named = SummaryColumns(systems=("bart", "section_names"))
    (first, _) = read_documents(path, named, note=notes.append)
    assert first.summaries == {"bart": "One.", "section_names": ABOUT["section_names"]}
    assert len(notes) == 1


def file(tmp_path: Path, text: str, name: str = "people.csv") -> str:
    path = tmp_path / name
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    return str(path)


def test_a_file_with_names_and_addresses(tmp_path: Path) -> None:
    given = file(tmp_path, "\ufeffemail,name,note\nada@x.example,Ada  Löwe,\n,Ben,x\n")
    assert read_people(given) == (
        Annotator(code="A1", name="Ada Löwe", email="ada@x.example"),
        Annotator(code="A2", name="Ben"),
    )


def test_names_between_commas() -> None:
    assert [one.name for one in read_people("Ada, Ben ,Dr. C")] == ["Ada", "Ben", "Dr. C"]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("name\nAda\nBen\nada\n", r"line 4: the name 'ada' stands twice \(first: .*line 2\)"),
        ("name\nAda\n \n", "line 3: .name. is empty"),
        ("name,email\nAda,a@x.example\nBen,A@x.example\n", "address 'A@x.example' stands twice"),
        ("name,email\nAda,not an address\n", "line 2: 'not an address' is no e-mail address"),
        ("name\nA\x1b[31mda\n", "line 2: the name .* holds control characters"),
        ("name\nL\udcf6we\n", "line 2: 'name' is not UTF-8"),
        ("person\nAda\n", "no column 'name'.* Found: person"),
        ("name;email\nAda;not an address\n", "line 2: 'not an address' is no e-mail address"),
        ("name\n", "names nobody"),
    ],
)
def test_a_file_that_is_wrong(tmp_path: Path, text: str, told: str) -> None:
    with pytest.raises(InputError, match=told):
        read_people(file(tmp_path, text))


def test_a_cell_that_is_no_text(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="line 1: 'name' is a list, not a text"):
        read_people(file(tmp_path, '{"name": ["Ada"]}\n', "people.jsonl"))
