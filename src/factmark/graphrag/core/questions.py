"""Questions that a knowledge graph should help to answer. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

QuestionKind = Literal["text", "choice", "yes-no"]

LETTERS = "ABCDEFGHIJ"
"""Names of options; so many are the most that a question may have."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphQuestion:
    """One question with what counts as a right answer.

    Attributes:
        id: unique in its set.
        text: as people ask it, without its options.
        kind: `text`: answered in free text; `choice`: by one of the options; `yes-no`: by yes, no
            or maybe.
        references: accepted answers, each by itself right; of a `choice` the text of the right
            option, of `yes-no` one of `yes`, `no`, `maybe`. Empty only where `answerable` is
            False and the file names no answer: then to abstain is right, and no answer is. An
            unanswerable question may have references too: what is true of the world, though the
            graph does not hold it.
        options: texts of the options, in order; empty but for `choice`.
        triples: the triples (head, relation, tail) that together answer it, where the file names
            them.
        answerable: whether the graph holds the answer, where the file says so.
        strata: what results are broken down by: topic, difficulty, hops.
        where: the place in the file, as `line 12`.
    """

    id: str
    text: str
    kind: QuestionKind
    references: tuple[str, ...]
    options: tuple[str, ...] = ()
    triples: tuple[tuple[str, str, str], ...] = ()
    answerable: bool | None = None
    strata: Mapping[str, str] = field(default_factory=dict)
    where: str = ""

    @property
    def asked(self) -> str:
        """The question as a model is asked it: options stand below, one a line, with letters."""
        lines = [
            f"{letter}. {option}" for letter, option in zip(LETTERS, self.options, strict=False)
        ]
        return "\n".join([self.text, *lines])

    @property
    def right(self) -> str | None:
        """The letter of the right option; None but for `choice`, and where no answer is right."""
        if self.kind != "choice" or not self.references:
            return None
        return LETTERS[self.options.index(self.references[0])]
