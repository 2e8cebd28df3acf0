"""What a model's answer to a question of a graph says."""

from __future__ import annotations

import re
from dataclasses import dataclass

from factmark.graph_answers.core.records import GraphQuestion
from factmark.replies.abstaining import abstains
from factmark.replies.choices import ABSTAIN
from factmark.replies.label_of_reply import parse_reply
from factmark.replies.options import read_option
from factmark.replies.plain import DONT_KNOW, final_text

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
        """Whether no answer can be read."""
        return not self.said


def read_answer(question: GraphQuestion, reply: str) -> ReadAnswer:
    """Returns what a reply answers to a question; see `read_option` for its options."""
    if question.kind == "text":
        final = final_text(reply)
        if not re.search(r"\w", final):
            return ReadAnswer()
        return ReadAnswer(said=final, abstained=abstains(final))
    if question.kind == "choice":
        answer = read_option(reply, question.options, question.text)
    else:
        answer = _yes_no(reply)
    if answer == ABSTAIN:
        return ReadAnswer(said=DONT_KNOW, abstained=True)
    return ReadAnswer(said=answer or "")


def _yes_no(reply: str) -> str | None:
    """Returns what a reply answers to a yes-no question: `yes`, `no`, `maybe` or `ABSTAIN`; None if
    nothing can be read."""
    answer = final_text(reply)
    truth = _TRUTH.fullmatch(answer)
    if truth:
        if truth[1]:
            return "yes"
        return "no"
    label = parse_reply(reply, ("YES", "NO", "MAYBE"))
    if label is not None:
        return label.casefold()
    if abstains(answer):
        return ABSTAIN
    return None
