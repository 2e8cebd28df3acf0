"""Triples held by columns come out as they went in, whatever their places and fields look like."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factmark.graphs import triple_columns
from factmark.graphs.core.claims import Triple
from factmark.graphs.triple_columns import TripleColumns

NAMES = st.sampled_from(["", "a", "b", "c", "d"])
PLACES = st.one_of(
    st.sampled_from(
        ["line 12", "line 012", "line -3", "line ", "7", " 7", "b.nt: line 5", "line ٣", ""]
    ),
    st.integers(0, 10**30).map("row {}".format),
)
TRIPLES = st.builds(
    Triple,
    head=NAMES,
    relation=NAMES,
    tail=NAMES,
    passage=st.none() | NAMES,
    passage_id=NAMES,
    confidence=st.none() | st.floats(allow_nan=False),
    id=NAMES,
    where=PLACES,
    head_id=NAMES,
    tail_id=NAMES,
    statement=NAMES,
    given=st.dictionaries(NAMES, st.integers(), max_size=2),
)


@given(st.lists(TRIPLES))
def test_triples_come_out_as_they_went_in(triples: list[Triple]) -> None:
    columns = TripleColumns()
    for triple in triples:
        columns.append(triple)
    assert len(columns) == len(triples)
    for again in (list(columns), [columns[place] for place in range(len(triples))]):
        assert again == triples
        assert [triple.given for triple in again] == [triple.given for triple in triples]


def test_names_that_are_not_held_any_more_are_held_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(triple_columns, "_SHARED", 2)
    columns = TripleColumns()
    heads = ["a", "b", "c", "a", "d", "c"]
    for head in heads:
        columns.append(Triple(head, "is", "one", head))
    assert [triple.head for triple in columns] == heads
    assert list(columns.passages) == [0, 1, 2, 0, 3, 2]
