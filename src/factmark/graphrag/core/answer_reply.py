"""What a model's answer to a question of a graph says."""

from __future__ import annotations

import re
from dataclasses import dataclass

from factmark.graphrag.core.records import LETTERS, GraphQuestion
from factmark.replies.abstaining import abstains
from factmark.replies.choices import ABSTAIN, read_choice
from factmark.replies.label_of_reply import ends_of, parse_reply
from factmark.replies.options import (
    agrees,
    option_finder,
    read_exact,
    read_number,
    read_option,
)
from factmark.replies.plain import DONT_KNOW, final_text, plain

_SPECIES = re.compile(r"\b[A-J]\. [a-z]{4,}\b")
_TRUTH = re.compile(r"[^\w]{0,9}(?:(true)|false)[^\w?]{0,9}", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadAnswer:
    """What was read from a reply.

    Attributes:
        said: the text without its reasoning, the option's letter, `yes`, `no` or `maybe`; "I don't
            know" of a choice or yes-no reply that abstains; empty where nothing can be read.
        abstained: whether it says that it does not know, and no more.
    """

    said: str = ""
    abstained: bool = False

    @property
    def unparsed(self) -> bool:
        """Whether nothing can be read."""
        return not self.said


def read_answer(question: GraphQuestion, reply: str) -> ReadAnswer:
    """What a reply answers to a question.

    A letter goes before an option's text; the number of an option counts where it is all that the
    reply says.
    """
    if question.kind == "text":
        final = final_text(reply)
        if not re.search(r"\w", final):
            return ReadAnswer()
        return ReadAnswer(said=final, abstained=abstains(final))
    answer = _choice(question, reply) if question.kind == "choice" else _yes_no(reply)
    if answer == ABSTAIN:
        return ReadAnswer(said=DONT_KNOW, abstained=True)
    return ReadAnswer(said=answer or "")


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
        label = read_choice(text, len(question.options))
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
