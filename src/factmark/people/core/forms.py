"""Forms: what people are asked of a unit, and what their answers are worth. Data, as rubrics are.

One row on an annotator's list is one unit with its evidence beside it, and gets one answer: a label
of the form, or, for `facts`, marks in the text (see `responses`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from factmark.errors import InputError
from factmark.replies.rubric import values_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """What people are asked.

    Attributes:
        name: as commands name it.
        kind: of the units that it is for.
        noun: what one unit is called, in the singular.
        title: what a campaign of this form is called where people see it.
        values: label -> its value; empty where people mark a text.
        meanings: label -> what it stands for, in a few words.
        question: that each unit is asked.
        evidence: the heading over what the unit is judged against.
        together: how many units of one document belong side by side; 1 where each stands alone.
    """

    name: str
    kind: str
    noun: str
    title: str
    values: Mapping[str, float]
    meanings: Mapping[str, str]
    question: str
    evidence: str
    together: int = 1

    @property
    def labels(self) -> tuple[str, ...]:
        """What may be answered, in the order shown."""
        return tuple(self.values)

    @property
    def keys(self) -> Mapping[str, str]:
        """Key on the keyboard -> label: digits for ratings, else 1, 2, ... in the order shown."""
        if all(label.isdigit() for label in self.labels):
            return {label: label for label in self.labels}
        return {str(number): label for number, label in enumerate(self.labels, 1)}


_RATINGS = {str(rating): float(rating) for rating in range(6)}

COARSE = Form(
    name="coarse",
    kind="summary",
    noun="summary",
    title="Summarization Evaluation",
    values=_RATINGS,
    meanings={
        "0": "most or all of it is wrong, or has nothing to do with the source",
        "1": "much more wrong than right",
        "2": "more wrong than right",
        "3": "more right than wrong",
        "4": "right but for little",
        "5": "most or all of it is right",
    },
    question="How correct is this summary, by the source alone?",
    evidence="Source",
    together=3,
)
FINE = Form(
    name="fine",
    kind="clause",
    noun="clause",
    title="Clause Evaluation",
    values={"YES": 1.0, "NO": 0.0},
    meanings={
        "YES": "the source states it, strongly implies it, or it follows from the source",
        "NO": "the source contradicts it or does not tell it",
    },
    question="Does the source support the marked clause?",
    evidence="Source",
)
SUPPORT = Form(
    name="support",
    kind="pair",
    noun="claim",
    title="Claim Evaluation",
    values=values_of("factscore"),
    meanings={
        "SUPPORTED": "the passage states it clearly or implies it",
        "CONTRADICTED": "the passage states or implies that it is false",
        "NOT_SUPPORTED": "neither",
    },
    question="Does the passage support the claim?",
    evidence="Passage",
)
VALIDITY = Form(
    name="validity",
    kind="triple",
    noun="triple",
    title="Relation Evaluation",
    values=values_of("validity"),
    meanings={
        "YES": "the relation is used as the ontology allows",
        "MAYBE": "it depends on what is meant, or cannot be told",
        "NO": "the relation, its direction or the kinds of things it joins are wrong",
    },
    question="Is the relation used as the ontology allows?",
    evidence="Ontology",
)
GRAPHRAG = Form(
    name="graphrag",
    kind="graphrag",
    noun="answer",
    title="Answer Evaluation",
    values={"CORRECT": 1.0, "INCORRECT": 0.0},
    meanings={
        "CORRECT": "it covers the main points of the reference answer, not necessarily all",
        "INCORRECT": "it misses them, contradicts them or does not answer",
    },
    question="Is the answer correct, by the reference answer?",
    evidence="Question and reference answer",
)
FACTS = Form(
    name="facts",
    kind="answer",
    noun="answer",
    title="Fact Marking",
    values={},
    meanings={},
    question="Which facts does the answer state, and is each one grounded in the ground truth?",
    evidence="Question and ground truth",
)

FORMS: Mapping[str, Form] = {
    form.name: form for form in (COARSE, FINE, SUPPORT, VALIDITY, GRAPHRAG, FACTS)
}
KINDS: Mapping[str, Mapping[str, float]] = {
    form.kind: form.values for form in FORMS.values() if form.values
}
"""Kind of unit -> label -> value, of all that people give a label."""


def form_named(name: str) -> Form:
    """The form of that name.

    Raises:
        InputError: there is none.
    """
    if name not in FORMS:
        raise InputError(f"--form {name}: there is none such; take one of {', '.join(FORMS)}.")
    return FORMS[name]
