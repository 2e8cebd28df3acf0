"""Question sets for knowledge graphs: JSON, JSON Lines, CSV, TSV, Parquet."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from factmark.errors import InputError
from factmark.files.problems import Problems
from factmark.files.rows import OBJECTS, header_of, read_rows
from factmark.graphrag.core.options import places_named
from factmark.graphrag.core.questions import LETTERS, GraphQuestion
from factmark.graphrag.questions.fields import USUAL, UnreadableError, fields_of, index_of
from factmark.graphrag.questions.rows import Draft, draft
from factmark.graphs.core.claims import folded

_TEXT_TABLES = (".csv", ".tsv", ".tab")


def read_graph_questions(
    path: Path,
    problems: Problems,
    *,
    first_option: int | None = None,
    encoding: str = "utf-8",
) -> tuple[GraphQuestion, ...]:
    """The questions of a file, in order; each row is read by the fields that it has.

    Free text has `question` and `answer` or `references`; multiple choice has `options` as well,
    or has them in its text; where the answer is yes, no or maybe, that is the kind. See
    `factmark.graphrag.questions.fields.USUAL` for the other names of each field.

    Args:
        path: `.json` (a list of objects), `.jsonl`, `.ndjson`, `.csv`, `.tsv`, `.tab`, or
            `.parquet`.
        problems: where rows that cannot be used are counted and told with their line.
        first_option: the number of the first option where the answer is a number. By default 0;
            where numbers stand before the options, the answer is the one that it names, unless
            an answer of the file is 0 and no option is.

    Raises:
        InputError: for a file that cannot be read at all, of which no row can be used, or whose
            answers are counted from another first option.
    """
    _check_header(path, encoding)
    table = path.suffix.casefold() in _TEXT_TABLES
    drafts, before = [], problems.rows
    for where, row in read_rows(path, problems, encoding):

        def note(why: str, where: str = where) -> None:
            problems.note("a field is not read", where, why)

        try:
            drafts.append(draft(where, row, problems.rows - before, note, table=table))
        except UnreadableError as error:
            problems.drop(error.kind, where, str(error))
    numbers = _Numbers(path, drafts, first_option, problems)
    questions = []
    for one in drafts:
        try:
            questions.append(_resolved(one, numbers))
        except UnreadableError as error:
            problems.drop(error.kind, one.question.where, str(error))
    found = _unique(questions, problems)
    if not found:
        told = " ".join(f"{sentence}." for sentence in problems.sentences()) or "It is empty."
        raise InputError(
            f"{path}: no question can be used. {told} A row needs `question`, and `answer` or "
            "`references`; multiple choice `options` too."
        )
    return found


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


class _Numbers:
    """From where the answers of a file that are numbers are counted.

    Raises:
        InputError: they are counted from another number than the one that was said.
    """

    def __init__(
        self, path: Path, drafts: Sequence[Draft], first: int | None, problems: Problems
    ) -> None:
        self.first = 0 if first is None else first
        numbered = [one for one in drafts if first is None and _is_numbered(one)]
        self.by_name = bool(numbered) and all(one.number != 0 for one in numbered)
        by_place = [
            one
            for one in drafts
            if one.number is not None and not (self.by_name and _is_numbered(one))
        ]
        self._check(path, by_place)
        if self.by_name and all(one.number != len(one.names) for one in numbered):
            problems.note(
                "numbers of options",
                numbered[0].question.where,
                "answers are read as the numbers before the options; if they are counted from 0, "
                "say --first-option 0",
            )

    def _check(self, path: Path, drafts: Sequence[Draft]) -> None:
        """An answer one beyond an end, and none at the other end: the count starts elsewhere."""
        ends = [(one, self.first, self.first + len(one.question.options) - 1) for one in drafts]
        low = any(one.number == first for one, first, _ in ends)
        high = any(one.number == last for one, _, last in ends)
        for one, first, last in ends:
            if (one.number == last + 1 and not low) or (one.number == first - 1 == 0 and not high):
                other = 1 if one.number == last + 1 else 0
                raise InputError(
                    f"{path}, {one.question.where}: the answer is {one.number}, and the options "
                    f"are counted from {first} to {last}. One beyond an end may mean that it "
                    f"counts from {other}, and then no answer in it is what it seems, so nothing "
                    f"is read. If it does, say --first-option {other}; else mend that answer."
                )

    def place(self, one: Draft, number: int) -> int:
        """The place of the option that a number means, from 0; may lie outside."""
        if self.by_name and _is_numbered(one):
            return number - (one.first_number or 0)
        return number - self.first


def _is_numbered(one: Draft) -> bool:
    """Whether numbers from 1 on stand before the options, and the answer is a number."""
    return bool(one.first_number) and one.number is not None


def _resolved(one: Draft, numbers: _Numbers) -> GraphQuestion:
    """The question with the right option as its reference.

    Raises:
        UnreadableError: its answer is none of its options, or could be several.
    """
    question = one.question
    if question.kind != "choice" or one.answer is None:
        return question
    options, number = question.options, one.number
    if number is None:
        places = places_named(str(one.answer), options, one.names or LETTERS)
    else:
        places = {numbers.place(one, number)} & set(range(len(options)))
        if not one.counted:
            text = folded(str(one.answer))
            places |= {at for at, option in enumerate(options) if folded(option) == text}
    if not places:
        raise UnreadableError(
            f"the answer {str(one.answer)[:60]!r} is none of its {len(options)} options",
            "an answer that is no option",
        )
    if len(places) > 1:
        raise UnreadableError(
            f"the answer {str(one.answer)[:60]!r} is the place of one option and the text of "
            "another; write it as a letter",
            "an answer of two meanings",
        )
    (place,) = places
    _agrees(one, place)
    return replace(question, references=(options[place],))


def _agrees(one: Draft, place: int) -> None:
    """What the row says besides must not be another option."""
    if one.other is None or index_of(one.other) is not None:
        return
    also = places_named(one.other, one.question.options, one.names or LETTERS)
    if also and place not in also:
        raise UnreadableError(
            f"{one.other[:60]!r} is not option {LETTERS[place]}", "answers that disagree"
        )


def _unique(questions: Sequence[GraphQuestion], problems: Problems) -> tuple[GraphQuestion, ...]:
    """The questions whose ids no earlier one has."""
    found: dict[str, GraphQuestion] = {}
    for question in questions:
        if question.id in found:
            why = f"{question.id!r} is the id at {found[question.id].where}"
            problems.drop("an id given twice", question.where, why)
        else:
            found[question.id] = question
    return tuple(found.values())
