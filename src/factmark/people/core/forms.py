"""What people and models are asked of a unit: forms, guidelines, the rubrics of summaries.

One row on an annotator's list is one unit with its evidence beside it, and gets one answer: a label
of the form, or, for `facts`, marks in the text (see `responses`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from factmark.errors import InputError
from factmark.replies.rubric import Rubric, values_of


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


_GAP = re.compile(r"\{\{(\w+)\}\}")


def fill_guidelines(template: str, common: str, form: Form, *, batch: int, together: int) -> str:
    """The guidelines of a form, as Markdown.

    Args:
        template: with gaps: `{{scale}}` the labels with their meanings, `{{batch}}` the documents
            of a batch, `{{together}}` the units of a document, `{{rows}}` the rows of a batch,
            `{{title}}` what the campaign is called, `{{common}}` what all forms share.
        common: the latter, with gaps of its own.

    Raises:
        KeyError: there is a gap of another name.
    """
    told: Mapping[str, str] = {
        "scale": _scale(form),
        "batch": str(batch),
        "together": str(together),
        "rows": str(batch * together),
        "title": form.title,
    }
    text = template.replace("{{common}}", common.strip())
    return _GAP.sub(lambda gap: told[gap[1]], text).strip() + "\n"


def markdown_html(text: str) -> str:
    """Guidelines (CommonMark with tables) as HTML; links, images and HTML in them stay as text.

    Tags have no attributes, and every character of the text that HTML would read is escaped.
    """
    from markdown_it import MarkdownIt  # here, since few commands show guidelines

    reader = MarkdownIt("commonmark", {"html": False}).enable("table")
    reader.disable(["link", "image", "autolink"])
    tokens = reader.parse(text)
    for token in tokens:
        token.attrs, token.info = {}, ""
    html: str = reader.renderer.render(tokens, reader.options, {})
    return html


def _scale(form: Form) -> str:
    keys = {label: key for key, label in form.keys.items()}
    lines = []
    for label, meaning in form.meanings.items():
        key = "" if keys[label] == label else f" (key {keys[label]})"
        lines.append(f"- **{label}**{key}: {meaning}")
    return "\n".join(lines)


_ERROR = (
    "A factual error is a statement that contradicts the source, or that the source neither states "
    "nor strongly implies and that does not follow from it. What is true but stands not in "
    "the source is an error too. Style, length and what is left out do not count."
)

COARSE_SUMMARY = Rubric(
    name="summary-correctness",
    version=1,
    values=COARSE.values,
    evidence_name="SOURCE",
    claim_name="SUMMARY",
    criterion=(
        "Rate how correct the summary is, from 0 to 5, by the source alone; what you know besides "
        f"does not count. {_ERROR}\n"
        + "\n".join(f"{label}: {meaning}." for label, meaning in COARSE.meanings.items())
    ),
)

FINE_SUMMARY = Rubric(
    name="clause-support",
    version=1,
    values=FINE.values,
    evidence_name="SOURCE",
    claim_name="CLAUSE",
    criterion=(
        "Decide whether the source supports the clause that is marked off in its summary. Judge "
        "the marked clause only; the rest of the summary tells what it speaks of. Go by the source "
        f"alone; what you know besides does not count. {_ERROR}\n"
        "YES: the source states it or strongly implies it, or it follows from the source.\n"
        "NO: the source contradicts it or does not tell it."
    ),
)


def clause_claim(summary: str, start: int, end: int) -> str:
    """A clause with the summary that it stands in, as `FINE_SUMMARY` judges it."""
    return f"Clause: {summary[start:end]}\nIts summary: {summary}"
