"""Question sets for knowledge graphs: JSON, JSON Lines, CSV, TSV, Parquet.

Each row is a question by the fields that it has; what its answer means may depend on the whole file
(from which number options are counted), so that answers of choices are resolved at the end.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from factmark.errors import InputError
from factmark.files.problems import Problems
from factmark.files.rows import OBJECTS, Row, header_of, read_rows
from factmark.graphrag.core.question_options import (
    letter_of,
    places_named,
    split_options,
    without_labels,
)
from factmark.graphrag.core.records import LETTERS, GraphQuestion
from factmark.graphrag.question_fields import (
    LISTS,
    USUAL,
    UnreadableError,
    answerable_of,
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
    value_of,
)
from factmark.graphs.core.claims import folded

_NO_ANSWER = "no answer"
_HOW_MANY = re.compile(
    r"\b(?:how\s+(?:many|much|often|old|long|far|high|low|large|big)|(?:what|which)\s+number)\b"
    r"(?!.*\bfollowing\b)",
    re.IGNORECASE | re.DOTALL,
)  # asks for a number by itself, which is no number of an option then


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
    def first_number(self) -> int:
        """The number that stands before the first option; 0 where none does."""
        return int(self.names[0]) if self.names and self.names[0].isdecimal() else 0

    @property
    def is_numbered(self) -> bool:
        """Whether numbers from 1 on stand before the options, and the answer is a number."""
        return self.first_number > 0 and self.number is not None


def read_graph_questions(
    path: Path, problems: Problems, *, first_option: int | None = None, encoding: str = "utf-8"
) -> tuple[GraphQuestion, ...]:
    """The questions of a file, in order; each row is read by the fields that it has.

    Free text has `question` and `answer` or `references`; multiple choice has `options` as well,
    or has them in its text; where the answer is yes, no or maybe, that is the kind. See
    `factmark.graphrag.question_fields.USUAL` for the other names of each field.

    Args:
        path: `.json` (a list of objects), `.jsonl`, `.ndjson`, `.csv`, `.tsv`, `.tab`, `.parquet`.
        problems: where rows that cannot be used are counted and told with their line.
        first_option: the number of the first option where the answer is a number. By default 0;
            where numbers stand before the options, the answer is the one that it names, unless
            an answer of the file is 0 and no option is.

    Raises:
        InputError: for a file that cannot be read at all, of which no row can be used, or whose
            answers are counted from another first option.
    """
    _check_header(path, encoding)
    table = path.suffix.casefold() in (".csv", ".tsv", ".tab")
    drafts, before = [], problems.rows
    for where, row in read_rows(path, problems, encoding):
        note = partial(problems.note, "a field is not read", where)
        try:
            drafts.append(draft(where, row, problems.rows - before, note, table=table))
        except UnreadableError as error:
            problems.drop(error.kind, where, str(error))
    numbers = _Numbers(path, drafts, first_option, problems)
    questions: dict[str, GraphQuestion] = {}
    for row_draft in drafts:
        where = row_draft.question.where
        try:
            question = _resolved(row_draft, numbers)
        except UnreadableError as error:
            problems.drop(error.kind, where, str(error))
            continue
        first = questions.setdefault(question.id, question)
        if first is not question:
            why = f"{question.id!r} is the id at {first.where}"
            problems.drop("an id given twice", where, why)
    if not questions:
        why = " ".join(f"{sentence}." for sentence in problems.sentences()) or "It is empty."
        raise InputError(
            f"{path}: no question can be used. {why} A row needs `question`, and `answer` or "
            "`references`; multiple choice `options` too."
        )
    return tuple(questions.values())


def _check_header(path: Path, encoding: str) -> None:
    """A table must have a column for the question, whatever stands in its rows."""
    if path.suffix.casefold() in OBJECTS or not path.is_file():
        return  # what cannot be opened is told by `read_rows`
    header = header_of(path, encoding)
    if header and not set(fields_of(dict.fromkeys(header, "x"))) & set(USUAL["question"]):
        raise InputError(
            f"{path}, line 1: no column for the question. Found: {', '.join(header[:12])}. Name "
            f"it {' or '.join(f'`{name}`' for name in USUAL['question'][:2])}."
        )


def draft(where: str, row: Row, place: int, note: Callable[[str], None], *, table: bool) -> Draft:
    """A row as a question.

    Args:
        place: of the row in its file, from 1; the id where the row has none.
        note: is told what was odd in a row that is used.
        table: whether the row is of a table without lists: several stand in a cell.

    Raises:
        UnreadableError: it cannot be used.
    """
    fields = fields_of(row)
    asked, name = value_of(fields, "question"), value_of(fields, "id")
    if asked is None:
        raise UnreadableError("", "no question")
    question = GraphQuestion(
        id=f"q{place}" if name is None else text_of(name, "id"),
        text=text_of(asked, "the question"),
        kind="text",
        references=(),
        answerable=readable(lambda: answerable_of(fields), note, None),
        triples=readable(lambda: triples_of(value_of(fields, "triples")), note, ()),
        strata=readable(lambda: strata_of(fields), note, {}),
        where=where,
    )
    names, options = options_of(fields)
    if options:
        drafted = _choice(question, fields, without_labels(options), names)
    else:
        drafted = _open(question, fields, note, table=table)
    if drafted.question.kind != "text" and value_of(fields, "aliases") is not None:
        note(f"aliases of a {drafted.question.kind} question are not read")
    return drafted


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
    name, index = named(fields, "index") or ("", None)
    if name == "label" and answer is not None:
        index = None  # a label of another sort
    right = _only(answer if index is None else index)
    if right is None and question.answerable is not False:
        raise UnreadableError("name the right option as `answer`", _NO_ANSWER)
    return Draft(
        question=replace(question, kind="choice", options=tuple(options)),
        answer=right,
        counted=index is not None,
        names=tuple(names),
        other=None if index is None or answer is None else text_of(_only(answer), "the answer"),
    )


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
    filled = named(fields, "answer") or named(fields, "index")
    if filled is None:
        if question.answerable is False:
            return Draft(question=question)
        raise UnreadableError("name it as `answer` or `references`", _NO_ANSWER)
    name, value = filled
    if table and isinstance(value, str) and (listed := list_of(value)) is not None:
        value = listed
    decision = _decision(value)
    if isinstance(value, (str, int, float)) and (split := split_options(question.text)):
        answers = [] if isinstance(value, bool) else [value]
        if any(
            _is_option_name(answer) or places_named(str(answer), split.options)
            for answer in (*answers, *([decision] if decision else []))
        ):
            first = split.first_number
            names = [] if first is None else [str(first + at) for at in range(len(split.options))]
            return _choice(replace(question, text=split.text), fields, split.options, names)
    if decision is not None:
        return Draft(question=replace(question, kind="yes-no", references=(decision,)))
    if isinstance(value, (str, int, float)) and _is_option_name(value) and name not in LISTS:
        counts = index_of(value) is not None and _HOW_MANY.search(question.text)
        if not counts or name not in USUAL["answer"]:
            raise UnreadableError(
                f"the answer {value!r} may name an option, and no options are found: give them as "
                "`options`, or the answer in words (yes, no); free text goes to `references`",
                "no options",
            )
    references = texts_of(value, "the answer", cell=table and name in USUAL["answer"])
    none: tuple[str, ...] = ()
    aliases = partial(texts_of, value_of(fields, "aliases"), "aliases", cell=table)
    more = readable(aliases, note, none)
    if not references:
        raise UnreadableError("the answer is empty", _NO_ANSWER)
    accepted = tuple(dict.fromkeys((*references, *more)))
    return Draft(question=replace(question, references=accepted))


def _decision(value: object) -> str | None:
    """What all of the answers say, where each is yes, no or maybe."""
    decisions = list(map(decision_of, value if isinstance(value, (list, tuple)) else [value]))
    if not decisions or None in decisions:
        return None
    if len(set(decisions)) > 1:
        raise UnreadableError("one of yes, no and maybe must be right", "answers that disagree")
    return decisions[0]


def _is_option_name(value: object) -> bool:
    """Whether an answer is a letter or a number, as of an option."""
    number = index_of(value)
    if number is not None:
        return -1 <= number <= len(LETTERS)
    return isinstance(value, str) and (letter_of(value) or "?") in LETTERS


class _Numbers:
    """From where the answers of a file that are numbers are counted.

    Raises:
        InputError: they are counted from another number than the one that was said.
    """

    def __init__(
        self, path: Path, drafts: Sequence[Draft], first: int | None, problems: Problems
    ) -> None:
        self._first = first or 0
        numbered = [draft for draft in drafts if first is None and draft.is_numbered]
        self._by_name = bool(numbered) and all(draft.number != 0 for draft in numbered)
        self._check(path, drafts)
        if self._by_name and all(draft.number != len(draft.names) for draft in numbered):
            problems.note(
                "numbers of options",
                numbered[0].question.where,
                "answers are read as the numbers before the options; if they are counted from 0, "
                "say --first-option 0",
            )

    def _check(self, path: Path, drafts: Sequence[Draft]) -> None:
        """An answer one beyond an end, and none at the other end: the count starts elsewhere."""
        first = self._first
        ends = [
            (draft, draft.number, first + len(draft.question.options) - 1)
            for draft in drafts
            if draft.number is not None and not (self._by_name and draft.is_numbered)
        ]
        low = any(number == first for _, number, _ in ends)
        high = any(number == last for _, number, last in ends)
        for draft, number, last in ends:
            if (number == last + 1 and not low) or (number == first - 1 == 0 and not high):
                other = 1 if number == last + 1 else 0
                raise InputError(
                    f"{path}, {draft.question.where}: the answer is {number}, and the options "
                    f"are counted from {first} to {last}, so nothing is read. If the file counts "
                    f"from {other}, say --first-option {other}; else mend that answer."
                )

    def place(self, draft: Draft, number: int) -> int:
        """The place of the option that a number means, from 0; may lie outside."""
        return number - (draft.first_number if self._by_name and draft.is_numbered else self._first)


def _resolved(draft: Draft, numbers: _Numbers) -> GraphQuestion:
    """The question with the right option as its reference.

    Raises:
        UnreadableError: its answer is none of its options, or could be several.
    """
    question = draft.question
    if question.kind != "choice" or draft.answer is None:
        return question
    options, answer = question.options, str(draft.answer)
    if draft.number is None:
        places = places_named(answer, options, draft.names or LETTERS)
    else:
        places = {numbers.place(draft, draft.number)} & set(range(len(options)))
        if not draft.counted:
            text = folded(answer)
            places |= {at for at, option in enumerate(options) if folded(option) == text}
    if not places:
        raise UnreadableError(
            f"the answer {answer[:60]!r} is none of its {len(options)} options",
            "an answer that is no option",
        )
    if len(places) > 1:
        raise UnreadableError(
            f"the answer {answer[:60]!r} is the place of one option and the text of another; "
            "write it as a letter",
            "an answer of two meanings",
        )
    (place,) = places
    if draft.other is not None and index_of(draft.other) is None:
        also = places_named(draft.other, options, draft.names or LETTERS)
        if also and place not in also:
            raise UnreadableError(
                f"{draft.other[:60]!r} is not option {LETTERS[place]}", "answers that disagree"
            )
    return replace(question, references=(options[place],))
