"""GraphRAG scores: worked by hand, identities for any answers, graphs against controls."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factmark.graph_answers.comparison_tables import correction_tables
from factmark.graph_answers.core.records import (
    CORRECT,
    INCORRECT,
    NONE,
    TEXT,
    Given,
    GraphAnswer,
    GraphContext,
    GraphQuestion,
)
from factmark.graph_answers.core.scores import (
    GraphRagScore,
    Unverified,
    graphrag_score,
    kind_of_abstention,
)
from factmark.graph_answers.results import corrected_score, paired_units
from later import later
from sample_graphrag import summarised

stats = later("scipy.stats")


SOME = GraphContext(facts=())


def answer(
    name: str,
    label: str | None,
    held: bool | None = None,
    *,
    named: bool | None = None,
    reachable: bool | None = None,
    context: GraphContext | None = SOME,
    topic: str = "",
    **fields: Any,
) -> GraphAnswer:
    strata = {"topic": topic} if topic else {}
    return GraphAnswer(
        question=GraphQuestion(id=name, text="?", kind="text", references=("x",), strata=strata),
        given=Given(context=context, held=held, held_by="words", named=named, reachable=reachable),
        label=label,
        **{"system": "g", "reply": "so", **fields},
    )


C, I = CORRECT, INCORRECT  # noqa: E741 - as in the table below
WORKED = [
    answer("1", C, True, named=True, reachable=True, topic="a"),
    answer("2", C, True, named=True, topic="a"),
    answer("3", C, True, named=True, topic="a"),
    answer("4", I, True, named=True, topic="a"),
    answer("5", I, True, named=True, topic="b", abstained=True),
    answer("6", C, False, named=True, reachable=False, topic="b"),
    answer("7", I, False, named=False, topic="b", abstained=True),
    answer("8", I, False, named=False, topic="b", abstained=True),
    answer("9", I, False, named=None),
    answer("10", C, None, named=None),
    answer("11", None, True, named=True, status="unparsed"),
    answer("12", None, False, named=False, status="failed", reply=""),
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
    assert score.named.value == pytest.approx(7 / 10)
    assert score.named.n_missing == 2
    # Of 1 and 6 that is known of reaching them, one can be reached.
    assert (score.reachable.value, score.reachable.n_missing) == (1 / 2, 10)
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
    once = [answer(str(i), C if i % 2 else I, bool(i % 3)) for i in range(12)]
    one = graphrag_score(once)
    three = graphrag_score([replace(each, sample=k) for each in once for k in range(3)])
    assert (three.num_queries, three.answers, three.correct_answers) == (12, 36, 18)
    assert three.score == one.score
    # Copies of an answer tell nothing new.
    assert three.estimate.n_items == 12
    assert three.estimate.low == pytest.approx(one.estimate.low)
    assert three.retrieval.n_units == one.retrieval.n_units == 12


def test_what_is_undefined_is_none_with_its_reason() -> None:
    empty = graphrag_score([])
    assert (empty.score, empty.retrieval_accuracy, empty.generation_quality) == (None, None, None)
    assert empty.reasons["score"] == "no answers"
    lost = graphrag_score([answer("1", None, status="left", reply="", context=None)])
    assert "none of the 1 answers" in lost.reasons["score"]
    assert (lost.estimate.worst, lost.estimate.best) == (0.0, 1.0)
    assert lost.missing.left == 1
    none = graphrag_score([answer("1", C, system=NONE, context=None)])
    assert "given nothing" in none.reasons["retrieval_accuracy"]
    assert none.reasons["named"] == "a control has no graph"
    assert (none.retrieval.n_missing, none.correct_untold) == (0, 1)
    text = graphrag_score([answer("1", C, True, system=TEXT, context=None)])
    assert (text.retrieval_accuracy, text.named.value) == (1.0, None)


@pytest.mark.parametrize("system", ["g", TEXT])
def test_a_question_without_a_reference_is_in_no_share_of_what_is_held(system: str) -> None:
    nobody = GraphQuestion(id="n", text="?", kind="text", references=(), answerable=False)
    cases = [(None, False), (False, False), (True, False)]
    asked = [
        replace(
            answer("n", I, held, system=system, abstained=True, named=there, sample=place),
            question=nobody,
        )
        for place, (held, there) in enumerate(cases)
    ]
    score = graphrag_score([*asked, answer("1", C, True, system=system, named=True)])
    assert (score.retrieval_accuracy, score.retrieval.n_missing) == (1.0, 1)
    assert score.without.n_units == 0
    assert (score.abstained_right, score.abstained_untold) == (3, 0)
    assert score.right_abstention.value == 1.0


@pytest.mark.parametrize(
    ("held", "named", "system", "kind"),
    [
        (False, False, "g", "right"),
        (True, False, "g", "right"),  # in the context it means another thing: the file says so
        (None, False, "g", "right"),
        (True, True, "g", "overlooked"),
        (False, True, "g", "not found"),
        (None, True, "g", "wrong"),
        (False, None, "g", None),
        (False, None, TEXT, "right"),
        (True, None, TEXT, "overlooked"),
        (None, None, TEXT, None),
        (None, None, NONE, None),
    ],
)
def test_to_abstain_is_right_where_the_graph_has_no_answer(
    held: bool | None, named: bool | None, system: str, kind: str | None
) -> None:
    silent = answer("1", I, held, named=named, system=system, abstained=True)
    assert kind_of_abstention(silent) == kind
    score = graphrag_score([silent])
    assert (score.abstained_right, score.abstained_wrong, score.abstained_untold) == (
        kind == "right",
        kind in ("overlooked", "not found", "wrong"),
        kind is None,
    )
    assert score.right_abstention.value == (None if kind is None else float(kind == "right"))
    if system == NONE:
        for known, then in ((False, "right"), (True, None)):
            asked = replace(silent.question, answerable=known)
            assert kind_of_abstention(replace(silent, question=asked)) == then


ANSWERS = st.lists(
    st.tuples(
        st.integers(0, 8),
        st.sampled_from([(C, "ok"), (I, "ok"), (None, "unparsed"), (None, "left")]),
        st.sampled_from([True, False, None]),
        st.booleans(),
    ),
    max_size=30,
).map(
    lambda rows: [
        answer(str(name), label, held, status=status, abstained=silent, sample=place)
        for place, (name, (label, status), held, silent) in enumerate(rows)
    ]
)


def shares(score: GraphRagScore) -> list:  # type: ignore[type-arg]
    return [
        score.estimate,
        score.retrieval,
        score.generation,
        score.named,
        score.reachable,
        score.without,
        score.answered,
        score.abstention,
        score.right_abstention,
    ]


@given(ANSWERS)
def test_parts_add_up_and_every_share_lies_in_its_bounds(some: list[GraphAnswer]) -> None:
    score = graphrag_score(some)
    held = (score.generation.value or 0) * score.generation.n_units
    without = (score.without.value or 0) * score.without.n_units
    assert held == pytest.approx(score.correct_held)
    assert without == pytest.approx(score.correct_without)
    total = held + without + score.correct_untold
    assert (score.score or 0) * score.total == pytest.approx(total) == score.correct_answers
    silent = score.abstained_right + score.abstained_wrong + score.abstained_untold
    assert silent == sum(each.abstained for each in some)
    assert score.total + score.missing.total == score.answers == len(some)
    for made in shares(score):
        if made.value is None:
            assert made.n_units == 0
            continue
        assert 0 <= made.low <= made.value <= made.high <= 1
        assert made.worst - 1e-12 <= made.value <= made.best + 1e-12


def marked(system: str, marks: str, sample: int = 0) -> list[GraphAnswer]:
    """One answer per letter: `y` correct, `n` incorrect, `-` without a verdict."""
    labels = {"y": (CORRECT, "ok"), "n": (INCORRECT, "ok"), "-": (None, "unparsed")}
    return [
        answer(
            f"q{place}",
            labels[mark][0],
            True,
            system=system,
            sample=sample,
            status=labels[mark][1],
            unit=f"{system}{place}.{sample}",
        )
        for place, mark in enumerate(marks)
    ]


def test_a_graph_against_a_control_by_hand() -> None:
    #            10 both right, 9 graph alone, 2 control alone, 4 neither, 1 without a verdict
    graph = marked("g", "y" * 10 + "y" * 9 + "n" * 2 + "n" * 4 + "-")
    none = marked(NONE, "y" * 10 + "n" * 9 + "y" * 2 + "n" * 4 + "y")
    results = summarised([*graph, *none], ("g", NONE))
    (made,) = results.comparisons
    assert (made.a, made.b, made.n_both, made.only_b) == ("g", NONE, 25, 1)
    assert (made.wins, made.ties, made.losses) == (9, 14, 2)
    assert made.difference.value == pytest.approx(7 / 25)
    # Exact McNemar: 2 (C(11,0) + C(11,1) + C(11,2)) / 2^11 = 2 * 67 / 2048.
    assert made.p_mcnemar == pytest.approx(2 * (1 + 11 + 55) / 2048)
    assert made.p_mcnemar == pytest.approx(stats.binomtest(2, 11).pvalue)
    # With one answer per question the permutation test of the signs is the same test.
    assert made.p_permutation == pytest.approx(made.p_mcnemar)
    assert made.p_adjusted is None
    assert results.board is None


def test_repeats_are_averaged_per_question_and_have_no_mcnemar_unless_they_agree() -> None:
    graph = [*marked("g", "yyn"), *marked("g", "ynn", sample=1)]
    none = [*marked(NONE, "nnn"), *marked(NONE, "nn-", sample=1)]
    (made,) = summarised([*graph, *none], ("g", NONE)).comparisons  # 1, 1/2, 0 against 0, 0, 0
    assert made.difference.value == pytest.approx(0.5)
    assert made.difference.n_items == 3
    assert made.p_mcnemar is None
    assert paired_units(none)["q2"] == {"q2": [0.0, None]}
    same = [*marked("g", "yyn"), *marked("g", "yyn", sample=1), *none]
    (made,) = summarised(same, ("g", NONE)).comparisons
    assert made.p_mcnemar == pytest.approx(2 * (1 / 2) ** 2)


def test_labels_of_people_correct_the_judge() -> None:
    # The judge calls 60 of 100 correct; people say that a tenth of those is wrong, and that a
    # quarter of the others is right: 0.6 * 0.9 + 0.4 * 0.25 = 0.64.
    some = marked("g", "y" * 60 + "n" * 40)
    people = {f"g{k}.0": float(k % 10 > 0) for k in range(20)}
    people |= {f"g{60 + k}.0": float(k % 4 == 0) for k in range(20)}
    made = corrected_score(some, people, rubric="answer/1")
    assert made is not None
    assert made.corrected.value == pytest.approx(0.64)
    assert made.judge_only.value == pytest.approx(0.6)
    assert (made.labels, made.corrected.rubric) == (40, "answer/1")
    assert corrected_score(some, {"another": 1.0}) is None
    never = replace(some[0], unit="", status="failed", label=None, reply="")
    again = corrected_score([*some, never], people)
    assert again is not None
    assert again.corrected.n_units == 100
    twice = [*marked("g", "yn" * 20), *marked("g", "yn" * 20, sample=1)]
    clusters = corrected_score(twice, {each.unit: each.value or 0.0 for each in twice})
    assert clusters is not None
    assert clusters.corrected.value == pytest.approx(0.5)
    assert clusters.corrected.n_items == 40


def test_the_judge_alone_is_the_score_where_verdicts_are_missing() -> None:
    # 60 correct, 30 incorrect, 10 without a verdict: the judge's score is 60 of 90.
    some = marked("g", "y" * 60 + "n" * 30 + "-" * 10)
    people = {each.unit: float(place % 10 > 0) for place, each in enumerate(some)}
    results = summarised(some, people=people)
    made, score = results.corrections["g"], results.scores["g"].overall.estimate
    assert made.judge_only == score
    assert score.value == pytest.approx(60 / 90)
    assert made.corrected.value == pytest.approx(0.9)
    (table,) = correction_tables(results).values()
    assert any("answers without a verdict" in note for note in table.notes)


def test_what_a_reader_must_know_is_told() -> None:
    def problems(model: str, judge: str, answers: list[GraphAnswer]) -> str:
        return "\n".join(summarised(answers, model=model, judge=judge).problems)

    few = problems("openai:m", "openai:m", marked("g", "yn"))
    assert "judges its own answers" in few
    assert "Questions: 2, which is few" in few
    assert "judges its own answers" in problems("ollama:m", "openai:M-latest", marked("g", "yn"))
    assert "by rules, a baseline" in problems("rules", "rules", marked("g", "yn"))
    many = marked("g", "yn" * 15)
    assert problems("a", "b", many) == ""
    untold = [replace(each, given=Given(held=None)) for each in many[:7]]
    assert "g: of 7 of 30 questions" in problems("a", "b", [*untold, *many[7:]])
    left = [*many[1:], replace(many[0], status="left", label=None)]
    assert "not judged yet: 1;" in problems("a", "b", left)


def test_a_judge_that_says_one_thing_of_all_is_told_and_who_abstains_gives_it_no_choice() -> None:
    def cautions(answers: list[GraphAnswer]) -> str:
        return "".join(summarised(answers).cautions)

    wrong = marked("g", "n" * 12)
    assert "j said" in cautions(wrong)
    assert "of all 12 units" in cautions(wrong)
    assert cautions(marked("g", "n" * 12 + "y" * 2)) == ""
    assert cautions([replace(answer, abstained=True) for answer in wrong]) == ""
    assert not summarised(wrong, model="rules", judge="rules").cautions
