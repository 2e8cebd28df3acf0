"""GraphRAG scores of one system, from what became of its questions. Pure.

    score = overall_performance = correct / total       total: the answers that have a verdict
    retrieval_accuracy = questions whose context holds the reference answer / questions of which
                         that can be told; a question without a reference is in no such share.
                         `retrieval_by` says how: along the path to the answer, or by words
    generation_quality = correct among the answers whose context holds it / those answers

"I don't know" is right where the graph does not have the answer, and wrong where it has: then the
context held it and the model overlooked it, or it was not retrieved. The controls have no graph:
for `text` what counts is what the passages hold, for `none` what the file says.

What has no verdict (undecided, unparsed, refused, failed, left) stands apart and makes the bounds.
Questions are what is resampled: several answers to one question stay together.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, NamedTuple

from factmark.graph_answers.core.names import stands_in
from factmark.graph_answers.core.records import CONTROLS, NONE, TEXT, GraphAnswer
from factmark.model import Estimate
from factmark.stats import ratio_over_clusters

KIND = "kind"
VALUES = 200
"""Values of a stratum that have scores of their own, those with the most questions."""

AbstentionKind = Literal["right", "overlooked", "not found", "wrong"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Unverified:
    """Answers without a verdict, by why; `left`: not asked or not judged, for want of budget."""

    undecided: int = 0
    unparsed: int = 0
    refused: int = 0
    failed: int = 0
    left: int = 0

    @property
    def total(self) -> int:
        """How many answers have no verdict."""
        return self.undecided + self.unparsed + self.refused + self.failed + self.left


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphRagScore:
    """The scores and what they rest on. Values that are undefined are None; `reasons` says why.

    All estimates are shares with an interval that takes questions for what was sampled.

    Attributes:
        num_queries: questions; `answers` are more if repeated, `total` those with a verdict.
        estimate: of the score.
        retrieval: share of questions whose context holds the answer; missing are those of which
            that cannot be told.
        retrieval_by: how that was told -> of how many questions: along the `path` to the answer,
            by the reference's `words`, by the `judge`.
        generation: correct among the answers whose context holds it.
        recall_2, recall_5, recall: share of the passages that support the answer among the first
            two, five, or all that are given, where the file names them.
        supported: share of these questions of which all supporting passages are given.
        answer_recall: share of these questions whose context has the words of a reference.
        named: share of questions whose answer is a node or literal of the graph, by a name.
        reachable: share of questions that have one so near to their entities as is looked up.
        without: correct among the answers whose context does not hold it: known or guessed.
        answered: correct among the answers that are no "I don't know".
        abstention: share of answers that are one; missing are answers that never came.
        right_abstention: share of these where the graph (of `text`: the passages) does not have
            the answer; missing are those of which that cannot be told.
        correct_held, correct_without, correct_untold: correct answers whose context holds the
            answer, does not hold it, or of which that cannot be told.
        abstained_right, abstained_wrong, abstained_untold: see `kind_of_abstention`; of the wrong
            ones `abstained_overlooked` and `abstained_not_found`, the rest cannot be told.
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
    retrieval_by: Mapping[str, int]
    generation: Estimate
    recall_2: Estimate
    recall_5: Estimate
    recall: Estimate
    supported: Estimate
    answer_recall: Estimate
    named: Estimate
    reachable: Estimate
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
    """Over all questions, and stratum -> its value (`""` for none) -> over those; for a stratum
    with very many values the `VALUES` with the most questions."""

    overall: GraphRagScore
    strata: Mapping[str, Mapping[str, GraphRagScore]]


def graphrag_scores(
    answers: Sequence[GraphAnswer], *, level: float = 0.95, rubric: str = ""
) -> GraphRagScores:
    """Returns the scores of one system, over all questions and per stratum; the kind of question is
    a stratum too.

    Args:
        rubric: what the judge was asked.
    """

    def score(group: Sequence[GraphAnswer]) -> GraphRagScore:
        return graphrag_score(group, level=level, rubric=rubric)

    names = dict.fromkeys(name for answer in answers for name in answer.question.strata)
    names.setdefault(KIND)
    return GraphRagScores(
        overall=score(answers),
        strata={
            name: {value: score(group) for value, group in _answers_by_value(answers, name)}
            for name in names
        },
    )


def _answers_by_value(
    answers: Iterable[GraphAnswer], stratum: str
) -> list[tuple[str, Sequence[GraphAnswer]]]:
    """Returns the answers by the value of a stratum, for the values with the most questions, sorted
    by name."""
    groups: dict[str, list[GraphAnswer]] = {}
    for answer in answers:
        groups.setdefault(stratum_value(answer, stratum), []).append(answer)

    def rank(value: str) -> tuple[int, str]:
        return -len({answer.question.id for answer in groups[value]}), value

    return [(value, groups[value]) for value in sorted(sorted(groups, key=rank)[:VALUES])]


def stratum_value(answer: GraphAnswer, stratum: str) -> str:
    """Returns the value of an answer's question in a stratum; empty if it has none."""
    otherwise = ""
    if stratum == KIND:
        otherwise = answer.question.kind
    return answer.question.strata.get(stratum, otherwise)


class _Share(NamedTuple):
    """The mean of a value (None: missing) over some answers, or over questions of theirs.

    `what` they are, and what `lacks` those that are missing (empty: it cannot be told of them), for
    the reason why there is no mean.
    """

    of: Callable[[GraphAnswer], float | None]
    among: Callable[[GraphAnswer], bool] = lambda answer: True
    what: str = "answers"
    lacks: str = "has a verdict"

    def estimate(self, answers: Iterable[GraphAnswer], level: float) -> Estimate:
        """Returns the mean over those of `answers` that count here."""
        values: dict[str, list[float]] = {}
        missing = 0
        for answer in filter(self.among, answers):
            known = values.setdefault(answer.question.id, [])
            value = self.of(answer)
            if value is None:
                missing += 1
            else:
                known.append(value)
        if self.what == "questions":
            missing = sum(not known for known in values.values())
            values = {
                name: [sum(known) / len(known)] if known else [] for name, known in values.items()
            }
        return ratio_over_clusters(values, n_missing=missing, level=level)

    def why_none(self, missing: int) -> str:
        """Returns why there is no mean."""
        if not missing:
            return f"no {self.what}"
        if not self.lacks:
            return f"it cannot be told of any of the {missing} {self.what}"
        return f"none of the {missing} {self.what} {self.lacks}"


def _as_number(known: bool | None) -> float | None:
    """Returns 1 for true, 0 for false, None for what is not known."""
    if known is None:
        return None
    return float(known)


def _value(answer: GraphAnswer) -> float | None:
    """Returns the answer's value: 1 if correct, 0 if incorrect, None without a verdict."""
    return answer.value


def _recall(most: int | None = None) -> Callable[[GraphAnswer], float]:
    """Returns a function that gives the share of a question's supporting passages among the first
    of its context."""

    def share(answer: GraphAnswer) -> float:
        support = set(answer.question.support)
        return len(support & set(answer.given.passage_ids[:most])) / len(support)

    return share


def _is_supported(answer: GraphAnswer) -> float:
    """Returns 1 if all supporting passages are in the context, else 0."""
    return float(set(answer.question.support) <= set(answer.given.passage_ids))


def _recalls_answer(answer: GraphAnswer) -> float | None:
    """Returns 1 if a text of the context has the words of a reference, else 0; None without one."""
    references = answer.question.references
    texts = answer.given.texts
    if not references:
        return None
    return float(any(stands_in(name, text) for text in texts for name in references))


def _has_support(answer: GraphAnswer) -> bool:
    """Whether the file names the passages that support the answer, and some could be given."""
    return bool(answer.question.support) and answer.system != NONE


_PASSAGES = {
    "recall_2": _recall(2),
    "recall_5": _recall(5),
    "recall": _recall(),
    "supported": _is_supported,
    "answer_recall": _recalls_answer,
}
_SHARES = {
    **{name: _Share(of, _has_support, "questions", "") for name, of in _PASSAGES.items()},
    "score": _Share(_value),
    "retrieval_accuracy": _Share(
        lambda a: _as_number(a.held), lambda a: a.system != NONE, "questions", ""
    ),
    "generation_quality": _Share(
        _value, lambda a: a.held is True, "answers whose context holds the reference answer"
    ),
    "named": _Share(
        lambda a: _as_number(a.given.named), lambda a: a.system not in CONTROLS, "questions", ""
    ),
    "reachable": _Share(
        lambda a: _as_number(a.given.reachable), lambda a: a.system not in CONTROLS, "questions", ""
    ),
    "without": _Share(
        _value, lambda a: a.held is False, "answers whose context lacks the reference answer"
    ),
    "answered": _Share(_value, lambda a: not a.abstained, "answers that are no abstention"),
    "abstention": _Share(lambda a: float(a.abstained) if a.came else None, lacks="came"),
    "right_abstention": _Share(
        lambda a: _as_number(None if (kind := kind_of_abstention(a)) is None else kind == "right"),
        lambda a: a.abstained,
        "abstentions",
        "",
    ),
}
_IN_GRAPH = ("named", "reachable")
_SCORED_BESIDE = (*_PASSAGES, *_IN_GRAPH, "without", "answered", "abstention", "right_abstention")
_NO_SHARE = {
    ("retrieval_accuracy", NONE): "the model alone is given nothing",
    **{(name, control): "a control has no graph" for name in _IN_GRAPH for control in CONTROLS},
}


def graphrag_score(
    answers: Sequence[GraphAnswer], *, level: float = 0.95, rubric: str = ""
) -> GraphRagScore:
    """Returns the scores of one system over these answers; see `graphrag_scores`."""
    system = ""
    if answers:
        system = answers[0].system
    correct = []
    for answer in answers:
        if answer.value:
            correct.append(answer)
    held = Counter(answer.held for answer in correct)
    silences = Counter(kind_of_abstention(answer) for answer in answers if answer.abstained)
    lost = Counter(answer.status for answer in answers if answer.label is None)
    shares = {}
    for name, share in _SHARES.items():
        shares[name] = replace(share.estimate(answers, level), rubric=rubric)
    reasons = {
        name: _NO_SHARE.get((name, system)) or _SHARES[name].why_none(share.n_missing)
        for name, share in shares.items()
        if share.value is None and (name not in _PASSAGES or share.n_missing)
    }
    if "score" in reasons:
        reasons["overall_performance"] = reasons["score"]
    return GraphRagScore(
        score=shares["score"].value,
        retrieval_accuracy=shares["retrieval_accuracy"].value,
        generation_quality=shares["generation_quality"].value,
        overall_performance=shares["score"].value,
        estimate=shares["score"],
        retrieval=shares["retrieval_accuracy"],
        retrieval_by=_ways(answers),
        generation=shares["generation_quality"],
        **{name: shares[name] for name in _SCORED_BESIDE},
        num_queries=len({answer.question.id for answer in answers}),
        correct_answers=len(correct),
        answers=len(answers),
        total=sum(answer.label is not None for answer in answers),
        missing=Unverified(
            undecided=lost["undecided"],
            unparsed=lost["unparsed"] + lost["ok"],
            refused=lost["refused"],
            failed=lost["failed"],
            left=lost["left"],
        ),
        correct_held=held[True],
        correct_without=held[False],
        correct_untold=held[None],
        abstained_right=silences["right"],
        abstained_wrong=silences["overlooked"] + silences["not found"] + silences["wrong"],
        abstained_untold=silences[None],
        abstained_overlooked=silences["overlooked"],
        abstained_not_found=silences["not found"],
        reasons=reasons,
    )


def _ways(answers: Iterable[GraphAnswer]) -> dict[str, int]:
    """Returns how it was told whether contexts hold the answer -> of how many questions."""
    ways = {}
    for answer in answers:
        if answer.held_by:
            ways[answer.question.id] = answer.held_by
    return dict(sorted(Counter(ways.values()).items()))


def kind_of_abstention(answer: GraphAnswer) -> AbstentionKind | None:
    """Returns whether "I don't know" is right from this system, or what went wrong; None if that
    cannot be told.

    `right`: nothing in the graph bears the answer's name. `overlooked`: something does, and the
    context held it; `not found`: the context did not hold it; `wrong`: of the context that cannot
    be told. The passages of `text` stand for the graph. Without a graph and without
    passages only what the file says is known. Where no answer is right, to abstain is.
    """
    question = answer.question
    held = answer.held
    if answer.system == NONE:
        if question.answerable is False:
            return "right"
        return None
    there = answer.given.named
    if answer.system == TEXT:
        there = False
        if question.references:
            there = held
    if there is None:
        return None
    if not there:
        return "right"
    if held is None:
        return "wrong"
    if held:
        return "overlooked"
    return "not found"
