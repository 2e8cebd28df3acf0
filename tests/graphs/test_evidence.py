from __future__ import annotations

import time
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factmark.graphs.core.claims import WORDINGS, Triple
from factmark.graphs.core.cues import CUES, TURNED, cues_of
from factmark.graphs.core.evidence import evidence_marks, judge_support
from factmark.graphs.core.mentions import find_mentions, name_forms, read_passage
from factmark.graphs.ontologies.bundled import bundled_ontology
from factmark.label_values import SUPPORT_LABELS
from frame_cases import FRAMED, PLAIN
from graphs_data import THE_7, THE_31, labelled_rows

S, C = "SUPPORTED", "CONTRADICTED"


@pytest.fixture(scope="module")
def ontology():
    return bundled_ontology()


def test_every_relation_has_cues():
    assert set(CUES) | set(TURNED) <= THE_31 | {"method_of", "is_modification_of"}
    assert not set(CUES) & set(TURNED)
    assert all(cues_of(relation) for relation in THE_31 | THE_7)


@pytest.mark.parametrize(
    ("passage", "head", "relation", "tail"),
    [
        ("Glargine is a modified insulin.", "glargine", "is_modification_of", "insulin"),
        (
            "Lupus involves the pathological process inflammation.",
            "lupus",
            "has_pathological_process",
            "inflammation",
        ),
        (
            "The graft is done directly on the heel.",
            "heel",
            "direct_procedure_site_of",
            "graft",
        ),
    ],
)
def test_relations_without_cues_of_their_own_go_by_their_wording(passage, head, relation, tail):
    triple = Triple(head=head, relation=relation, tail=tail)
    assert judge_support(triple, passage).label == S
    assert judge_support(triple, f"{head.title()} and {tail} came up.").label != S


@pytest.mark.parametrize(
    ("passage", "head", "relation", "tail", "label"),
    [
        ("Metformin is used to treat type 2 diabetes.", "metformin", "treats", "T2DM", S),
        ("Metformin does not treat asthma.", "metformin", "treats", "asthma", C),
        ("Metformin not only treats diabetes but obesity.", "metformin", "treats", "diabetes", S),
        ("Haemorrhage is caused by warfarin.", "warfarin", "cause_of", "hemorrhage", S),
        ("Haemorrhage is caused by warfarin.", "hemorrhage", "due_to", "warfarin", S),
        (
            "Chronic kidney disease (CKD) is common. CKD leads to anaemia.",
            "chronic kidney disease",
            "cause_of",
            "anemia",
            S,
        ),
        ("Neither vitamin D nor zinc prevented flu.", "zinc", "prevents", "influenza", None),
        ("Ulcers such as foot ulcers are slow to heal.", "foot ulcer", "isa", "ulcer", S),
        (
            "Gout is strongly and in several cohorts linked to psoriasis.",
            "psoriasis",
            "associated_with",
            "gout",
            S,
        ),
        # Another stands between, or before the words of the relation.
        (
            "Metformin on olanzapine-induced obesity was tested.",
            "metformin",
            "cause_of",
            "obesity",
            None,
        ),
        (
            "Aspirin, unlike warfarin with heparin, treats fever.",
            "aspirin",
            "treats",
            "fever",
            None,
        ),
        (
            "Stroke is the leading consequence of untreated fever.",
            "stroke",
            "due_to",
            "fever",
            None,
        ),
        ("Flu is prevented by zinc.", "flu", "prevents", "zinc", None),
        # What a name belongs to may be the other way round: lack of it, a part of it.
        ("A lack of vitamin C causes scurvy.", "vitamin C", "cause_of", "scurvy", None),
        ("Vitamin C deficiency causes scurvy.", "vitamin C", "cause_of", "scurvy", None),
        ("Diabetes causes kidney disease.", "diabetes", "cause_of", "kidney", None),
        ("Diabetes causes kidney disease.", "diabetes", "cause_of", "kidney disease", S),
        ("A case of aspirin-induced asthma.", "aspirin", "cause_of", "asthma", S),
        ("The flood was triggered by rain.", "rain", "due_to", "flood", None),
        ("The flood was triggered by rain.", "flood", "due_to", "rain", S),
        ("Fever occurs in malaria.", "fever", "occurs_in", "malaria", S),
        # Words that hold anything together say nothing where others stand between.
        ("Warfarin was weighed against stroke.", "warfarin", "treats", "stroke", None),
        ("The retina of mice with rickets", "retina", "finding_site_of", "rickets", None),
        ("Stroke, whereas warfarin treats it.", "warfarin", "treats", "stroke", None),
        ("Aspirin, which is old, treats fever.", "aspirin", "treats", "fever", None),
        (f"Aspirin treats {'very ' * 40}high fever.", "aspirin", "treats", "fever", None),
        # An article names nothing, also where an abbreviation is written as one.
        ("Aspirin treats Aniridia (AN). It is known.", "aspirin", "treats", "the", None),
        ("Aspirin treats Aniridia (AN). It is known.", "aspirin", "treats", "+", None),
        # What stands beside another in brackets or between commas need not be the same or a kind.
        ("Khalil (Egypt) spoke.", "Khalil", "same_as", "Egypt", None),
        ("The Arab Republic of Egypt (ARE) spoke.", "ARE", "same_as", "Arab Republic of Egypt", S),
        ("Shingles, also known as zoster, itches.", "zoster", "same_as", "shingles", S),
        ("Zoster is not the same as measles.", "measles", "same_as", "zoster", None),
        ("It holds a parser, a tagger and a list.", "parser", "isa", "tagger", None),
        ("Priors in the form of a divergence help.", "divergence", "inverse_isa", "priors", None),
        ("There is a solution for one part of it.", "solution", "part_of", "it", None),
        ("The model is built on sand.", "model", "has_part", "sand", None),
        ("Zinc reduces sugar.", "zinc", "treats", "sugar", None),
        ("The first model was the cyclotron.", "model", "isa", "cyclotron", None),
        ("The cyclotron is the machine of that day.", "cyclotron", "isa", "machine", S),
        ("Depression is a form of sadness.", "depression", "isa", "form", None),
        ("Zinc may cause fever.", "zinc", "cause_of", "fever", None),
        # The last word of a name alone may name another.
        ("Smith was born in Rome, a son of John Smith.", "John Smith", "born_in", "Rome", None),
        # Doubt and denial are left to a reader, and so is what is not said in these words.
        ("Whether zinc prevents flu is unknown.", "zinc", "prevents", "influenza", None),
        ("Gout was not linked to psoriasis.", "gout", "associated_with", "psoriasis", None),
        ("Smoking causes cancer.", "cancer", "cause_of", "smoking", None),
        ("Smoking causes cancer.", "smoking", "cause_of", "gout", None),
        ("", "insulin", "treats", "diabetes", None),
        # No words, no verdict.
        ("Insulin the glucose.", "insulin", "the", "glucose", None),
        ("Insulin -> glucose.", "insulin", "->", "glucose", None),
        ("Insulin + glucose.", "insulin", "+", "glucose", None),
        # What a passage states it states, sense or none.
        ("The retina treats diabetes.", "retina", "treats", "diabetes", S),
    ],
)
def test_by_example(ontology, passage, head, relation, tail, label):
    triple = Triple(head=head, relation=relation, tail=tail)
    evidence = judge_support(triple, passage, ontology)
    assert evidence.label == label, evidence.reason
    assert evidence.reason


@pytest.mark.parametrize("word", ["of", "in", "at", "on", "for", "from", "with", "by", "after"])
def test_a_bare_preposition_states_no_relation(word):
    """`The heel of the shoe` is neither its cause nor its symptom."""
    for relation in CUES.keys() | TURNED.keys():
        for head, tail in (("heel", "shoe"), ("shoe", "heel")):
            triple = Triple(head=head, relation=relation, tail=tail)
            for article in ("", "the "):
                text = f"A heel {word} {article}shoe was there."
                assert judge_support(triple, text).label is None, (relation, head)


@pytest.mark.parametrize(
    ("wording", "passage", "label"),
    [
        ("{head} regulates {tail}", "Leptin regulates hunger.", S),
        ("{head} regulates {tail}", "Leptin, regulating hunger, is a hormone.", S),
        ("{head} regulates {tail}", "Hunger regulates leptin.", None),
        ("{tail} is regulated by {a_head}", "Hunger is regulated by leptin.", S),
        ("{tail} is regulated by {a_head}", "Leptin is regulated by hunger.", None),
        ("the regulator of {tail} is {head}", "Leptin, the regulator of hunger, rose.", S),
        ("the regulator of {tail} is {head}", "Hunger is leptin.", None),
        ("{head} is in {tail}", "Leptin is in hunger.", S),
        ("{head} is in {tail}", "Leptin is known in hunger.", None),
        ("{head} -> {tail}", "Leptin -> hunger.", None),
        ("{head} {tail}", "Leptin hunger.", None),
    ],
)
def test_a_wording_gives_the_words_to_look_for(wording, passage, label):
    triple = Triple(head="leptin", relation="regulates", tail="hunger")
    evidence = judge_support(triple, passage, wordings={**WORDINGS, "regulates": wording})
    assert evidence.label == label, evidence.reason


@pytest.mark.parametrize(
    ("passage", "head", "tail", "label"),
    [
        ("Insulin is a hormone.", "insulin", "hormone", S),
        ("Insulin (INS) is also a peptide hormone that is made by cells.", "insulin", "hormone", S),
        ("Jan Betley (1908 - 1980) was a Polish painter.", "Jan Betley", "painter", S),
        ("Lack of tumour factor (TF) is a disease.", "tumour factor", "disease", None),
        ("The whale was a mammal, they say in class.", "whale", "mammal", None),
        ("Whales are one of the largest mammals.", "whales", "mammals", S),
        (
            "In short, salt, and insulin, are hormones released at noon.",
            "insulin",
            "hormones",
            None,
        ),
        ("In short, insulin and glucagon are hormones.", "glucagon", "hormones", None),
        ("Glucagon and (in part) insulin are hormones.", "insulin", "hormones", None),
        ("Sugar (insulin) is a hormone.", "insulin", "hormone", None),
        ("The tiger is a type of cat.", "tiger", "cat", S),
        ("Sharks are not mammals.", "sharks", "mammals", C),
        ("A shark isn't a mammal, but a fish.", "shark", "mammal", C),
        ("The bat is no bird.", "bat", "bird", C),
        ("A whale is not only a mammal but a giant.", "whale", "mammal", S),
        # The names have to be whole: another thing is said of a longer one.
        ("Lack of insulin is a disease.", "insulin", "disease", None),
        ("Some tumours are cancers.", "tumours", "cancers", None),
        ("Metformin is a diabetes drug.", "metformin", "diabetes", None),
        ("Relaxin is a hormone-like drug.", "relaxin", "hormone", None),
        ("Somatorelin is a hormone releasing factor.", "somatorelin", "hormone", None),
        ("Immunity is the body's defence.", "immunity", "body", None),
        ("Speech is a form of the body's work.", "speech", "body", None),
        # Something else stands between, or what is denied is narrower than the kind.
        ("Insulin is in a hormone.", "insulin", "hormone", None),
        ("Metformin is a drug against diabetes.", "metformin", "diabetes", None),
        ("Brown is a former minister.", "Brown", "minister", None),
        ("Insulin is a possible hormone.", "insulin", "hormone", None),
        ("Insulin is a glucose-lowering and hormone.", "insulin", "hormone", None),
        ("Insulin is not the hormone that failed.", "insulin", "hormone", None),
        ("Aspirin is not a drug for children.", "aspirin", "drug", None),
        ("Aspirin is not the only form of drug.", "aspirin", "drug", None),
    ],
)
def test_a_kind_is_told_by_is_a(passage, head, tail, label):
    evidence = judge_support(Triple(head=head, relation="isa", tail=tail), passage)
    assert evidence.label == label, evidence.reason


@pytest.mark.parametrize(
    ("passage", "head", "relation", "tail", "label"),
    [
        ("Smoking causes lung cancer.", "smoking", "causes", "lung cancer", S),
        ("Lung cancer is caused by smoking.", "smoking", "causes", "lung cancer", S),
        ("Smoking does not cause gout.", "smoking", "causes", "gout", C),
        ("Paris is the capital of France.", "Paris", "capital_of", "France", S),
        ("Paris, the capital of France, grew.", "Paris", "capitalOf", "France", S),
        ("The Danube flows through Vienna.", "Danube", "flows_through", "Vienna", S),
        ("Marie Curie discovered radium.", "Marie Curie", "discovered", "radium", S),
        ("Curie studied radium.", "Curie", "studies", "radium", S),
        ("Ann's mother is Eve.", "Ann", "mother", "Eve", S),
        ("Eve is the mother of Ann.", "Ann", "mother", "Eve", S),
        # The other way round, another word, a longer name: not these words.
        ("Paris is the capital of France.", "France", "capital_of", "Paris", None),
        ("Radium was discovered in Paris.", "radium", "discovered", "Paris", None),
        ("Marie Curie discovered radium.", "radium", "discovered", "Marie Curie", None),
        ("Bacteria are the cause of gout.", "gout", "causes", "bacteria", None),
        ("Lack of insulin causes gout.", "insulin", "causes", "gout", None),
        ("Smoking causes lung cancer.", "smoking", "causes", "lung", None),
        ("Smoking never is in gout.", "smoking", "is_in", "gout", None),
    ],
)
def test_a_relation_is_told_by_the_words_of_its_name(passage, head, relation, tail, label):
    evidence = judge_support(Triple(head=head, relation=relation, tail=tail), passage)
    assert evidence.label == label, evidence.reason


@pytest.mark.parametrize(
    "piece",
    [
        "think that alpha causes, alpha linked beta, ",
        "this. alpha linked beta? ",
        "alpha beta ",
        "alpha not linked beta, ",
        "alpha. beta. ",
        "alpha (beta) ",
        " ",
        '."',
    ],
)
def test_a_long_passage_is_read_in_linear_time(piece):
    triple = Triple(head="alpha", relation="associated_with", tail="beta")
    text = "alpha." + piece * (150_000 // len(piece)) + "beta"
    start = time.process_time()
    judge_support(triple, text)
    assert time.process_time() - start < 20  # a quadratic reader takes minutes


@pytest.mark.parametrize(("triple", "passage"), FRAMED)
def test_what_is_not_asserted_is_undecided(triple, passage):
    """Labels, sources, words of falsity, belief, condition and question take a match back; so do
    counts of none, brackets and what follows."""
    assert judge_support(triple, passage).label is None


@pytest.mark.parametrize(("triple", "passage"), PLAIN)
def test_the_same_words_elsewhere_cost_no_honest_sentence(triple, passage):
    assert judge_support(triple, passage).label == S


def test_what_is_not_asserted_is_not_denied_either():
    triple = Triple(head="garlic", relation="treats", tail="malaria")
    assert judge_support(triple, "Garlic does not treat malaria.").label == C
    for frame in ("Rumour: {}", "According to critics, {}", "{} (retracted)", "{} That is a myth."):
        text = frame.format("garlic does not treat malaria.")
        assert judge_support(triple, text).label is None, text


def test_a_label_over_a_list_is_a_label():
    triple = Triple(head="garlic", relation="treats", tail="malaria")
    assert judge_support(triple, "Common beliefs:\n- Garlic treats malaria.").label is None
    assert judge_support(triple, "Findings:\n- Garlic treats malaria.").label == S


@pytest.mark.parametrize(
    ("value", "label"), [("= 0.05", S), ("< 0.05", S), ("= 0.051", None), ("> 0.05", None)]
)
def test_a_p_value_above_the_usual_bound_is_a_doubt(value, label):
    triple = Triple(head="garlic", relation="treats", tail="malaria")
    assert judge_support(triple, f"Garlic treats malaria (p {value}).").label == label


def test_a_compound_is_taken_for_granted_whatever_else_is_suggested():
    triple = Triple(head="aspirin", relation="cause_of", tail="asthma")
    text = "These data suggest that zinc helps in aspirin-induced asthma."
    assert judge_support(triple, text).label == S
    assert judge_support(triple, f"Myth: {text}").label is None


def test_a_passage_in_quotation_marks_as_a_whole_is_the_passage():
    triple = Triple(head="garlic", relation="treats", tail="malaria")
    assert judge_support(triple, '"Garlic treats malaria."').label == S
    assert judge_support(triple, 'We read "Garlic treats malaria" there.').label is None
    assert judge_support(triple, '"Garlic" treats "malaria".').label == S


def test_spans_mark_head_tail_and_cue(ontology):
    text = "In trials, oedema was caused by amlodipine."
    triple = Triple(head="edema", relation="due_to", tail="amlodipine")
    marks = evidence_marks(triple, text, ontology)
    marked = {mark.role: text[mark.start : mark.end] for mark in marks}
    assert marked == {"head": "oedema", "tail": "amlodipine", "cue": "caused by"}


def test_a_passage_introduces_its_own_abbreviations_and_sentences():
    passage = read_passage("Sleep-disordered breathing (SDB) is common. SDB worsens with weight.")
    forms = name_forms("sleep-disordered breathing", passage, None)
    assert [m.sentence for m in find_mentions(passage, forms)] == [0, 0, 1]
    passage = read_passage("Growth of S. aureus rose by 2.5 fold, e.g. in wounds. Then it fell.")
    assert len(passage.sentences) == 2


def test_type_1_is_not_type_2():
    triple = Triple(head="insulin", relation="treats", tail="type 2 diabetes")
    assert judge_support(triple, "Insulin treats type 1 diabetes.").label is None
    assert judge_support(triple, "Insulin treats type 2 diabetes.").label == S


@given(
    st.text(max_size=200),
    st.text(max_size=20),
    st.sampled_from(sorted(THE_31)),
    st.text(max_size=20),
)
def test_any_text_gets_a_label_or_none_and_spans_inside_it(text, head, relation, tail):
    triple = Triple(head=head, relation=relation, tail=tail)
    assert judge_support(triple, text).label in (*SUPPORT_LABELS, None)
    marks = evidence_marks(triple, text)
    assert all(0 <= mark.start <= mark.end <= len(text) for mark in marks)


@pytest.mark.parametrize(("which", "decided"), [("bundled", 0.055), ("separate", 0.11)])
def test_what_it_decides_agrees_with_hand_labels(ontology, which, decided):
    rows = labelled_rows(which)
    agreed = [
        label == row["support"]
        for triple, passage, row in rows
        if (label := judge_support(triple, passage, ontology).label) is not None
    ]
    assert len(agreed) >= decided * len(rows)
    assert sum(agreed) / len(agreed) >= 0.95


def test_the_bundled_graph_is_what_its_readme_says():
    rows = labelled_rows("bundled")
    assert len(rows) == 461
    assert len({row["passage_id"] for _, _, row in rows}) == 122
    assert {triple.relation for triple, _, _ in rows} == THE_31
    errors = Counter(row["error"] for _, _, row in rows)
    assert set(errors) == {
        "",
        "reversed_direction",
        "site_no_anatomy",
        "co_occurrence",
        "adjective_tail",
        "vague_tail",
        "process_for_structure",
        "contradicted",
        "not_in_passage",
    }
    for _, passage, row in rows:
        assert 2 <= len(read_passage(passage).sentences) <= 5
        assert row["support"] in SUPPORT_LABELS
    assert len(labelled_rows("separate")) == 125


def test_names_that_are_not_there_are_told_by_name():
    triple = Triple(head="aspirin", relation="treats", tail="fever")
    assert judge_support(triple, "Aspirin is old.").reason == "not named in the passage: fever"
    assert judge_support(triple, "A drug is old.").reason == (
        "not named in the passage: aspirin and fever"
    )


@pytest.mark.parametrize(
    ("passage", "label"),
    [
        (f"Aspirin treats{' ' * 153}fever.", S),  # 160 characters between the names
        (f"Aspirin treats{' ' * 154}fever.", None),
        ("Aspirin treats fever.", S),
        ("Aspirin treats; fever is rare.", None),  # another clause
    ],
)
def test_names_stand_close_and_in_one_clause(passage, label):
    triple = Triple(head="aspirin", relation="treats", tail="fever")
    assert judge_support(triple, passage).label == label


@pytest.mark.parametrize(("further", "label"), [(8, S), (9, None)])
def test_a_relation_that_holds_both_ways_stands_with_few_other_words(further, label):
    words = "older adults urban rural poor rich tall small thin".split()[:further]
    triple = Triple(head="psoriasis", relation="associated_with", tail="gout")
    passage = f"Gout is linked with {' '.join(words)} psoriasis."
    assert judge_support(triple, passage).label == label
