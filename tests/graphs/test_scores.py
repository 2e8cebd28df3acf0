from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factmark.errors import InputError
from factmark.graphs.core.claims import Triple
from factmark.graphs.core.published import GRAPHS
from factmark.graphs.core.scores import TripleVerdict, fact_score, fact_scores, validities, validity

S, C, N = "SUPPORTED", "CONTRADICTED", "NOT_SUPPORTED"


def row(label, name="h", tail="t", status="ok", **more):
    return TripleVerdict(triple=(name, "r", tail), cluster=name, relation="r", status=status,
                  label=label if status == "ok" else None, **more)  # fmt: skip


def rows(**counts):
    return [row(label, f"h{i % 7}", f"t{i}")
            for label, count in counts.items() for i in range(count)]  # fmt: skip


def test_worked_by_hand():
    score = fact_score(rows(SUPPORTED=6, CONTRADICTED=1, NOT_SUPPORTED=3))
    assert score.score == score.precision == score.estimate.value == 0.6
    assert score.recall == pytest.approx(6 / 9)
    assert score.f1 == pytest.approx(2 * 0.6 * (6 / 9) / (0.6 + 6 / 9))
    assert (score.total_facts, score.correct_facts, score.incorrect_facts) == (10, 6, 4)
    assert score.reasons == {}
    valid = validity(rows(YES=5, MAYBE=2, NO=3))
    assert (valid.score, valid.strict_score) == (0.6, 0.5)
    assert (valid.valid_relations, valid.invalid_relations, valid.total_relations) == (5, 3, 10)
    assert valid.by_label == {"YES": 5, "MAYBE": 2, "NO": 3}


def test_what_is_undefined_is_none_and_says_why():
    empty = fact_scores([]).pairs
    assert (empty.score, empty.recall, empty.f1) == (None, None, None)
    assert empty.reasons["score"] == "no units"
    assert validity([]).strict_score is None
    wrong = fact_score(rows(NOT_SUPPORTED=3))
    assert (wrong.score, wrong.recall, wrong.f1) == (0.0, 0.0, None)
    assert "both 0" in wrong.reasons["f1"]
    assert fact_score(rows(CONTRADICTED=2)).recall is None
    few = fact_score([*rows(SUPPORTED=1), row(None, status="undecided")], least=0.8)
    assert (few.score, few.estimate.value, few.estimate.worst) == (None, None, 0.5)


def test_what_is_missing_stands_apart_and_bounds():
    lost = [row(None, status=status) for status in ("unparsed", "refused", "failed", "failed")]
    score = fact_score([*rows(SUPPORTED=2, NOT_SUPPORTED=2), *lost])
    assert (score.score, score.total_facts) == (0.5, 4)
    assert (score.missing.unparsed, score.missing.refused, score.missing.failed) == (1, 1, 2)
    assert (score.estimate.worst, score.estimate.best) == (2 / 8, 6 / 8)
    judged = TripleVerdict.of(Triple(head="A", relation="Has Part", tail="b"), None)
    assert (judged.status, judged.relation, judged.cluster) == ("unparsed", "has_part", "a")


def test_a_triple_is_supported_if_one_passage_supports_it():
    pairs = [
        row(N, "a"), row(S, "a", head_type="Drug"),
        row(N, "b"), row(C, "b"),
        row(N, "c"), row(None, "c", status="failed"),
        row(None, "d", status="failed"), row(S, "d"),
    ]  # fmt: skip
    scores = fact_scores(pairs)
    assert scores.pairs.total_facts == 6
    assert scores.unique.by_label == {S: 2, C: 1, N: 0}
    assert scores.unique.missing.failed == 1
    assert list(scores.by_relation) == ["r"]
    assert scores.by_head_type["Drug"].score == 1


def test_a_triple_judged_often_takes_its_commonest_label_and_the_lower_of_ties():
    drawn = [("YES", "a"), ("YES", "a"), ("NO", "a"), ("YES", "b"), ("NO", "b")]
    judged = [row(label, name) for label, name in drawn]
    both = validities([*judged, row(None, "b", status="unparsed")])
    assert (both.unique.yes_count, both.unique.no_count) == (1, 1)
    assert (both.pairs.missing.unparsed, both.unique.missing.total) == (1, 0)


def test_a_label_of_another_scale_is_an_error():
    with pytest.raises(InputError, match="YES"):
        fact_score([row("YES")])


@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from([S, C, N, None])), max_size=30))
def test_counts_always_add_up(drawn):
    pairs = [row(label, name, status="ok" if label else "unparsed") for name, label in drawn]
    score = fact_score(pairs)
    assert score.total_facts + score.missing.total == len(pairs)
    assert score.correct_facts + score.incorrect_facts == score.total_facts
    if score.score is not None:
        estimate = score.estimate
        assert 0 <= estimate.low <= score.score <= estimate.high <= 1
        assert estimate.worst <= score.score <= estimate.best


@pytest.mark.parametrize("graph", GRAPHS, ids=lambda graph: graph.name)
def test_the_published_figures_follow_from_counts(graph):
    shares = (graph.yes, graph.maybe, graph.no)
    yes, maybe, no = (round(graph.pairs * share / 100) for share in shares)
    assert tuple(round(100 * n / graph.pairs, 1) for n in (yes, maybe, no)) == shares
    missing = round(100 * (graph.pairs - yes - maybe - no) / graph.pairs, 1)
    assert missing == graph.missing_share > 1
