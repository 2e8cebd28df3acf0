"""What form of question a row is: free text, multiple choice, yes or no."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from factmark.files.rows import Row
from factmark.graphrag.core.options import letter_of, places_named, split_options, without_labels
from factmark.graphrag.core.questions import LETTERS, GraphQuestion
from factmark.graphrag.questions.fields import (
    LISTS,
    USUAL,
    UnreadableError,
    decision_of,
    fields_of,
    index_of,
    list_of,
    named,
    options_of,
    readable,
    strata_of,
    text_of,
    texts_of,
    triples_of,
    truth_of,
    value_of,
)
from factmark.graphs.core.claims import folded

NO_ANSWER = "no answer"
_HOW_MANY = re.compile(
    r"\b(?:how\s+(?:many|much|often|old|long|far|high|low|large|big)|(?:what|which)\s+number)\b"
    r"(?!.*\bfollowing\b)",
    re.IGNORECASE | re.DOTALL,
)
"""Asks for a number by itself, which is no number of an option then."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A question as its row has it.

    Attributes:
        question: whole, but for the references of a `choice` that `answer` names.
        answer: of a `choice`, a name, number or text of an option; None where none is right.
        counted: whether `answer` can be nothing but a number or a name.
        names: of the options as the file has them, as `A`, `B` or `1`, `2`; empty for none.
        other: what the row also gives as its answer, to be held against `answer`.
    """

    question: GraphQuestion
    answer: Any = None
    counted: bool = False
    names: tuple[str, ...] = ()
    other: str | None = None

    @property
    def number(self) -> int | None:
        """The answer where it is a number."""
        return None if self.answer is None else index_of(self.answer)

    @property
    def first_number(self) -> int | None:
        """The number that stands before the first option; None where none does."""
        return int(self.names[0]) if self.names and self.names[0].isdecimal() else None


def draft(where: str, row: Row, place: int, note: Callable[[str], None], *, table: bool) -> Draft:
    """A row as a question.

    Args:
        place: of the row in its file, from 1; the id where the row has none.
        note: is told what was odd in a row that is used.
        table: whether the row is of a table without lists: several stand in a cell, as a
            list or between `|`.

    Raises:
        UnreadableError: it cannot be used.
    """
    fields = fields_of(row)
    asked = value_of(fields, "question")
    if asked is None:
        raise UnreadableError("", "no question")
    given_id = value_of(fields, "id")
    question = GraphQuestion(
        id=f"q{place}" if given_id is None else text_of(given_id, "id"),
        text=text_of(asked, "the question"),
        kind="text",
        references=(),
        answerable=readable(partial(_answerable, fields), note, None),
        triples=readable(partial(triples_of, value_of(fields, "triples")), note, ()),
        strata=readable(partial(strata_of, fields), note, {}),
        where=where,
    )
    names, options = options_of(fields)
    if options:
        made = _choice(question, fields, without_labels(options), names)
    else:
        made = _open(question, fields, note, table=table)
    if made.question.kind != "text" and value_of(fields, "aliases") is not None:
        note(f"aliases of a {made.question.kind} question are not read")
    return made


def _answerable(fields: Mapping[str, Any]) -> bool | None:
    known = truth_of(value_of(fields, "answerable"), "answerable")
    if known is None:
        no = truth_of(value_of(fields, "unanswerable"), "unanswerable")
        return None if no is None else not no
    return known


def _choice(
    question: GraphQuestion, fields: Mapping[str, Any], options: Sequence[str], names: Sequence[str]
) -> Draft:
    """A multiple-choice question; its answer is resolved when the whole file is known."""
    if not 2 <= len(options) <= len(LETTERS):
        raise UnreadableError(f"{len(options)} options; 2 to {len(LETTERS)} can be read", "options")
    if not all(options):
        raise UnreadableError("an option is empty", "options")
    if len({folded(option) for option in options}) < len(options):
        raise UnreadableError("an option stands twice", "options")
    answer = value_of(fields, "answer")
    found = named(fields, "index")
    if found and found[0] == "label" and answer is not None:
        found = None  # a label of another sort
    index = None if found is None else found[1]
    made = Draft(
        question=replace(question, kind="choice", options=tuple(options)),
        answer=_only(answer if index is None else index),
        counted=index is not None,
        names=tuple(names),
        other=None if index is None or answer is None else text_of(_only(answer), "the answer"),
    )
    if made.answer is None and question.answerable is not False:
        raise UnreadableError("name the right option as `answer`", NO_ANSWER)
    return made


def _only(value: object) -> object:
    """The one answer that is right of several options."""
    if isinstance(value, (list, tuple)):
        if len(value) != 1:
            raise UnreadableError("one option must be right", f"{len(value)} right options")
        value = value[0]
    if isinstance(value, bool):
        return "yes" if value else "no"
    return value if value is None or isinstance(value, int) else text_of(value, "the answer")


def _open(
    question: GraphQuestion, fields: Mapping[str, Any], note: Callable[[str], None], *, table: bool
) -> Draft:
    """A question without options of its own: they may stand in its text."""
    found = named(fields, "answer") or named(fields, "index")
    if found is None:
        if question.answerable is False:
            return Draft(question=question)
        raise UnreadableError("name it as `answer` or `references`", NO_ANSWER)
    name, value = found
    if table and isinstance(value, str) and (listed := list_of(value)) is not None:
        value = listed
    decision = _decision(value)
    single = value if isinstance(value, (str, int, float)) and not isinstance(value, bool) else None
    if isinstance(value, bool) or single is not None:
        split = split_options(question.text)
        if split and any(
            _fits(one, split.options) for one in (single, decision) if one is not None
        ):
            names = _numbers(split.first_number, len(split.options))
            return _choice(replace(question, text=split.text), fields, split.options, names)
    if decision is not None:
        return Draft(question=replace(question, kind="yes-no", references=(decision,)))
    if single is not None and _names_option(single) and name not in LISTS:
        counts = index_of(single) is not None and _HOW_MANY.search(question.text)
        if not counts or name not in USUAL["answer"]:
            raise UnreadableError(
                f"the answer {single!r} may name an option, and no options are found: give them as "
                "`options`, or the answer in words (yes, no); free text goes to `references`",
                "no options",
            )
    references = texts_of(value, "the answer", cell=table and name in USUAL["answer"])
    none: tuple[str, ...] = ()
    aliases = partial(texts_of, value_of(fields, "aliases"), "aliases", cell=table)
    more = readable(aliases, note, none)
    if not references:
        raise UnreadableError("the answer is empty", NO_ANSWER)
    accepted = tuple(dict.fromkeys((*references, *more)))
    return Draft(question=replace(question, references=accepted))


def _decision(value: object) -> str | None:
    """What all of the answers say, where each is yes, no or maybe."""
    several = value if isinstance(value, (list, tuple)) else [value]
    said = [decision_of(one) for one in several]
    if not said or None in said:
        return None
    if len(set(said)) > 1:
        raise UnreadableError("one of yes, no and maybe must be right", "answers that disagree")
    return said[0]


def _names_option(value: object) -> bool:
    """Whether an answer is a letter or a number, as of an option."""
    number = index_of(value)
    if number is not None:
        return -1 <= number <= len(LETTERS)
    letter = letter_of(value) if isinstance(value, str) else None
    return letter is not None and letter in LETTERS


def _fits(value: object, options: Sequence[str]) -> bool:
    """Whether an answer can be one of the options that stand in the question."""
    return _names_option(value) or bool(places_named(str(value), options))


def _numbers(first: int | None, count: int) -> tuple[str, ...]:
    return () if first is None else tuple(str(first + at) for at in range(count))
