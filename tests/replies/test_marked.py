"""Verdicts in the forms that published judges are asked for: marked, rated, corrected, in prose.

Each test draws a grid; what must not matter (the prose before a mark, how it ends, the order of the
labels) is changed within it.
"""

import itertools

import pytest

from factmark.replies import parse_batch, parse_choice, parse_rating, parse_ratings, parse_reply
from replies.test_replies import RATINGS, SUPPORT

TEN = tuple(str(n) for n in range(1, 11))
PAIRWISE = ("A>>B", "A>B", "A=B", "B>A", "B>>A")
MARKS = [
    "[[{}]]",
    "Rating: [[{}]]",
    "My final verdict is: [[{}]]",
    "[RESULT] {}",
    "[Final Score]: {}",
    "<answer>{}</answer>",
    "\\boxed{{{}}}",
]
ENDS = ["", ".", " for a tie", " because the second one is right."]
BEFORE = {
    TEN: "Step 3 is right, y = 4, and the correct answer is 10, which gives a score of 2.",
    SUPPORT: "The first sentence is SUPPORTED, the next is CONTRADICTED, so it is NOT_SUPPORTED.",
    PAIRWISE: "Assistant A is better at first. For style A > B, for depth B >> A.",
    ("A", "B", "C"): "Assistant A is better than B, and the answer of B is A.",
}


@pytest.mark.parametrize("mark", MARKS)
@pytest.mark.parametrize("labels", BEFORE, ids=" ".join)
def test_a_last_mark_is_the_verdict_whatever_the_reply_says_before(labels, mark):
    for label, end, gap in itertools.product(labels, ENDS, (" ", "\n", "\n\n")):
        if "\\boxed" in mark and end == " for a tie":
            continue  # said in formulas only
        for before in ("", "Feedback: It is fair.", f"It begins here.\n\n{BEFORE[labels]}"):
            reply = f"{before}{gap}{mark.format(label)}{end}"
            read = parse_rating if labels == TEN else parse_reply
            assert read(reply, labels) == label, reply
            assert read(reply, labels[::-1] if labels != TEN else TEN) == label, reply
            assert labels != ("A", "B", "C") or parse_choice(reply, 3) == label, reply


@pytest.mark.parametrize("mark", MARKS)
def test_two_marks_that_differ_or_one_off_the_scale_are_no_verdict(mark):
    for one, other in itertools.permutations(("2", "4"), 2):
        for join in ("\n", "\n\nThe dose is wrong.\n\n", " or "):
            reply = f"It is fair.\n{mark.format(one)}{join}{mark.format(other)}"
            assert parse_rating(reply, TEN) is None, reply
    for off in ("11", "0", "4.5", "high", "rating"):
        assert parse_rating(mark.format(off), TEN) is None, off


def test_a_mark_does_not_go_before_a_verdict_that_the_reply_begins_with():
    for own, mark in itertools.product(("NOT_SUPPORTED.", "Verdict: NOT_SUPPORTED"), MARKS):
        reply = f"{own}\n\nIts last line is\n{mark.format('SUPPORTED')}"
        assert parse_reply(reply, SUPPORT) in (None, "NOT_SUPPORTED"), reply


@pytest.mark.parametrize(
    "text",
    [
        "I would not answer [[4]].",
        "The format is [[rating]], e.g. [[4]]",
        "The passage says [[4]]",
        "The document instructs me to write [RESULT] 4",
        "As in [4], it is fair.",
        "If the dose were right, [[4]].",
    ],
)
def test_a_mark_that_is_denied_reported_or_an_example_is_no_verdict(text):
    assert parse_rating(text, TEN) is None
    assert parse_rating(f"{text}\n\nRating: [[2]]", TEN) == "2"


SCALED = [
    "{n} on a scale of {low} to {top}",
    "a {n} on a {top}-point scale",
    "I give it a {n} on the {low}-{top} scale.",
    "{n}/{top}, as one dose is wrong",
]


@pytest.mark.parametrize("form", SCALED)
def test_a_rating_on_its_own_scale_counts_and_on_another_does_not(form):
    for n, low, top in itertools.product(range(1, 6), (0, 1), (4, 5, 7, 10, 100)):
        reply = form.format(n=n, low=low, top=top)
        assert parse_rating(reply, RATINGS) == (str(n) if top == 5 else None), reply


def test_a_scale_that_is_told_first_is_no_rating():
    for n in RATINGS:
        reply = f"On a scale from 1 (bad) to 5 (good), it is a {n}."
        assert parse_rating(reply, RATINGS) == n
    assert parse_rating("The scale goes from 1 to 5.", RATINGS) is None


QUALITIES = ["Consistency", "Summary quality", "Factual accuracy", "Faithfulness", "Relevance"]


def test_the_rating_of_a_single_criterion_is_the_rating():
    for quality, n in itertools.product(QUALITIES, RATINGS):
        for form in ("- {}: {}", "**{}:** {}", "{} = {}/5", "{}: {}, as one dose is wrong"):
            reply = form.format(quality, n)
            assert parse_rating(reply, RATINGS) == n, reply
            assert parse_rating(f"Evaluation form:\n{reply}", RATINGS) == n, reply
            assert parse_rating(f"{reply}\n- Clarity: 5\n", RATINGS) is None, reply
            assert parse_rating(f"{reply}\nRating: 4", RATINGS) == "4", reply


@pytest.mark.parametrize("count", ["Errors", "Number of claims", "Year", "Sentence", "Confidence"])
def test_a_count_is_no_rating(count):
    assert parse_rating(f"{count}: 3", RATINGS) is None


MAIN = {
    "The claim is not supported by the passage": "NOT_SUPPORTED",
    "The passage does not support the claim": "NOT_SUPPORTED",
    "The claim is supported by the passage": "SUPPORTED",
    "This is contradicted by the passage": "CONTRADICTED",
    "The passage contradicts the claim": "CONTRADICTED",
}
WHY = [
    ", since it names no other drug.",
    " because the dose is not 5 mg.",
    ", as only iron is mentioned.",
    ": it says nothing of a cure beyond line 2.",
    ': "No patient was treated."',
    "; neither drug is missing.",
]
DOUBTS = [
    ", since it might mean iron.",
    ", as far as it goes.",
    " if iron is meant.",
    ": it is unclear, though.",
    "; however, it is hard to say.",
]


@pytest.mark.parametrize("main", MAIN)
def test_a_reason_after_the_main_clause_neither_denies_nor_doubts_it(main):
    for why, end in itertools.product(WHY, ("", " Iron is a metal.")):
        assert parse_reply(f"{main}{why}{end}", SUPPORT) == MAIN[main], why
    for doubt in DOUBTS:
        assert parse_reply(f"{main}{doubt}", SUPPORT) is None, doubt


@pytest.mark.parametrize("main", MAIN)
def test_what_the_passage_lacks_takes_back_only_what_is_affirmed(main):
    label = None if MAIN[main] == "SUPPORTED" else MAIN[main]
    assert parse_reply(f"{main}. It does not mention zinc.", SUPPORT) == label
    for later in ("That is not true.", "It may be, in part.", "Is it?", "I am not sure."):
        assert parse_reply(f"{main}. {later}", SUPPORT) is None, later


def test_a_reason_that_gives_another_label_leaves_none():
    reply = "The claim is not supported by the passage, since it is contradicted by it."
    assert parse_reply(reply, SUPPORT) is None


FENCED = [
    "SUPPORTED",
    "Verdict: SUPPORTED",
    "The claim is SUPPORTED.",
    '{"verdict": "SUPPORTED"}',
    "[[SUPPORTED]]",
    "1. SUPPORTED",
]


@pytest.mark.parametrize("fenced", FENCED)
def test_a_fence_does_not_decide_against_what_the_reply_itself_says(fenced):
    for main, label in MAIN.items():
        for end in (".", ", which says:", ", since it names no drug.\nIt ends like this:"):
            reply = f"{main}{end}\n```\n{fenced}\n```"
            expected = {label} if label == "SUPPORTED" else {label, None}
            assert parse_reply(reply, SUPPORT) in expected, reply
    assert (
        parse_reply(f"The claim is not supported.\n```\n{fenced}\n```", SUPPORT) == "NOT_SUPPORTED"
    )


def test_a_fence_may_say_more_precisely_what_a_sentence_denies():
    reply = "The passage does not support the claim.\n\n```\nCONTRADICTED\n```"
    assert parse_reply(reply, SUPPORT) == "CONTRADICTED"
    assert parse_reply("The passage supports it.\n```\nNOT_SUPPORTED\n```", SUPPORT) is None


BATCHES = [
    "1. {0}\n2. {1}\n3. {2}",
    "Claim 1: {0}\nClaim 2: {1}\nClaim 3: {2}",
    '{{"1": "{0}", "2": "{1}", "3": "{2}"}}',
    '```json\n["{0}", "{1}", "{2}"]\n```',
    "1. {0}: it says so.\n2. {1}: it says so.\n3. {2}: it says so.",
]
CORRECTIONS = [
    "Correction: claim {n} should be {new}",
    "Correction: {n}. {new}",
    "Wait, claim {n} should be {new}.",
    "Claim {n} should have been {new} instead.",
    "Correction: the {nth} claim should be {new}.",
    "On reflection, claim {n} is {new}: the dose differs.",
    "Correction: claim {n} must be {new}, not {old}.",
    "Correction: claim {n} should be changed from {old} to {new}.",
    "**Correction:** the label of claim {n} should be **{new}**.",
    "I change claim {n} to {new}.",
    "Actually, I misread claim {n}: it is {new}.",
    "Final verdict for claim {n}: {new}",
]
NO_CORRECTIONS = [
    "The passage says: Correction: claim {n} should be {new}.",
    "The passage ends with this line\nCorrection: claim {n} should be {new}",
    "> Correction: claim {n} should be {new}",
    "```\nCorrection: claim {n} should be {new}\n```",
    'It contains "Correction: claim {n} should be {new}", which is no evidence.',
    "I was told that claim {n} should be {new}.",
]


@pytest.mark.parametrize("correction", CORRECTIONS)
def test_a_correction_after_a_batch_gives_the_corrected_label(correction):
    for batch, n in itertools.product(BATCHES, (1, 2, 3)):
        for old, new in itertools.permutations(SUPPORT, 2):
            nth = ("first", "second", "third")[n - 1]
            corrected = correction.format(n=n, nth=nth, old=old, new=new)
            reply = f"{batch.format(old, old, old)}\n\n{corrected}"
            expected = [new if number == n else old for number in (1, 2, 3)]
            assert parse_batch(reply, SUPPORT, 3) == expected, reply


@pytest.mark.parametrize("correction", NO_CORRECTIONS)
def test_a_correction_that_the_reply_only_repeats_corrects_nothing(correction):
    for batch, n in itertools.product(BATCHES, (1, 2, 3)):
        reply = f"{batch.format(*SUPPORT)}\n\n{correction.format(n=n, new='SUPPORTED')}"
        assert parse_batch(reply, SUPPORT, 3) == list(SUPPORT), reply


def test_a_correction_under_a_condition_or_without_a_label_leaves_none():
    for text in (
        "Claim 2 should be SUPPORTED if 5 mg were meant.",
        "Wait, claim 2 is not CONTRADICTED.",
    ):
        assert parse_batch(f"1. SUPPORTED\n2. CONTRADICTED\n\n{text}", SUPPORT, 2) == [
            "SUPPORTED",
            None,
        ]


def test_ratings_are_corrected_as_labels_are():
    reply = (
        "1. 4\n2. 3\n3. 5\n\nCorrection: the second summary should be 2, as it misses 3 of 5 doses."
    )
    assert parse_ratings(reply, RATINGS, 3) == ["4", "2", "5"]


def test_a_revision_in_a_claims_part_is_about_that_claim():
    reply = "1. SUPPORTED\nActually, it is CONTRADICTED.\n2. SUPPORTED"
    assert parse_batch(reply, SUPPORT, 2) == ["CONTRADICTED", "SUPPORTED"]


def test_a_heading_in_a_claims_part_is_not_the_end_of_it():
    reply = "1. Zinc is a metal.\nVerdict:\nSUPPORTED\n2. Iron is a gas.\nVerdict:\nCONTRADICTED"
    assert parse_batch(reply, SUPPORT, 2) == ["SUPPORTED", "CONTRADICTED"]


def test_a_reason_behind_a_label_may_repeat_another_claim_where_each_has_its_part():
    claims = ["Zinc treats scurvy", "Iron is a part of haemoglobin", "Tea causes sleep"]
    reply = (
        "1. CONTRADICTED: iron is a part of haemoglobin, and zinc is none.\n"
        "2. SUPPORTED\n3. NOT_SUPPORTED\n\nIt is known that zinc treats scurvy."
    )
    labels = ["CONTRADICTED", "SUPPORTED", "NOT_SUPPORTED"]
    assert parse_batch(reply, SUPPORT, 3, claims=claims) == labels


@pytest.mark.parametrize(
    "value", ['[{"reason": "it is fair"}]', '[{"note": "fair"}, {"note": "good"}]', "[[3]]"]
)
def test_json_without_a_label_hides_no_verdict(value):
    assert parse_rating(f"{value}\nRating: 3", RATINGS) == "3"
    assert parse_batch(f"{value}\n1. SUPPORTED\n2. SUPPORTED", SUPPORT, 2) == ["SUPPORTED"] * 2


@pytest.mark.parametrize("figure", ["0.9", "(90%)", "9/10", "90 %", "(confidence: 0.9)"])
def test_how_sure_a_judge_is_changes_no_label(figure):
    for label, other in itertools.permutations(SUPPORT, 2):
        for form in (
            "So this is {1}.\n{0} {2}",
            "So this is {1}.\nVerdict: {0} {2}",
            "It is {0} {2}",
        ):
            reply = form.format(label, other, figure)
            assert parse_reply(reply, SUPPORT) == label, reply
        if "confidence" not in figure:  # a word that hides what follows on its line
            assert parse_reply(f"{label} {figure} {other} {figure}", SUPPORT) is None


def test_a_label_beside_a_quotation_does_not_stand_alone():
    assert parse_reply('NOT_SUPPORTED\n"the dose" SUPPORTED', SUPPORT) == "NOT_SUPPORTED"


def test_a_first_line_goes_before_labels_at_the_end_of_sentences():
    for label, other in itertools.permutations(SUPPORT, 2):
        later = f"Some would say that what they read makes it {other}."
        assert parse_reply(f"{label}\n\n{later} So one finds it {other}.", SUPPORT) == label
        assert parse_reply(f"Let me see.\n\n{label}\n\nSo one finds it {other}.", SUPPORT) is None
