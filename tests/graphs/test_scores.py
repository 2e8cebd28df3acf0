from __future__ import annotations

from operator import itemgetter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factmark.errors import InputError
from factmark.graphs.core.scores import LEAST_DECIDED
from factmark.graphs.published import missing_share, published_figures
from triple_verdicts import TripleVerdict, scores_of

S, C, N = "SUPPORTED", "CONTRADICTED", "NOT_SUPPORTED"


def row(label, name="h", tail="t", status="ok", **more):
    return TripleVerdict(
        triple=(name, "r", tail),
        cluster=name,
        relation="r",
        status=status,
        label=label if status == "ok" else None,
        **more,
    )


def rows(**counts):
    return [
        row(label, f"h{i % 7}", f"t{i}") for label, count in counts.items() for i in range(count)
    ]


def score(measure, pairs, **more):
    """The score over the pairs, and its published fields."""
    scores = scores_of(measure, pairs, **more)
    return scores.pairs, scores.pairs.as_json()


def test_worked_by_hand():
    support, fields = score("factscore", rows(SUPPORTED=6, CONTRADICTED=1, NOT_SUPPORTED=3))
    assert fields["score"] == fields["precision"] == support.estimate.value == 0.6
    assert fields["recall"] == pytest.approx(6 / 9)
    assert fields["f1"] == pytest.approx(2 * 0.6 * (6 / 9) / (0.6 + 6 / 9))
    counts = ("total_facts", "correct_facts", "incorrect_facts", "contradicted", "not_supported")
    assert [fields[name] for name in counts] == [10, 6, 4, 1, 3]
    assert fields["reasons"] == {}
    valid, fields = score("validity", rows(YES=5, MAYBE=2, NO=3))
    assert (fields["score"], fields["strict_score"]) == (0.6, 0.5)
    counts = ("valid_relations", "invalid_relations", "total_relations", "maybe_count")
    assert [fields[name] for name in counts] == [5, 3, 10, 2]
    assert valid.by_label == {"YES": 5, "MAYBE": 2, "NO": 3}


def test_what_is_undefined_is_none_and_says_why():
    for measure, keys in (("factscore", ("score", "recall", "f1")), ("validity", ("score",))):
        empty = score(measure, [])[1]
        assert [empty[key] for key in keys] == [None] * len(keys)
        assert empty["reasons"]["score"] == "no units"
    wrong = score("factscore", rows(NOT_SUPPORTED=3))[1]
    assert (wrong["score"], wrong["recall"], wrong["f1"]) == (0.0, 0.0, None)
    assert "both 0" in wrong["reasons"]["f1"]
    assert score("factscore", rows(CONTRADICTED=2))[1]["recall"] is None
    pairs = [*rows(SUPPORTED=1), row(None, status="undecided")]
    few = score("factscore", pairs, least=0.8)[0].estimate
    assert (few.value, few.worst) == (None, 0.5)


def test_a_rule_that_decides_four_of_five_has_a_score_and_three_of_four_none():
    for decided, value in ((4, 1.0), (3, None)):
        pairs = [*rows(SUPPORTED=decided), row(None, status="undecided")]
        assert score("factscore", pairs, least=LEAST_DECIDED)[0].estimate.value == value


def test_what_is_missing_stands_apart_and_bounds():
    lost = [row(None, status=status) for status in ("unparsed", "refused", "failed", "failed")]
    support, _ = score("factscore", [*rows(SUPPORTED=2, NOT_SUPPORTED=2), *lost])
    assert (support.estimate.value, support.n_labelled) == (0.5, 4)
    assert support.missing == {"undecided": 0, "unparsed": 1, "refused": 1, "failed": 2}
    assert (support.estimate.worst, support.estimate.best) == (2 / 8, 6 / 8)


def test_a_triple_is_supported_if_one_passage_supports_it():
    pairs = [
        row(N, "a"),
        row(S, "a", head_type="Drug"),
        row(N, "b"),
        row(C, "b"),
        row(N, "c"),
        row(None, "c", status="failed"),
        row(None, "d", status="failed"),
        row(S, "d"),
    ]
    scores = scores_of("factscore", pairs)
    assert scores.main.n_labelled == 6
    assert scores.unique.by_label == {S: 2, C: 1, N: 0}
    assert scores.unique.missing["failed"] == 1
    assert list(scores.by_relation) == ["r"]
    assert scores.by_head_type["Drug"].estimate.value == 1


def test_a_triple_judged_often_takes_its_commonest_label_and_the_lower_of_ties():
    drawn = [("YES", "a"), ("YES", "a"), ("NO", "a"), ("YES", "b"), ("NO", "b")]
    judged = [row(label, name) for label, name in drawn]
    both = scores_of("validity", [*judged, row(None, "b", status="unparsed")])
    assert both.main.by_label == {"YES": 1, "MAYBE": 0, "NO": 1}
    assert (both.pairs.missing["unparsed"], both.unique.n_missing) == (1, 0)


@pytest.mark.parametrize(("measure", "label"), [("factscore", "YES"), ("validity", S)])
def test_a_label_of_another_scale_is_an_error(measure, label):
    with pytest.raises(InputError, match=label):
        scores_of(measure, [row(label)])


@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from([S, C, N, None])), max_size=30))
def test_counts_always_add_up(drawn):
    pairs = [row(label, name, status="ok" if label else "unparsed") for name, label in drawn]
    support, fields = score("factscore", pairs)
    assert support.n_labelled + support.n_missing == len(pairs)
    assert fields["correct_facts"] + fields["incorrect_facts"] == fields["total_facts"]
    estimate = support.estimate
    if estimate.value is not None:
        assert 0 <= estimate.low <= estimate.value <= estimate.high <= 1
        assert estimate.worst <= estimate.value <= estimate.best


@pytest.mark.parametrize("graph", published_figures("graphs"), ids=itemgetter("name"))
def test_the_published_figures_follow_from_counts(graph):
    pairs, *shares = itemgetter("pairs", "yes", "maybe", "no")(graph)
    counts = [round(pairs * share / 100) for share in shares]
    assert [round(100 * n / pairs, 1) for n in counts] == shares
    assert round(100 * (pairs - sum(counts)) / pairs, 1) == missing_share(graph) > 1


@pytest.mark.parametrize(
    ("labels", "label"),
    [
        ((N, S, C), S),
        ((C, N), C),
        ((N, C), C),
        ((N, N), N),
        ((C, None, N), None),
        ((None, N), None),
        ((None, S), S),
    ],
)
def test_a_triple_is_what_its_best_passage_says(labels, label):
    """One that supports it decides; a passage without a label might; then a contradiction."""
    pairs = [row(one, status="undecided" if one is None else "ok") for one in labels]
    for order in (pairs, pairs[::-1]):
        unique = scores_of("factscore", order).unique
        counts = {name: count for name, count in unique.by_label.items() if count}
        assert counts == ({} if label is None else {label: 1})
        assert unique.n_missing == (label is None)


def test_f1_is_none_and_says_so_where_only_one_of_the_two_is_defined():
    score_alone = score("factscore", rows(CONTRADICTED=2))[1]
    assert (score_alone["score"], score_alone["recall"], score_alone["f1"]) == (0.0, None, None)
    assert score_alone["reasons"]["f1"] == "score or recall is undefined"
