from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factmark.graphs.core.claims import (
    WORDINGS,
    Triple,
    claim,
    pair_id,
    pair_unit,
    relation_key,
    triple_of,
    triple_unit,
    wording_problem,
)
from factmark.model import content_hash

NAMES = st.text(min_size=1, max_size=30).filter(lambda text: text.strip())


def triple(
    head: str = "insulin", relation: str = "treats", tail: str = "diabetes", **more
) -> Triple:
    return Triple(head=head, relation=relation, tail=tail, **more)


@pytest.mark.parametrize(
    ("head", "relation", "tail", "reads"),
    [
        ("foot ulcer", "isa", "ulcer", "Foot ulcer is an ulcer"),
        ("disease", "inverse_isa", "diabetes", "Diabetes is a disease"),
        ("empagliflozin", "isa", "SGLT2 inhibitor", "Empagliflozin is an SGLT2 inhibitor"),
        ("mRNA", "is_part_of", "cell", "mRNA is part of cell"),
        ("islets", "isa", "clusters of cells", "Islets is clusters of cells"),
        ("diabetes", "Has Symptom", "thirst", "Diabetes has thirst as a symptom"),
        ("x", "http://example.org/v#due-to", "y", "X is caused by y"),
    ],
)
def test_a_claim_in_plain_language(head, relation, tail, reads):
    assert claim(triple(head, relation, tail)) == reads


def test_a_wording_is_used_or_refused():
    assert len(WORDINGS) == 38
    assert all(wording_problem(wording) is None for wording in WORDINGS.values())
    bad = ["{head} only", "{head} {tail} {other}", "{head", "{head.__class__} {tail}", "{0} {1}"]
    assert all(wording_problem(wording) for wording in bad)
    assert claim(triple(), {"treats": "{head} helps {tail}"}) == "Insulin helps diabetes"


@given(NAMES, NAMES, NAMES)
def test_any_triple_has_a_claim_and_comes_back_from_its_unit(head, relation, tail):
    given_triple = triple(head, relation, tail, passage="p")
    assert claim(given_triple)
    assert triple_of(pair_unit(given_triple)) == given_triple
    assert relation_key(relation_key(relation)) == relation_key(relation)


def test_the_same_pair_and_the_same_triple_have_one_id():
    rows = [
        triple(passage="one"),
        triple(head=" Insulin ", passage="two"),
        triple(passage="one", id="again"),
        triple(tail="stroke", passage="one"),
    ]
    assert len({pair_unit(row).id for row in rows}) == 3
    assert len({triple_unit(row).id for row in rows}) == 2


@given(
    st.lists(st.text(st.characters(), max_size=20), min_size=3, max_size=3),
    st.none() | st.text(st.characters(), max_size=200),
    st.text(st.characters(), max_size=20),
)
def test_the_id_of_a_pair_is_the_hash_of_its_content(
    names: list[str], passage: str | None, statement: str
) -> None:
    """Ledgers have it: it must never change, whatever makes it fast."""
    head, relation, tail = names
    triple = Triple(
        head=head,
        relation=relation,
        tail=tail,
        passage=passage,
        passage_id="p",
        statement=statement,
    )
    evidence = "p" if passage is None else passage
    more = [statement] if statement else []
    assert pair_id(triple) == content_hash("pair", *triple.key, evidence, *more)
