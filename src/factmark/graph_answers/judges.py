"""The judges of answers and contexts: rules, a model with a rubric, or one of the user's own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from factmark.ask.judges.own_judge import OwnJudge, open_own_judge
from factmark.ask.judges.unit_judge import OpenJudge, UnitJudge, rule_judge
from factmark.ask.model_spec import ModelSpec
from factmark.ask.tasks import Claims, Task, rubric_task
from factmark.graph_answers.core.records import VERIFIED, GraphQuestion
from factmark.graph_answers.core.rubrics import verify_evidence
from factmark.graph_answers.core.verifying import verify
from factmark.model import Judge, Unit
from factmark.replies.rubric import Rubric

RULES_VERSION = "3"  # part of the rule judges' identity: raise it when they judge otherwise
REPLIES = Judge.create("rule", "choice replies", version=RULES_VERSION)
ABSTENTIONS = Judge.create("rule", "abstentions", version=RULES_VERSION)
OVERLAP = Judge.create("rule", "token overlap", version=RULES_VERSION)


def answer_rule_judge(questions: Mapping[str, GraphQuestion]) -> UnitJudge:
    """Returns the rule judge of free-text answers, which goes by words that answer and reference
    share.

    Args:
        questions: id of an item -> its question.
    """

    def by_words(unit: Unit) -> tuple[str | None, str]:
        return verify(questions[unit.item], _answer_in(unit))

    return rule_judge(OVERLAP, by_words, VERIFIED)


def _answer_in(unit: Unit) -> str:
    """Returns the answer of a unit as it was given; the text of the unit is blinded for people."""
    return str(unit.data.get("original", unit.text))


def answer_model_task(
    rubric: Rubric,
    spec: ModelSpec,
    questions: Mapping[str, GraphQuestion],
    *,
    batch: int = 1,
    samples: int = 1,
) -> Task:
    """Returns what a model is asked about answers (`VERIFY`) or contexts (`HOLDS`).

    Args:
        questions: id of an item -> its question.
    """

    def asked(units: Sequence[Unit]) -> Claims:
        return [_answer_in(unit) for unit in units], verify_evidence(questions[units[0].item])

    return rubric_task(
        spec, rubric, asked, batch=batch, samples=samples, group=lambda unit: unit.item
    )


def answer_own_judge(own: OwnJudge, questions: Mapping[str, GraphQuestion]) -> OpenJudge:
    """Returns a function or weights of the user's own as a judge of free-text answers.

    It is given the `question`, its `references`, and the answer as the `claim`; as `evidence`
    question and references as a model would read them. It does not learn whose answer it is.

    Args:
        questions: id of an item -> its question.
    """

    def shown(unit: Unit) -> dict[str, object]:
        question = questions[unit.item]
        return {
            "kind": unit.kind,
            "claim": _answer_in(unit),
            "evidence": verify_evidence(question),
            "question": question.asked,
            "references": list(question.references),
        }

    return open_own_judge(own, shown, VERIFIED)
