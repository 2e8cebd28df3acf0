"""GraphRAG scores of one system, from what became of its questions. Pure.

    score = overall_performance = correct / total       total: the answers that have a verdict
    retrieval_accuracy = questions whose context holds the reference answer / questions of which
                         that can be told; a question without a reference is in no such share
    generation_quality = correct among the answers whose context holds it / those answers

"I don't know" is right where the graph does not have the answer, and wrong where it has: then the
context held it and the model overlooked it, or it was not retrieved. The controls have no graph:
for `text` what counts is what the passages hold, for `none` what the file says.

What has no verdict (unparsed, refused, failed, left) stands apart and makes the bounds. Questions
are what is resampled: several answers to one question stay together.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from factmark.graphrag.core.outcomes import NONE, TEXT, VERIFIED, Outcome
from factmark.model import Estimate
from factmark.stats import ratio_over_clusters

KIND = "kind"
VALUES = 200
"""Values of a stratum that have scores of their own, those with the most questions."""

_CONTROLS = (NONE, TEXT)
Silence = Literal["right", "overlooked", "not found", "wrong"]
_Value = Callable[[Outcome], float | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Unverified:
    """Answers without a verdict, by why; `left`: not asked or not judged, for want of budget."""

    unparsed: int = 0
    refused: int = 0
    failed: int = 0
    left: int = 0

    @property
    def total(self) -> int:
        """All of them."""
        return self.unparsed + self.refused + self.failed + self.left

    @classmethod
    def among(cls, outcomes: Iterable[Outcome]) -> Unverified:
        """Counts the answers that have no label; `ok` without one counts as unparsed."""
        lost = Counter(one.status for one in outcomes if one.label is None)
        return cls(
            unparsed=lost["unparsed"] + lost["ok"],
            refused=lost["refused"],
            failed=lost["failed"],
            left=lost["left"],
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphRagScore:
    """The scores and what they rest on. Values that are undefined are None; `reasons` says why.

    All estimates are shares with an interval that takes questions for what was sampled.

    Attributes:
        num_queries: questions.
        answers: of all of them, with or without a verdict; more than questions if repeated.
        total: the answers that have a verdict.
        correct_answers: of these.
        missing: answers without a verdict.
        estimate: of the score.
        retrieval: share of questions whose context holds the answer; missing are those of which
            that cannot be told.
        generation: correct among the answers whose context holds it.
        in_graph: share of questions whose answer the graph holds at all, retrieved or not.
        without: correct among the answers whose context does not hold it: known or guessed.
        answered: correct among the answers that are no "I don't know".
        abstention: share of answers that are one; missing are answers that never came.
        right_abstention: share of these where the graph does not have the answer; missing are those
            of which that cannot be told. Of `text`: where the passages do not.
        correct_held, correct_without, correct_untold: correct answers whose context holds the
            answer, does not hold it, or of which that cannot be told.
        abstained_right, abstained_wrong, abstained_untold: "I don't know" where the graph does not
            have the answer, where it has, and where that cannot be told; see `silence`.
        abstained_overlooked, abstained_not_found: of the wrong ones, those whose context held the
            answer and those whose context did not; the rest cannot be told.
    """

    score: float | None
    retrieval_accuracy: float | None
    generation_quality: float | None
    overall_performance: float | None
    num_queries: int
    correct_answers: int
    answers: int
    total: int
    missing: Unverified
    estimate: Estimate
    retrieval: Estimate
    generation: Estimate
    in_graph: Estimate
    without: Estimate
    answered: Estimate
    abstention: Estimate
    right_abstention: Estimate
    correct_held: int
    correct_without: int
    correct_untold: int
    abstained_right: int
    abstained_wrong: int
    abstained_untold: int
    abstained_overlooked: int
    abstained_not_found: int
    reasons: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphRagScores:
    """Over all questions, and stratum -> its value -> over those; `""` stands for no value.

    Of a stratum with very many values the `VALUES` with the most questions.
    """

    overall: GraphRagScore
    strata: Mapping[str, Mapping[str, GraphRagScore]]


def graphrag_scores(
    outcomes: Sequence[Outcome], *, level: float = 0.95, rubric: str = ""
) -> GraphRagScores:
    """The scores of one system, over all questions and per stratum; the kind is a stratum too.

    Args:
        rubric: what the judge was asked.

    Raises:
        ValueError: for outcomes of several systems, or a label that is none of `VERIFIED`.
    """

    def score(some: Sequence[Outcome]) -> GraphRagScore:
        return graphrag_score(some, level=level, rubric=rubric)

    return GraphRagScores(
        overall=score(outcomes),
        strata={
            name: {value: score(some) for value, some in _largest(split(outcomes, name))}
            for name in strata_of(outcomes)
        },
    )


def graphrag_score(
    outcomes: Sequence[Outcome], *, level: float = 0.95, rubric: str = ""
) -> GraphRagScore:
    """The scores of one system over these outcomes; see `graphrag_scores`."""
    _check(outcomes)
    verdicts = [one for one in outcomes if one.label is not None]
    correct = [one for one in verdicts if one.value]
    silent = [one for one in outcomes if one.abstained]
    told = Counter(map(silence, silent))

    def share(of: _Value, among: Iterable[Outcome], *, per_question: bool = False) -> Estimate:
        return _share(of, among, per_question=per_question, level=level, rubric=rubric)

    def given(held: bool | None) -> list[Outcome]:
        return [one for one in outcomes if holds(one) is held]

    system = outcomes[0].system if outcomes else ""
    retrieved = [] if system == NONE else outcomes
    graphs = [] if system in _CONTROLS else outcomes
    estimate = share(_correct, outcomes)
    retrieval = share(_held, retrieved, per_question=True)
    generation = share(_correct, given(True))
    made = {
        "score": estimate,
        "overall_performance": estimate,
        "retrieval_accuracy": retrieval,
        "generation_quality": generation,
        "in_graph": share(_in_graph, graphs, per_question=True),
        "without": share(_correct, given(False)),
        "answered": share(_correct, (one for one in outcomes if not one.abstained)),
        "abstention": share(_abstained, outcomes),
        "right_abstention": share(_rightly, silent),
    }
    return GraphRagScore(
        score=estimate.value,
        retrieval_accuracy=retrieval.value,
        generation_quality=generation.value,
        overall_performance=estimate.value,
        num_queries=len({one.question.id for one in outcomes}),
        correct_answers=len(correct),
        answers=len(outcomes),
        total=len(verdicts),
        missing=Unverified.among(outcomes),
        estimate=estimate,
        retrieval=retrieval,
        generation=generation,
        in_graph=made["in_graph"],
        without=made["without"],
        answered=made["answered"],
        abstention=made["abstention"],
        right_abstention=made["right_abstention"],
        correct_held=sum(holds(one) is True for one in correct),
        correct_without=sum(holds(one) is False for one in correct),
        correct_untold=sum(holds(one) is None for one in correct),
        abstained_right=told["right"],
        abstained_wrong=told["overlooked"] + told["not found"] + told["wrong"],
        abstained_untold=told[None],
        abstained_overlooked=told["overlooked"],
        abstained_not_found=told["not found"],
        reasons={
            name: _why(name, one, system) for name, one in made.items() if one.value is None
        },
    )  # fmt: skip


def strata_of(outcomes: Iterable[Outcome]) -> list[str]:
    """The names of the strata, as first seen; `kind` comes last unless a file has it too."""
    names = dict.fromkeys(name for one in outcomes for name in one.question.strata)
    return [*names, *[KIND] * (KIND not in names)]


def split(outcomes: Iterable[Outcome], stratum: str) -> dict[str, list[Outcome]]:
    """The outcomes of each value of a stratum, sorted; `""` stands for no value."""
    groups: dict[str, list[Outcome]] = {}
    for one in outcomes:
        groups.setdefault(stratum_value(one, stratum), []).append(one)
    return dict(sorted(groups.items()))


def _largest(groups: Mapping[str, list[Outcome]]) -> list[tuple[str, list[Outcome]]]:
    """The values with the most questions, in the order of their names."""
    ranked = sorted(
        groups.items(), key=lambda group: (-len({one.question.id for one in group[1]}), group[0])
    )
    return sorted(ranked[:VALUES], key=lambda group: group[0])


def stratum_value(outcome: Outcome, stratum: str) -> str:
    """The value of an outcome's question in a stratum; `""` for none."""
    otherwise = outcome.question.kind if stratum == KIND else ""
    return outcome.question.strata.get(stratum, otherwise)


def holds(outcome: Outcome) -> bool | None:
    """Whether the context holds the reference answer; None without one: nothing could be held."""
    return outcome.given.held if outcome.question.references else None


def silence(outcome: Outcome) -> Silence | None:
    """What an "I don't know" to this question is, from this system; None where it cannot be told.

    `right`: the graph does not have the answer. `overlooked`: it has, and the context held it;
    `not found`: it has, and the context did not hold it; `wrong`: it has, and of the context that
    cannot be told. The passages of `text` stand for the graph. Without a graph and without
    passages only what the file says is known. Where no answer is right, to abstain is.
    """
    question, held = outcome.question, holds(outcome)
    if outcome.system == NONE:
        return "right" if question.answerable is False else None
    there = outcome.given.in_graph
    if outcome.system == TEXT:
        there = held if question.references else False
    if there is None:
        return None
    if not there:
        return "right"
    return "wrong" if held is None else "overlooked" if held else "not found"


def came(outcome: Outcome) -> bool:
    """Whether there is an answer, judged or not."""
    return bool(outcome.reply) or outcome.abstained or outcome.label is not None


def _share(
    of: _Value, among: Iterable[Outcome], *, per_question: bool, level: float, rubric: str
) -> Estimate:
    """The mean over answers, or over questions of the mean over their answers."""
    values: dict[str, list[float]] = {}
    lost = 0
    for one in among:
        known, value = values.setdefault(one.question.id, []), of(one)
        if value is None:
            lost += 1
        else:
            known.append(value)
    if per_question:
        values = {name: [sum(some) / len(some)] if some else [] for name, some in values.items()}
        n_missing = sum(not some for some in values.values())
    else:
        n_missing = lost
    return replace(ratio_over_clusters(values, n_missing=n_missing, level=level), rubric=rubric)


def _correct(outcome: Outcome) -> float | None:
    return outcome.value


def _held(outcome: Outcome) -> float | None:
    return _number(holds(outcome))


def _in_graph(outcome: Outcome) -> float | None:
    return _number(outcome.given.in_graph)


def _abstained(outcome: Outcome) -> float | None:
    return float(outcome.abstained) if came(outcome) else None


def _rightly(outcome: Outcome) -> float | None:
    told = silence(outcome)
    return None if told is None else float(told == "right")


def _number(told: bool | None) -> float | None:
    return None if told is None else float(told)


def _why(name: str, estimate: Estimate, system: str) -> str:
    """Why a value is undefined."""
    lost = estimate.n_missing
    if name == "retrieval_accuracy" and system == NONE:
        return "the model alone is given nothing"
    if name == "in_graph" and system in _CONTROLS:
        return "a control has no graph"
    if name in ("retrieval_accuracy", "in_graph"):
        return f"of none of the {lost} questions can it be told" if lost else "no questions"
    if name == "abstention":
        return f"none of the {lost} answers came" if lost else "no answers"
    if name == "right_abstention":
        if not lost:
            return "no answer is an abstention"
        return f"of none of the {lost} abstentions can it be told whether it is right"
    among = {
        "generation_quality": " whose context holds the reference answer",
        "without": " whose context is known not to hold the reference answer",
        "answered": " that are no abstention",
    }.get(name, "")
    return f"none of the {lost} answers{among} has a verdict" if lost else f"no answers{among}"


def _check(outcomes: Iterable[Outcome]) -> None:
    names: set[str] = set()
    for one in outcomes:
        names.add(one.system)
        if one.label is not None and one.label not in VERIFIED:
            raise ValueError(f"{one.label!r} is no label of an answer")
    if len(names) > 1:
        raise ValueError(f"scores are of one system: {sorted(names)}")
