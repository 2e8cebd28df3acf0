"""Graphs against controls: paired comparisons, the leader board, corrections, what is warned of."""

from __future__ import annotations

import dataclasses

import pytest
from scipy import stats

from factmark.graphrag.core.outcomes import CORRECT, INCORRECT, NONE, TEXT, Context, Given, Outcome
from factmark.graphrag.core.questions import GraphQuestion
from factmark.graphrag.core.results import corrected, paired_units, summarise
from factmark.graphrag.tables import correction_tables
from sample_graphrag import QUICK, SYSTEMS, sample_graphrag, sample_outcomes


def answers(system: str, right: str, sample: int = 0) -> list[Outcome]:
    """One answer per letter: `y` correct, `n` incorrect, `-` without a verdict."""
    return [
        Outcome(
            question=GraphQuestion(id=f"q{place}", text="?", kind="text", references=("x",)),
            system=system,
            sample=sample,
            given=Given(context=Context(facts=()), held=True),
            reply="so",
            status="ok" if mark != "-" else "unparsed",
            label={"y": CORRECT, "n": INCORRECT, "-": None}[mark],
            unit=f"{system}{place}.{sample}",
        )
        for place, mark in enumerate(right)
    ]


def test_a_graph_against_a_control_by_hand() -> None:
    #            10 both right, 9 graph alone, 2 control alone, 4 neither, 1 without a verdict
    graph = answers("g", "y" * 10 + "y" * 9 + "n" * 2 + "n" * 4 + "-")
    none = answers(NONE, "y" * 10 + "n" * 9 + "y" * 2 + "n" * 4 + "y")
    found = summarise([*graph, *none], systems=("g", NONE), model="m", judge="j", options=QUICK)
    (made,) = found.comparisons
    assert (made.a, made.b, made.n_both, made.only_b) == ("g", NONE, 25, 1)
    assert (made.wins, made.ties, made.losses) == (9, 14, 2)
    assert made.difference.value == pytest.approx(7 / 25)
    # Exact McNemar: 2 (C(11,0) + C(11,1) + C(11,2)) / 2^11 = 2 * 67 / 2048.
    assert made.p_mcnemar == pytest.approx(2 * (1 + 11 + 55) / 2048)
    assert made.p_mcnemar == pytest.approx(stats.binomtest(2, 11).pvalue)
    # With one answer per question the permutation test of the signs is the same test.
    assert made.p_permutation == pytest.approx(made.p_mcnemar)
    assert made.p_adjusted is None
    low, high = made.difference.low, made.difference.high
    assert low is not None
    assert high is not None
    assert low < 7 / 25 < high
    assert found.board is None


def test_each_graph_against_each_control_with_holm_over_them() -> None:
    found = sample_graphrag()
    pairs = [(one.a, one.b) for one in found.comparisons]
    assert pairs == [
        ("diabetes", TEXT), ("diabetes", NONE), ("seed graph", TEXT), ("seed graph", NONE),
    ]  # fmt: skip
    raw = sorted(one.p_permutation or 0 for one in found.comparisons)
    holm = [max(min(1.0, raw[k] * (4 - k)) for k in range(at + 1)) for at in range(4)]
    assert sorted(one.p_adjusted or 0 for one in found.comparisons) == pytest.approx(holm)
    assert found.board is not None
    assert {place.name for place in found.board.places} == {"diabetes", "seed graph"}
    assert (found.named("graph"), found.named("control")) == (
        ["diabetes", "seed graph"], [TEXT, NONE],
    )  # fmt: skip


def test_repeats_are_averaged_per_question_and_have_no_mcnemar_unless_they_agree() -> None:
    graph = [*answers("g", "yyn"), *answers("g", "ynn", sample=1)]
    none = [*answers(NONE, "nnn"), *answers(NONE, "nn-", sample=1)]
    (made,) = summarise(
        [*graph, *none], systems=("g", NONE), model="m", judge="j"
    ).comparisons  # 1, 1/2, 0 against 0, 0, 0
    assert made.difference.value == pytest.approx(0.5)
    assert made.difference.n_items == 3
    assert made.p_mcnemar is None
    assert paired_units(none)["q2"] == {"q2": [0.0, None]}
    same = [*answers("g", "yyn"), *answers("g", "yyn", sample=1), *none]
    (made,) = summarise(same, systems=("g", NONE), model="m", judge="j").comparisons
    assert made.p_mcnemar == pytest.approx(2 * (1 / 2) ** 2)


def test_labels_of_people_correct_the_judge() -> None:
    # The judge calls 60 of 100 correct; people say that a tenth of those is wrong, and that a
    # quarter of the others is right: 0.6 * 0.9 + 0.4 * 0.25 = 0.64.
    some = answers("g", "y" * 60 + "n" * 40)
    people = {f"g{k}.0": float(k % 10 > 0) for k in range(20)}
    people |= {f"g{60 + k}.0": float(k % 4 == 0) for k in range(20)}
    made = corrected(some, people, rubric="answer/1")
    assert made is not None
    assert made.corrected.value == pytest.approx(0.64)
    assert made.judge_only.value == pytest.approx(0.6)
    assert (made.labels, made.corrected.rubric) == (40, "answer/1")
    assert corrected(some, {"another": 1.0}) is None
    never = dataclasses.replace(some[0], unit="", status="failed", label=None, reply="")
    again = corrected([*some, never], people)
    assert again is not None
    assert again.corrected.n_units == 100


def test_the_judge_alone_is_the_score_where_verdicts_are_missing() -> None:
    # 60 correct, 30 incorrect, 10 without a verdict: the judge's score is 60 of 90.
    some = answers("g", "y" * 60 + "n" * 30 + "-" * 10)
    people = {one.unit: float(place % 10 > 0) for place, one in enumerate(some)}
    found = summarise(some, systems=("g",), model="m", judge="j", people=people)
    made, score = found.corrections["g"], found.scores["g"].overall.estimate
    assert made.judge_only == score
    assert score.value == pytest.approx(60 / 90)
    assert made.corrected.value == pytest.approx(0.9)
    (table,) = correction_tables(found)
    assert any("answers without a verdict are not in it" in note for note in table.notes)
    whole = summarise(some[:90], systems=("g",), model="m", judge="j", people=people)
    assert not any("Judge alone" in note for note in correction_tables(whole)[0].notes)


def test_repeats_are_corrected_as_clusters() -> None:
    once = answers("g", "yn" * 20)
    twice = [*once, *answers("g", "yn" * 20, sample=1)]
    people = {one.unit: one.value or 0.0 for one in twice}
    made = corrected(twice, people)
    assert made is not None
    assert made.corrected.value == pytest.approx(0.5)
    assert made.corrected.n_items == 40
    assert made.corrected.design_effect is not None


def test_what_a_reader_must_know_is_told() -> None:
    def told(model: str, judge: str, outcomes: list[Outcome], systems: tuple[str, ...]) -> str:
        made = summarise(outcomes, systems=systems, model=model, judge=judge, options=QUICK)
        return "\n".join(made.problems)

    few = told("openai:m", "openai:m", answers("g", "yn"), ("g",))
    assert "openai:m judges its own answers" in few
    assert "Questions: 2, which is few" in few
    ruled = told("rules", "rules", answers("g", "yn"), ("g",))
    assert "is one of the rules' reading too" in ruled
    assert "better" not in ruled  # which of them rules read better depends on the data
    many = answers("g", "yn" * 15)
    assert told("a", "b", many, ("g",)) == ""
    untold = [
        dataclasses.replace(one, given=Given(held=None, passages=(("p", "text"),)))
        if place < 7 else one
        for place, one in enumerate(many)
    ]  # fmt: skip
    assert "g: of 7 of 30 questions it cannot be told" in told("a", "b", untold, ("g",))
    left = [*many[1:], dataclasses.replace(many[0], status="left", label=None)]
    assert "not judged yet: 1;" in told("a", "b", left, ("g",))


def test_what_does_not_fit_together_is_an_error() -> None:
    some = answers("g", "yn")
    for outcomes, systems, message in (
        (some, ("h",), "none of"),
        ([*some, *some], ("g",), "two outcomes"),
        (some, ("g", "g"), "twice"),
    ):
        with pytest.raises(ValueError, match=message):
            summarise(outcomes, systems=systems, model="m", judge="j")


def test_the_signature_changes_with_the_verdicts_alone() -> None:
    one, same = sample_graphrag(), sample_graphrag()
    assert one.signature == same.signature
    assert one.signature["top_k"] == 10
    other = sample_outcomes()
    other[0] = dataclasses.replace(other[0], status="refused", label=None)
    made = summarise(other, systems=SYSTEMS, model="m", judge="j", options=QUICK)
    assert made.signature["verdicts"] != one.signature["verdicts"]
