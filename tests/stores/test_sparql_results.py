"""Results on the wire: what is written is read back the same, by us and by other readers."""

from __future__ import annotations

import csv
import io
import xml.etree.ElementTree as ET

import pyoxigraph as ox
import pytest
from hypothesis import given
from hypothesis import strategies as st

from factmark.stores.results import WRITERS, parse_json, to_csv, to_json, to_tsv, to_xml
from factmark.stores.terms import Rows, Term

TEXT = st.text(st.characters(codec="utf-8"), max_size=20)
IRI = st.from_regex(r"http://e/[a-zA-Z0-9/?&=.\-]{0,9}(#[a-z]{0,3})?", fullmatch=True)
LITERAL = st.one_of(
    st.builds(lambda text: Term(kind="literal", value=text), TEXT),
    st.builds(
        lambda text, tag: Term(kind="literal", value=text, language=tag),
        TEXT,
        st.sampled_from(["en", "de-ch"]),
    ),
    st.builds(lambda text, iri: Term(kind="literal", value=text, datatype=iri), TEXT, IRI),
)
TERM = st.one_of(
    st.none(),
    st.builds(lambda iri: Term(kind="iri", value=iri), IRI),
    st.builds(lambda label: Term(kind="bnode", value=f"b{label}"), st.integers(0, 9)),
    LITERAL,
)


@st.composite
def results(draw: st.DrawFn) -> Rows:
    names = draw(st.lists(st.sampled_from("abcd"), unique=True, min_size=1, max_size=4))
    row = st.tuples(*(TERM for _ in names))
    return Rows(variables=tuple(names), rows=tuple(draw(st.lists(row, max_size=5))))


@given(results())
def test_json_reads_back(rows: Rows) -> None:
    assert parse_json(to_json(rows).encode(), max_rows=100) == rows


@given(results())
def test_xml_reads_back(rows: Rows) -> None:
    names = {"x": "http://www.w3.org/2005/sparql-results#"}
    root = ET.fromstring(to_xml(rows))
    assert [node.get("name") for node in root.findall("x:head/x:variable", names)] == list(
        rows.variables
    )
    found = root.findall("x:results/x:result", names)
    assert len(found) == len(rows.rows)
    for node, row in zip(found, rows.rows, strict=True):
        bound = {
            name: term for name, term in zip(rows.variables, row, strict=True) if term is not None
        }
        cells = {cell.get("name"): cell[0] for cell in node}
        assert set(cells) == set(bound)
        for name, term in bound.items():
            text = "".join(
                sign if sign in "\t\n\r" or " " <= sign < "\ufffe" or sign > "\uffff" else "\ufffd"
                for sign in term.value
            )
            assert (cells[name].text or "") == text
            assert cells[name].get("datatype") == term.datatype
            assert cells[name].get("{http://www.w3.org/XML/1998/namespace}lang") == term.language


@given(results())
def test_csv_keeps_the_values(rows: Rows) -> None:
    if any(term and "\0" in term.value for row in rows.rows for term in row):
        return  # Python's reader of CSV stops at a zero byte
    if any(row == (None,) or (len(row) == 1 and row[0] and not row[0].value) for row in rows.rows):
        return  # an empty line: Python's reader passes it over
    header, *lines = csv.reader(io.StringIO(to_csv(rows), newline=""))
    assert tuple(header) == rows.variables
    for line, row in zip(lines, rows.rows, strict=True):
        values = [term.value if term else "" for term in row]
        assert [cell.removeprefix("_:") for cell in line] == [v.removeprefix("_:") for v in values]


@given(results())
def test_the_engine_reads_what_is_written(rows: Rows) -> None:
    if any(term is None for row in rows.rows for term in row) and len(rows.variables) == 1:
        return  # a line without a cell: TSV cannot tell it from the end
    for text, form in (
        (to_json(rows), ox.QueryResultsFormat.JSON),
        (to_tsv(rows), ox.QueryResultsFormat.TSV),
    ):
        read = ox.parse_query_results(text, format=form)
        assert isinstance(read, ox.QuerySolutions)
        assert tuple(variable.value for variable in read.variables) == rows.variables
        for solution, row in zip(read, rows.rows, strict=True):
            values = [term.value if term else None for term in row]
            assert [cell.value if cell else None for cell in solution] == values  # type: ignore[union-attr]


@pytest.mark.parametrize("value", [True, False])
def test_booleans(value: bool) -> None:
    rows, word = Rows(boolean=value), str(value).lower()
    assert parse_json(to_json(rows).encode(), max_rows=1) == rows
    assert f"<boolean>{word}</boolean>" in to_xml(rows)
    assert to_csv(rows).strip() == to_tsv(rows).strip() == word


def test_plain_literals_have_no_datatype() -> None:
    body = (
        b'{"head":{"vars":["a"]},"results":{"bindings":[{"a":{"type":"literal","value":"x",'
        b'"datatype":"http://www.w3.org/2001/XMLSchema#string"}}]}}'
    )
    assert parse_json(body, max_rows=1).rows == ((Term(kind="literal", value="x"),),)


@given(st.binary(max_size=60), st.integers(0, 200))
def test_no_bytes_make_the_reader_crash(noise: bytes, cut: int) -> None:
    whole = to_json(Rows(variables=("a",), rows=((Term(kind="iri", value="urn:a"),),))).encode()
    for body in (noise, whole[:cut] + noise, whole[: cut % len(whole)]):
        try:
            parse_json(body, max_rows=10)
        except ValueError:
            continue


def test_half_a_document_is_never_a_result() -> None:
    whole = to_json(Rows(variables=("a",), rows=((Term(kind="iri", value="urn:a"),),))).encode()
    for length in range(len(whole)):
        with pytest.raises(ValueError, match="line 1 column"):
            parse_json(whole[:length], max_rows=10)


def test_all_formats_write_all_results() -> None:
    for writer in WRITERS.values():
        assert writer(Rows(variables=("a", "b")))
