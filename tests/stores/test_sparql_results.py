"""Results on the wire: what is written is read back the same, by us and by other readers."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import pyoxigraph as ox
import pytest
from hypothesis import given
from hypothesis import strategies as st

from factmark.stores.results import parse_json, to_csv, to_json, to_tsv, to_xml
from factmark.stores.terms import Rows, Term

TEXT = st.text(st.characters(codec="utf-8"), max_size=20)
IRI = st.from_regex(r"http://e/[a-zA-Z0-9/?&=.\-]{0,9}(#[a-z]{0,3})?", fullmatch=True)
TERM = st.one_of(
    st.none(),
    st.builds(lambda iri: Term(kind="iri", value=iri), IRI),
    st.builds(lambda label: Term(kind="bnode", value=f"b{label}"), st.integers(0, 9)),
    st.builds(lambda text: Term(kind="literal", value=text), TEXT),
    st.builds(lambda text: Term(kind="literal", value=text, language="de-ch"), TEXT),
    st.builds(lambda text, iri: Term(kind="literal", value=text, datatype=iri), TEXT, IRI),
)
WHOLE = to_json(Rows(variables=("a",), rows=((Term(kind="iri", value="urn:a"),),))).encode()


@st.composite
def results(draw: st.DrawFn) -> Rows:
    names = draw(st.lists(st.sampled_from("abcd"), unique=True, min_size=2, max_size=4))
    row = st.tuples(*(TERM for _ in names))
    return Rows(variables=tuple(names), rows=tuple(draw(st.lists(row, max_size=5))))


@given(results())
def test_json_and_tsv_read_back(rows: Rows) -> None:
    assert parse_json(to_json(rows).encode(), max_rows=100) == rows
    read = ox.parse_query_results(to_tsv(rows), format=ox.QueryResultsFormat.TSV)
    assert isinstance(read, ox.QuerySolutions)
    for solution, row in zip(read, rows.rows, strict=True):
        values = [term.value if term else None for term in row]
        assert [cell.value if cell else None for cell in solution] == values  # type: ignore[union-attr]


@given(results())
def test_xml_reads_back(rows: Rows) -> None:
    names = {"x": "http://www.w3.org/2005/sparql-results#"}
    root = ET.fromstring(to_xml(rows))
    variables = root.findall("x:head/x:variable", names)
    assert [node.get("name") for node in variables] == list(rows.variables)
    found = root.findall("x:results/x:result", names)
    for node, row in zip(found, rows.rows, strict=True):
        cells = {cell.get("name"): cell[0] for cell in node}
        bound = {name: term for name, term in zip(rows.variables, row, strict=True) if term}
        assert set(cells) == set(bound)
        for name, term in bound.items():
            text = "".join(
                sign if sign in "\t\n\r" or " " <= sign < "\ufffe" or sign > "\uffff" else "\ufffd"
                for sign in term.value
            )
            assert (cells[name].text or "") == text
            assert cells[name].get("datatype") == term.datatype
            assert cells[name].get("{http://www.w3.org/XML/1998/namespace}lang") == term.language


def test_terms_that_are_no_rdf_are_told_as_texts() -> None:
    """A lenient reader puts such into a store: they must not cost the whole result."""
    terms = (
        Term(kind="iri", value="no scheme <x>"),
        Term(kind="literal", value="1", datatype="also none"),
        Term(kind="iri", value="urn:a"),
    )
    rows = Rows(variables=("a", "b", "c"), rows=(terms,))
    assert "no scheme <x>,1,urn:a" in to_csv(rows)
    assert '"no scheme <x>"\t"1"\t<urn:a>' in to_tsv(rows)
    assert "<literal>no scheme &lt;x></literal>" in to_xml(rows).replace("&gt;", ">")


@pytest.mark.parametrize("value", [True, False])
def test_an_ask_is_written_and_read_back(value: bool) -> None:
    rows, word = Rows(boolean=value), str(value).lower()
    assert parse_json(to_json(rows).encode(), max_rows=1) == rows
    assert f"<boolean>{word}</boolean>" in to_xml(rows)
    assert to_csv(rows).strip() == to_tsv(rows).strip() == word


@given(st.binary(max_size=60), st.integers(0, 200))
def test_no_bytes_make_the_reader_crash(noise: bytes, cut: int) -> None:
    for body in (noise, WHOLE[:cut] + noise):
        try:
            parse_json(body, max_rows=10)
        except ValueError:
            continue


def test_half_a_document_is_never_a_result() -> None:
    for length in range(len(WHOLE)):
        with pytest.raises(ValueError, match="line 1 column"):
            parse_json(WHOLE[:length], max_rows=10)
