"""The readers of replies on their cases, on held-out replies, and on anything at all."""

import json
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from factmark.graph_answers.core.rubrics import VERIFY
from factmark.replies import (
    ABSTAIN,
    abstains,
    parse_batch,
    parse_choice,
    parse_rating,
    parse_ratings,
    parse_reply,
    refuses,
)
from factmark.replies.label_of_reply import beginning_and_end
from factmark.replies.loose_json import read_json
from factmark.replies.plain import normalise
from replies import cases

LABELS = {
    "support": ("SUPPORTED", "CONTRADICTED", "NOT_SUPPORTED"),
    "validity": ("YES", "MAYBE", "NO"),
    "correct": ("CORRECT", "INCORRECT"),
}
SUPPORT = LABELS["support"]
RATINGS = tuple("012345")
RATING_WORDS = ("zero", "one", "two", "three", "four", "five")
HELD_OUT = Path(__file__).parents[1] / "data" / "judge_replies.jsonl"


@pytest.mark.parametrize(
    ("read_reply", "pairs"),
    [
        (lambda reply: parse_reply(reply, SUPPORT), cases.SUPPORT + cases.CLOSED_FORMS),
        (lambda reply: parse_reply(reply, SUPPORT[::-1]), cases.SUPPORT),
        (lambda reply: parse_reply(reply, LABELS["validity"]), cases.VALIDITY),
        (lambda reply: parse_reply(reply, LABELS["correct"]), cases.CORRECTNESS),
        (parse_choice, cases.CHOICE),
        (lambda reply: parse_rating(reply, RATINGS), cases.RATINGS),
        (lambda reply: parse_reply(reply, SUPPORT), [(text, None) for text in cases.NOT_READ]),
        (
            lambda reply: parse_reply(reply, SUPPORT, cut=True),
            [(text, None) for text, _ in cases.CLOSED_FORMS],
        ),
    ],
    ids="support reversed validity correct choice rating not-read cut".split(),
)
def test_each_case_is_read_as_its_one_label(read_reply, pairs):
    told = {reply: read_reply(reply) for reply, _ in pairs}
    assert {reply: (gold, told[reply]) for reply, gold in pairs if told[reply] != gold} == {}


def test_each_batch_is_read_as_a_label_a_claim():
    told = [(reply, gold, parse_batch(reply, SUPPORT, n)) for reply, n, gold in cases.BATCH]
    told += [
        (reply, gold, parse_ratings(reply, RATINGS, len(gold)))
        for reply, gold in cases.RATINGS_BATCH
    ]
    assert [case for case in told if case[1] != case[2]] == []


def test_nearly_all_held_out_replies_are_read_and_hardly_any_wrongly():
    records = [json.loads(line) for line in HELD_OUT.read_text("utf-8").splitlines()]
    right = wrong = 0
    for record in records:
        scale, reply = record["scale"], record["reply"]
        if scale == "choice":
            label = parse_choice(reply)
        elif scale == "support_batch":
            label = parse_batch(reply, SUPPORT, record["n"])
        else:
            label = parse_reply(reply, LABELS[scale])
        right += label == record["gold"]
        gold = record["gold"] if isinstance(label, list) else [record["gold"]]
        labels = label if isinstance(label, list) else [label]
        wrong += any(read not in (None, own) for read, own in zip(labels, gold, strict=True))
    assert len(records) >= 150
    assert right / len(records) >= 0.97
    assert wrong / len(records) <= 0.005


@pytest.mark.parametrize(
    ("reply", "labels", "gold"),
    [
        ("The verdict is fully supported.", ["fully supported", "no"], "fully supported"),
        ("PARTIALLY SUPPORTED", ["SUPPORTED", "PARTIALLY_SUPPORTED"], "PARTIALLY_SUPPORTED"),
        ("supported", ["SUPPORTED", "PARTIALLY_SUPPORTED"], "SUPPORTED"),
        ("no-evidence", ["evidence", "no evidence"], "no evidence"),
        ("Refuted.", ["entailed", "refuted", "not enough info"], "refuted"),
        ("unsupported", ["SUPPORTED", "REFUTED"], None),
        ("判定：不支持", ["支持", "不支持"], "不支持"),
        ("2", ["1", "2", "3"], "2"),
        ("anything", [], None),
        ("", [""], None),
        ("YES", ["yes", "YES"], None),
    ],
)
def test_labels_of_any_words_are_read(reply, labels, gold):
    assert parse_reply(reply, labels) == gold


PIECES = """YES NO A B supported not Verdict: final wait, { } [ ] " ' ` <think> </think> 1. 2: | 0 5
3.5 4/5 out of 5 Rating: four ``` > \\boxed{ claim if or says all 1-3 {"rating": 4} 1e999
\ue003 \ue000 : ½ ④""".split()
pieces = st.sampled_from([*SUPPORT, "the passage says", "\n", *PIECES])
replies = st.lists(pieces | st.text(max_size=8), max_size=25).map(" ".join) | st.text()


@given(replies, st.integers(-2, 9))
@settings(max_examples=120, deadline=None)
def test_only_what_is_offered_and_only_what_stands_there(reply, n):
    assert parse_reply(reply, SUPPORT) in {None, *SUPPORT}
    assert parse_choice(reply) in {None, "A", "B", "C", "D", ABSTAIN}
    assert len(parse_batch(reply, SUPPORT, n)) == len(parse_ratings(reply, RATINGS, n)) == max(n, 0)
    assert set(parse_batch(reply, ["ab", "not a b"], 3)) <= {None, "ab", "not a b"}
    text = normalise(reply).casefold()
    for label in (parse_rating(reply, RATINGS), *parse_ratings(reply, RATINGS, 3)):
        assert label is None or label in text or RATING_WORDS[int(label)] in text


@given(st.lists(st.sampled_from(RATINGS), min_size=2, max_size=12))
@settings(max_examples=30)
def test_numbers_of_units_are_never_ratings(ratings):
    for line in ("{0}. {1}", "{0}) **{1}**", "Summary {0}: {1}/5", "({0}) {1}", "{0} - {1}"):
        reply = "\n".join(line.format(at, rating) for at, rating in enumerate(ratings, 1))
        assert parse_ratings(reply, RATINGS, len(ratings)) == ratings
    numbers = {str(at): int(rating) for at, rating in enumerate(ratings, 1)}
    assert parse_ratings(json.dumps(numbers), RATINGS, len(ratings)) == ratings


@pytest.mark.parametrize(
    "wrap", ["  {} ", "\n\n{}\n", "**{}**", "# {}", "- {}", "`{}`", "> {}", "{}."]
)
def test_white_space_and_markup_around_a_label_change_nothing(wrap):
    for labels in LABELS.values():
        for label in labels:
            assert parse_reply(wrap.format(label), labels) == label
            assert parse_reply(wrap.format(label.lower()), labels) == label


@pytest.mark.parametrize(
    "reply",
    [
        "The statement in the answer is medically correct, but it does not match the reference.",
        "The answer's first half is correct; the rest is wrong.",
        "To be correct, the answer must name insulin. It names metformin.",
        "The answer asserts: my verdict is CORRECT",
        "The reference answer is correct.",
        "The claim is incorrect only in its spelling; it names the same drug.",
        "What the answer says about thirst is correct. It omits polyuria, the main point.",
        "The reference is insulin, which is correct. The answer names metformin.",
        "The answer is correct. However, the reference names another drug.",
        "The answer is correct as far as it goes.",
        "Correct spelling, other drug.",
        "Metformin is correct for type 2 diabetes.",
    ],
)
def test_an_adjective_in_passing_is_no_verdict(reply):
    assert VERIFY.parse(reply) == [None]
    assert VERIFY.parse(f"{reply}\n\nINCORRECT") == ["INCORRECT"]


@pytest.mark.parametrize(
    ("reply", "label", "cut_off"),
    [
        ("The answer is correct.", "CORRECT", None),
        ("I judge the answer to be incorrect.", "INCORRECT", None),
        ("The model's answer is incorrect because it names insulin.", "INCORRECT", None),
        ("Based on the reference, the answer is correct.", "CORRECT", None),
        ("CORRECT. The answer names metf", "CORRECT", "CORRECT"),
        ("The answer names another drug, so it is INCORRECT. Mor", "INCORRECT", "INCORRECT"),
        ('{"verdict": "INCORRECT", "reason": "the answer na', "INCORRECT", "INCORRECT"),
        ("", None, None),
    ],
)
def test_prose_counts_unless_it_was_cut_off(reply, label, cut_off):
    assert VERIFY.parse(reply) == [label]
    assert VERIFY.parse(reply, cut=True) == [cut_off]


@pytest.mark.parametrize(
    "end",
    [
        " in principle.",
        ", provided that the cohort is the same.",
        " until 2010.",
        "? It is hard to say.",
        ". Then again, it speaks of mice.",
        ". Or is it?",
    ],
)
def test_what_limits_prose_or_takes_it_back_leaves_no_label(end):
    assert parse_reply(f"The claim is supported{end}", SUPPORT) is None
    assert parse_reply(f"The passage supports the claim{end}", SUPPORT) is None


@pytest.mark.parametrize(
    "reply",
    [
        "Head: YES\nTail: NO",
        "- Domain fits: Yes\n- Range fits: Yes",
        "Is the head a process? No.\nIs the tail a process? No.",
        "Sentence 1: YES\nSentence 2: NO\nSentence 3: YES",
    ],
)
def test_a_list_of_criteria_is_no_verdict(reply):
    assert parse_reply(reply, LABELS["validity"]) is None
    assert parse_reply(f"{reply}\nVerdict: NO", LABELS["validity"]) == "NO"


@pytest.mark.parametrize(
    ("reply", "declines"),
    [
        ("I'm sorry, but I can't help with that.", True),
        ("As an AI language model, I am unable to verify this.", True),
        ("<think>This is odd.</think>\nI'm not able to provide an answer to this.", True),
        ("I cannot find it in the passage.", False),
        ("I can't tell.", False),
        ("", False),
    ],
)
def test_a_reply_that_declines_is_told_from_one_that_cannot_tell(reply, declines):
    assert refuses(reply) == declines
    assert parse_reply(reply, SUPPORT) is None


def test_json_within_a_box_that_is_left_open_is_read():
    reply = '\\boxed{D. I would go with C {"verdict": "SUPPORTED"}'
    assert parse_reply(reply, SUPPORT) == "SUPPORTED"
    assert parse_choice(reply) in {"C", "D", None}


def test_numbers_of_json_that_are_too_large_are_words():
    assert read_json("{1e999: [1e999, 2]}", 0)[0].items == [("1e999", ["1e999", 2.0])]
    assert parse_batch('[{"id": 1e999, "label": "SUPPORTED"}]', SUPPORT, 1) == ["SUPPORTED"]


@pytest.mark.parametrize(
    ("read_reply", "piece"),
    [
        *((lambda text: parse_reply(text, SUPPORT), p) for p in ("SUPPORTED ", "{", "'a ", "1. ")),
        *((lambda text: parse_batch(text, SUPPORT, 3), p) for p in ("</think>", "```\n", '"')),
        *((lambda text: parse_rating(text, RATINGS), p) for p in ("4 ", "claim 1: ", "4, 4/5 x")),
        *((lambda text: parse_ratings(text, RATINGS, 3), p) for p in ("claim 1: ", "3 or ")),
        (lambda text: parse_choice(text, 5), "B "),
        (lambda text: VERIFY.parse(text), "the answer is correct "),
        (lambda text: parse_reply(text[:100_000], SUPPORT, given=(text[:100_000],)), "a "),
        (abstains, "of the "),
    ],
)
def test_a_long_reply_takes_bounded_time(read_reply, piece):
    text = piece * (300_000 // len(piece))
    start = time.process_time()
    read_reply(text)
    assert time.process_time() - start < 20  # tenths on a quiet core; a quadratic one takes minutes


def test_two_sentences_of_which_the_later_denies_the_label_leave_none():
    assert parse_reply("It is supported, but rather contradicted.", SUPPORT) is None


def test_of_a_long_reply_only_the_middle_is_left_out():
    kept = "a\n" * 7
    assert beginning_and_end(kept, 7) == kept, "twice the limit is whole"
    text = "start of it\n" + "b\n" * 20 + "the end"
    short = beginning_and_end(text, 20)
    assert len(short) <= 2 * 20 + 2
    assert short.startswith("start of it")
    assert short.endswith("the end")
