"""What a model's answer to a question of a graph says, and its verdict where a rule can tell."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from factmark.graphrag.core.records import LETTERS, GraphQuestion
from factmark.replies.abstaining import abstains
from factmark.replies.choices import ABSTAIN, read_choice
from factmark.replies.options import (
    agrees,
    option_finder,
    read_exact,
    read_number,
    read_option,
    without_lettered,
)
from factmark.replies.plain import DONT_KNOW, final_text, plain
from factmark.replies.reading import ends_of, parse_reply

_SPECIES = re.compile(r"\b[A-J]\. [a-z]{4,}\b")
_TRUTH = re.compile(r"[^\w]{0,9}(?:(true)|false)[^\w?]{0,9}", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadAnswer:
    """What was read from a reply.

    Attributes:
        said: the text without its reasoning, the option's letter, `yes`, `no` or `maybe`; "I don't
            know" of a choice or yes-no reply that abstains; empty where nothing can be read.
        abstained: whether it says that it does not know, and no more.
        label: the verdict, where a rule can give it; None for free text, which a judge decides,
            and where nothing can be read.
        unparsed: whether nothing can be read.
    """

    said: str = ""
    abstained: bool = False
    label: Literal["CORRECT", "INCORRECT"] | None = None
    unparsed: bool = False


def read_answer(question: GraphQuestion, reply: str) -> ReadAnswer:
    """What a reply answers to a question.

    An abstention is INCORRECT to a question with a reference. To a question without one, whatever
    its kind, it is CORRECT and all else INCORRECT. A letter goes before an option's text; the
    number of an option counts where it is all that the reply says.
    """
    if question.kind == "text":
        final = final_text(reply)
        if not re.search(r"\w", final):
            return ReadAnswer(unparsed=True)
        abstained, decided = abstains(final), not question.references
        return ReadAnswer(
            said=final, abstained=abstained, label=_label(abstained) if decided else None
        )
    answer = _choice(question, reply) if question.kind == "choice" else _yes_no(reply)
    if answer is None:
        return ReadAnswer(unparsed=True)
    if answer == ABSTAIN:
        return ReadAnswer(said=DONT_KNOW, abstained=True, label=_label(not question.references))
    right = (question.right,) if question.right else map(str.casefold, question.references)
    return ReadAnswer(said=answer, label=_label(answer in right))


def _label(correct: bool) -> Literal["CORRECT", "INCORRECT"]:
    return "CORRECT" if correct else "INCORRECT"


def _choice(question: GraphQuestion, reply: str) -> str | None:
    """The letter, `ABSTAIN`, or None."""
    finder = option_finder(LETTERS[: len(question.options)], question.options)
    final = final_text(reply)
    exact, settled = read_exact(final, finder)
    if settled:
        return exact
    text = _without_species(ends_of(plain(reply)), question)
    label = finder.exact(text)
    if label is None:
        label = read_choice(without_lettered(text, finder), len(question.options))
    if label is None:
        ending = ends_of(plain(final))
        label = read_option(ending, finder) or read_number(ending, finder)
    if label is None:
        return ABSTAIN if abstains(final) else None
    return label if label == ABSTAIN or agrees(label, text, finder) else None


def _without_species(text: str, question: GraphQuestion) -> str:
    """The text with "that" for each "E. coli" of the question or its options: E is no option."""
    species = {
        name for given in (question.text, *question.options) for name in _SPECIES.findall(given)
    }
    return _SPECIES.sub(lambda match: "that" if match[0] in species else match[0], text)


def _yes_no(reply: str) -> str | None:
    """`yes`, `no`, `maybe`, `ABSTAIN`, or None."""
    answer = final_text(reply)
    if truth := _TRUTH.fullmatch(answer):
        return "yes" if truth[1] else "no"
    label = parse_reply(reply, ("YES", "NO", "MAYBE"))
    if label is not None:
        return label.casefold()
    return ABSTAIN if abstains(answer) else None
