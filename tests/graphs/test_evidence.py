from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factmark.graphs import SUPPORT_LABELS, Triple, judge_support
from factmark.graphs.cues import CUES, TURNED
from factmark.graphs.mentions import find_mentions, keys, read_passage, variants
from factmark.io.ontology_data import bundled_ontology
from graphs_data import THE_31, labelled_rows

S, C, N = "SUPPORTED", "CONTRADICTED", "NOT_SUPPORTED"


@pytest.fixture(scope="module")
def ontology():
    return bundled_ontology()


def test_every_relation_has_cues():
    assert set(CUES) | set(TURNED) == THE_31
    assert not set(CUES) & set(TURNED)


@pytest.mark.parametrize(
    ("passage", "head", "relation", "tail", "label"),
    [
        ("Metformin is used to treat type 2 diabetes.", "metformin", "treats", "T2DM", S),
        ("Metformin does not treat asthma.", "metformin", "treats", "asthma", C),
        ("Metformin not only treats diabetes but obesity.", "metformin", "treats", "diabetes", S),
        ("Haemorrhage is caused by warfarin.", "warfarin", "cause_of", "hemorrhage", S),
        ("Haemorrhage is caused by warfarin.", "hemorrhage", "due_to", "warfarin", S),
        ("Smoking causes cancer.", "cancer", "cause_of", "smoking", N),
        ("Smoking causes cancer.", "smoking", "cause_of", "gout", N),
        ("Chronic kidney disease (CKD) is common. CKD leads to anaemia.",
         "chronic kidney disease", "cause_of", "anemia", S),
        ("Neither vitamin D nor zinc prevented flu.", "vitamin D", "prevents", "influenza", C),
        ("Ulcers such as foot ulcers heal slowly.", "foot ulcer", "isa", "ulcer", S),
        ("Lipase (an enzyme) splits fat.", "lipase", "regulates", "fat", N),
        ("Insulin regulates glucose uptake.", "insulin", "regulates", "glucose uptake", S),
        ("", "insulin", "treats", "diabetes", N),
    ],
)  # fmt: skip
def test_by_example(ontology, passage, head, relation, tail, label):
    triple = Triple(head=head, relation=relation, tail=tail)
    evidence = judge_support(triple, passage, ontology)
    assert evidence.label == label, evidence.reason


def test_spans_mark_head_tail_and_cue(ontology):
    text = "In trials, oedema was caused by the drug amlodipine."
    evidence = judge_support(
        Triple(head="edema", relation="due_to", tail="amlodipine"), text, ontology
    )
    marked = [text[s.start : s.end] for s in (evidence.head, evidence.tail, evidence.cue)]
    assert marked == ["oedema", "amlodipine", "caused by"]


def test_a_passage_introduces_its_own_abbreviations():
    passage = read_passage("Sleep-disordered breathing (SDB) is common. SDB worsens with weight.")
    forms = variants("sleep-disordered breathing", passage, None)
    assert forms[keys("SDB")] == "abbreviation"
    assert [m.sentence for m in find_mentions(passage, forms)] == [0, 0, 1]


def test_abbreviations_and_numbers_end_no_sentence():
    passage = read_passage("Growth of S. aureus rose by 2.5 fold, e.g. in wounds. Then it fell.")
    assert len(passage.sentences) == 2


def test_type_1_is_not_type_2():
    triple = Triple(head="insulin", relation="treats", tail="type 2 diabetes")
    assert judge_support(triple, "Insulin is used to treat type 1 diabetes.").label == N


@given(
    st.text(max_size=200),
    st.text(max_size=20),
    st.sampled_from(sorted(THE_31)),
    st.text(max_size=20),
)
def test_any_text_gets_a_label_and_spans_inside_it(text, head, relation, tail):
    evidence = judge_support(Triple(head=head, relation=relation, tail=tail), text)
    assert evidence.label in SUPPORT_LABELS
    for span in (evidence.head, evidence.tail, evidence.cue, evidence.negation):
        assert span is None or 0 <= span.start <= span.end <= len(text)


@given(st.text(min_size=1, max_size=30))
def test_what_is_not_named_is_not_supported(name):
    triple = Triple(head=name, relation="treats", tail="zzqx")
    assert judge_support(triple, f"{name} treats many things.").label == N


@pytest.mark.parametrize(("which", "least"), [("bundled", 0.74), ("separate", 0.77)])
def test_agreement_with_hand_labels_is_as_documented(ontology, which, least):
    rows = labelled_rows(which)
    agreed = [
        judge_support(t, passage, ontology).label == row["support"] for t, passage, row in rows
    ]
    assert sum(agreed) / len(agreed) >= least


def test_the_bundled_graph_is_what_its_readme_says():
    rows = labelled_rows("bundled")
    assert len(rows) == 461
    assert len({row["passage_id"] for _, _, row in rows}) == 122
    assert {triple.relation for triple, _, _ in rows} == THE_31
    errors = Counter(row["error"] for _, _, row in rows)
    assert set(errors) == {"", "reversed_direction", "site_no_anatomy", "co_occurrence",
                           "adjective_tail", "vague_tail", "process_for_structure",
                           "contradicted", "not_in_passage"}  # fmt: skip
    assert 0.3 < 1 - errors[""] / len(rows) < 0.4
    for _, passage, row in rows:
        assert 2 <= len(read_passage(passage).sentences) <= 5
        assert row["support"] in SUPPORT_LABELS
        assert (row["support"] == "CONTRADICTED") <= (
            row["error"] in ("contradicted", "reversed_direction")
        )
    assert len(labelled_rows("separate")) == 125
