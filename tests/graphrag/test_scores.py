"""GraphRAG scores: worked by hand, and identities that hold for any outcomes."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factmark.graphrag.core.outcomes import (
    CORRECT,
    INCORRECT,
    NONE,
    TEXT,
    Context,
    Fact,
    Given,
    Outcome,
)
from factmark.graphrag.core.questions import GraphQuestion
from factmark.graphrag.core.scores import (
    GraphRagScore,
    Unverified,
    graphrag_score,
    graphrag_scores,
    silence,
)
from factmark.graphs.core.claims import Triple

FACT = Fact(number=0, triple=Triple(head="a", relation="r", tail="b"), text="a", score=1.0, hops=1)
SOME = Context(facts=(FACT,))


def question(name: str, **strata: str) -> GraphQuestion:
    return GraphQuestion(id=name, text="?", kind="text", references=("x",), strata=strata)


def outcome(
    name: str,
    label: str | None,
    held: bool | None = None,
    *,
    system: str = "g",
    abstained: bool = False,
    in_graph: bool | None = None,
    status: str = "ok",
    sample: int = 0,
    context: Context | None = SOME,
    reply: str = "so",
    **strata: str,
) -> Outcome:
    return Outcome(
        question=question(name, **strata),
        system=system,
        given=Given(context=context, held=held, in_graph=in_graph),
        sample=sample,
        reply=reply,
        abstained=abstained,
        status=status,  # type: ignore[arg-type]  # one of them, see the tests
        label=label,
    )


C, I = CORRECT, INCORRECT  # noqa: E741 - as in the table below
WORKED = [
    outcome("1", C, True, in_graph=True, topic="a"),
    outcome("2", C, True, in_graph=True, topic="a"),
    outcome("3", C, True, in_graph=True, topic="a"),
    outcome("4", I, True, in_graph=True, topic="a"),
    outcome("5", I, True, in_graph=True, topic="b", abstained=True),
    outcome("6", C, False, in_graph=True, topic="b"),
    outcome("7", I, False, in_graph=False, topic="b", abstained=True),
    outcome("8", I, False, in_graph=False, topic="b", abstained=True),
    outcome("9", I, False, in_graph=None),
    outcome("10", C, None, in_graph=None),
    outcome("11", None, True, in_graph=True, status="unparsed"),
    outcome("12", None, False, in_graph=False, status="failed", reply=""),
]


def test_worked_by_hand() -> None:
    score = graphrag_score(WORKED)
    # 10 of 12 answers have a verdict: 1, 2, 3, 6, 10 are correct.
    assert (score.num_queries, score.answers, score.total) == (12, 12, 10)
    assert score.correct_answers == 5
    assert score.score == score.overall_performance == 5 / 10
    assert score.missing == Unverified(unparsed=1, failed=1)
    assert (score.estimate.worst, score.estimate.best) == (5 / 12, 7 / 12)
    # The context holds the answer to 1-5 and 11, not to 6-9 and 12; of 10 it cannot be told.
    assert score.retrieval_accuracy == pytest.approx(6 / 11)
    assert score.retrieval.n_missing == 1
    assert score.retrieval.worst == pytest.approx(6 / 12)
    assert score.retrieval.best == pytest.approx(7 / 12)
    # Of 1-5, which have a verdict, three are correct; 11 is missing.
    assert score.generation_quality == pytest.approx(3 / 5)
    assert (score.generation.worst, score.generation.best) == (3 / 6, 4 / 6)
    # In the graph: 1-6 and 11, not 7, 8, 12; of 9 and 10 it cannot be told.
    assert score.in_graph.value == pytest.approx(7 / 10)
    assert score.in_graph.n_missing == 2
    # Of 6-9 one is correct; 12 is missing.
    assert score.without.value == pytest.approx(1 / 4)
    assert (score.correct_held, score.correct_without, score.correct_untold) == (3, 1, 1)
    # 5, 7, 8 of the 11 answers that came; 5 although the context holds it.
    assert score.abstention.value == pytest.approx(3 / 11)
    assert score.abstention.n_missing == 1
    assert (score.abstained_right, score.abstained_wrong, score.abstained_untold) == (2, 1, 0)
    assert (score.abstained_overlooked, score.abstained_not_found) == (1, 0)
    assert score.right_abstention.value == pytest.approx(2 / 3)
    # 1-4, 6, 9, 10 answered and have a verdict.
    assert score.answered.value == pytest.approx(5 / 7)
    assert score.reasons == {}


def test_repeats_of_a_question_are_one_cluster() -> None:
    once = [outcome(str(i), C if i % 2 else I, bool(i % 3)) for i in range(12)]
    thrice = [
        outcome(str(i), C if i % 2 else I, bool(i % 3), sample=k)
        for i in range(12)
        for k in range(3)
    ]
    one, three = graphrag_score(once), graphrag_score(thrice)
    assert (three.num_queries, three.answers, three.correct_answers) == (12, 36, 18)
    assert three.score == one.score
    assert three.estimate.n_items == 12
    # Copies of an answer tell nothing new.
    assert three.estimate.low == pytest.approx(one.estimate.low)
    assert three.retrieval.n_units == one.retrieval.n_units == 12
    assert three.retrieval.value == one.retrieval.value


def test_what_is_undefined_is_none_with_its_reason() -> None:
    empty = graphrag_score([])
    assert (empty.score, empty.retrieval_accuracy, empty.generation_quality) == (None, None, None)
    assert empty.reasons["score"] == "no answers"
    assert empty.reasons["generation_quality"] == (
        "no answers whose context holds the reference answer"
    )
    lost = graphrag_score([outcome("1", None, status="left", reply="", context=None)])
    assert lost.reasons["score"] == "none of the 1 answers has a verdict"
    assert (lost.estimate.worst, lost.estimate.best) == (0.0, 1.0)
    assert lost.reasons["retrieval_accuracy"] == "of none of the 1 questions can it be told"
    assert lost.reasons["abstention"] == "none of the 1 answers came"
    assert lost.missing.left == 1


def test_controls_have_no_graph_and_the_model_alone_no_context() -> None:
    none = graphrag_score([outcome("1", C, system=NONE, context=None)])
    assert none.reasons["retrieval_accuracy"] == "the model alone is given nothing"
    assert none.retrieval.n_missing == 0
    assert none.reasons["in_graph"] == "a control has no graph"
    assert none.correct_untold == 1
    text = graphrag_score([outcome("1", C, True, system=TEXT, context=None)])
    assert text.retrieval_accuracy == 1.0
    assert text.in_graph.value is None


def test_a_question_without_a_reference_is_in_no_share_of_what_is_held() -> None:
    # That a context is empty says nothing of a question whose answer could not stand in any.
    nobody = GraphQuestion(id="n", text="?", kind="text", references=(), answerable=False)
    for system in ("g", TEXT):
        asked = [
            replace(
                outcome("n", I, held, system=system, abstained=True, in_graph=told, sample=place),
                question=nobody,
                given=Given(context=context, held=held, in_graph=told),
            )
            for place, (context, held, told) in enumerate(
                [(Context(facts=()), None, False), (SOME, False, False), (SOME, True, False)]
            )
        ]
        score = graphrag_score([*asked, outcome("1", C, True, system=system, in_graph=True)])
        assert (score.retrieval_accuracy, score.retrieval.n_missing) == (1.0, 1)
        assert score.without.n_units == 0
        assert (score.abstained_right, score.abstained_untold) == (3, 0)
        assert score.right_abstention.value == 1.0
    wrong = replace(outcome("n", I, False, in_graph=False), question=nobody)
    assert graphrag_score([wrong]).without.value is None


def silent(held: bool | None, in_graph: bool | None = None, *, system: str = "g") -> Outcome:
    return outcome("1", I, held, in_graph=in_graph, system=system, abstained=True)


@pytest.mark.parametrize(
    ("one", "said"),
    [
        (silent(False, False), "right"),
        (silent(True, False), "right"),  # in the context it means another thing: the file says so
        (silent(None, False), "right"),
        (silent(True, True), "overlooked"),
        (silent(False, True), "not found"),
        (silent(None, True), "wrong"),
        (silent(False, None), None),
        (silent(False, system=TEXT), "right"),
        (silent(True, system=TEXT), "overlooked"),
        (silent(None, system=TEXT), None),
        (silent(None, system=NONE), None),
    ],
)
def test_to_abstain_is_right_where_the_graph_has_no_answer(one: Outcome, said: str | None) -> None:
    assert silence(one) == said
    score = graphrag_score([one])
    wrong = said in ("overlooked", "not found", "wrong")
    assert (score.abstained_right, score.abstained_wrong) == (said == "right", wrong)
    assert (score.abstained_overlooked, score.abstained_not_found, score.abstained_untold) == (
        said == "overlooked", said == "not found", said is None,
    )  # fmt: skip
    assert score.right_abstention.value == (None if said is None else float(said == "right"))


def test_the_model_alone_is_right_to_abstain_where_the_file_says_so() -> None:
    one = silent(None, system=NONE)
    told = replace(one, question=replace(one.question, answerable=False))
    assert silence(told) == "right"
    assert silence(replace(one, question=replace(one.question, answerable=True))) is None


def test_strata() -> None:
    scores = graphrag_scores(WORKED)
    assert list(scores.strata) == ["topic", "kind"]
    assert list(scores.strata["topic"]) == ["", "a", "b"]
    assert scores.strata["topic"]["a"].score == 3 / 4
    assert scores.strata["topic"]["b"].score == 1 / 4
    assert scores.strata["kind"] == {"text": scores.overall}
    assert sum(one.answers for one in scores.strata["topic"].values()) == 12


def test_what_cannot_be_scored_is_an_error() -> None:
    with pytest.raises(ValueError, match="no label of an answer"):
        graphrag_score([outcome("1", "MAYBE")])
    with pytest.raises(ValueError, match=r"one system: \['g', 'h'\]"):
        graphrag_score([outcome("1", C), outcome("2", C, system="h")])


OUTCOMES = st.lists(
    st.tuples(
        st.integers(0, 8),
        st.sampled_from([(C, "ok"), (I, "ok"), (None, "unparsed"), (None, "left")]),
        st.sampled_from([True, False, None]),
        st.booleans(),
    ),
    max_size=30,
).map(
    lambda rows: [
        outcome(str(name), label, held, status=status, abstained=silent, sample=place)
        for place, (name, (label, status), held, silent) in enumerate(rows)
    ]
)


def shares(score: GraphRagScore) -> list:  # type: ignore[type-arg]
    return [
        score.estimate, score.retrieval, score.generation, score.in_graph, score.without,
        score.answered, score.abstention, score.right_abstention,
    ]  # fmt: skip


@given(OUTCOMES)
def test_correct_answers_are_those_with_and_without_the_context(some: list[Outcome]) -> None:
    score = graphrag_score(some)
    held = (score.generation.value or 0) * score.generation.n_units
    without = (score.without.value or 0) * score.without.n_units
    assert held == pytest.approx(score.correct_held)
    assert without == pytest.approx(score.correct_without)
    total = held + without + score.correct_untold
    assert (score.score or 0) * score.total == pytest.approx(total) == score.correct_answers
    silent = score.abstained_right + score.abstained_wrong + score.abstained_untold
    assert silent == sum(one.abstained for one in some)
    assert score.total + score.missing.total == score.answers == len(some)


@given(OUTCOMES)
def test_every_share_lies_in_its_interval_and_its_bounds(some: list[Outcome]) -> None:
    for made in shares(graphrag_score(some)):
        if made.value is None:
            assert made.n_units == 0
            continue
        assert 0 <= made.low <= made.value <= made.high <= 1
        assert made.worst <= made.value + 1e-12
        assert made.value <= made.best + 1e-12
