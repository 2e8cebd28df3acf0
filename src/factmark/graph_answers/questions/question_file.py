"""Question sets for knowledge graphs, in any form that the intake reads.

Each row is a question by the fields that it has; what its answer means may depend on the whole file
(from which number options are counted), so that answers of choices are resolved at the end.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from factmark.errors import InputError
from factmark.files.problems import Problems
from factmark.graph_answers.core.records import LETTERS, GraphQuestion
from factmark.graph_answers.questions.question_fields import (
    TASK,
    UnreadableError,
    answerable_of,
    decision_of,
    fields_of,
    index_of,
    name_and_value,
    options_of,
    strata_of,
    text_of,
    texts_of,
    triples_of,
    value_of,
    value_or_default,
)
from factmark.graph_answers.questions.question_options import (
    letter_of,
    option_places,
    split_options,
    without_labels,
)
from factmark.graphs.core.claims import folded
from factmark.graphs.core.opaque_names import is_opaque
from factmark.intake.heads import CELLS
from factmark.intake.shapes import read_cell
from factmark.intake.table_file import TableFile, in_form, open_table
from factmark.intake.tools import role_names

_NO_ANSWER = "no answer"
_NO_NAMES: tuple[str, ...] = ()
_HOW_MANY = re.compile(
    r"\b(?:how\s+(?:many|much|often|old|long|far|high|low|large|big)|(?:what|which)\s+number)\b"
    r"(?!.*\bfollowing\b)",
    re.IGNORECASE | re.DOTALL,
)  # asks for a number by itself, which is no number of an option then


class _Draft(NamedTuple):
    """A question as its row has it, whole but for the reference of a `choice`.

    Attributes:
        answers: of a `choice`, what names the right option: of `answer_index` and its kin first.
        counted: whether the first of them can be nothing but a number or a name.
        names: of the options as the file has them, as `A`, `B` or `1`, `2`; empty for none.
    """

    question: GraphQuestion
    answers: tuple[str | int, ...] = ()
    counted: bool = False
    names: tuple[str, ...] = ()

    @property
    def number(self) -> int | None:
        """The answer if it is a number, else None."""
        if self.answers:
            return index_of(self.answers[0])
        return None

    @property
    def first_number(self) -> int:
        """The number that stands before the first option; 0 if none does."""
        if self.names and self.names[0].isdecimal():
            return int(self.names[0])
        return 0


def read_graph_questions(
    path: Path, problems: Problems, *, first_option: int | None = None, encoding: str = "utf-8"
) -> tuple[GraphQuestion, ...]:
    """Returns the questions of a file, in order; each row is read by the fields that it has.

    Free text has `question` and `answer` or `references`; multiple choice has `options` as well,
    or has them in its text; where the answer is yes, no or maybe, that is the kind. See
    `intake/tasks/questions.toml` for the other names of each field, and `intake/tools` for files of
    published sets.

    Args:
        path: `.json` (a list of objects), `.jsonl`, `.ndjson`, `.csv`, `.tsv`, `.tab`, `.parquet`.
        problems: where rows that cannot be used are counted, with their line.
        first_option: the number of the first option where the answer is a number. By default 0;
            where numbers stand before the options, the answer is the one that it names, unless
            an answer of the file is 0 and no option is.

    Raises:
        InputError: for a file that cannot be read at all, of which no row can be used, or whose
            answers are counted from another first option.
    """
    table = _open_questions(path, encoding)
    is_table = path.suffix.casefold() in CELLS
    drafts = []
    before = problems.rows
    for where, row in table.rows(problems):
        note = partial(problems.note, "a field is not read", where)
        fields = fields_of(row, table.form)
        try:
            drafts.append(_read_draft(where, fields, problems.rows - before, note, table=is_table))
        except UnreadableError as error:
            problems.drop(error.kind, where, str(error))
    first_of = _first_option_numbers(path, drafts, first_option, problems)
    questions: dict[str, GraphQuestion] = {}
    for draft in drafts:
        where = draft.question.where
        try:
            question = _resolve(draft, first_of(draft))
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


def _open_questions(path: Path, encoding: str) -> TableFile:
    """Returns a file of questions, opened; in the form of the tool that wrote it, if it has one."""
    if path.suffix.casefold() == ".txt":
        return in_form(TableFile(path=path, encoding=encoding, task=TASK, has_head=False))
    try:
        return open_table(path, encoding, task=TASK)
    except InputError:  # several lists, which are read one after the other; or no file at all
        return TableFile(path=path, encoding=encoding)


def _read_draft(
    where: str, fields: Mapping[str, Any], place: int, note: Callable[[str], None], *, table: bool
) -> _Draft:
    """Returns the question of a row, whole but for the reference of a multiple-choice one.

    Args:
        place: of the row in its file, from 1; the id where the row has none.
        note: called with what was odd in a row that is used.
        table: whether the row is of a table without lists: several stand in a cell.

    Raises:
        UnreadableError: it cannot be used.
    """
    asked = value_of(fields, "question")
    name = value_of(fields, "id")
    if asked is None:
        raise UnreadableError("", "no question")
    question = GraphQuestion(
        id=f"q{place}" if name is None else text_of(name, "id"),
        text=text_of(asked, "the question"),
        kind="text",
        references=(),
        answerable=value_or_default(lambda: answerable_of(fields), note, None),
        triples=value_or_default(lambda: triples_of(fields), note, ()),
        entities=_names(fields, "entity", note, table=table),
        path=_names(fields, "path", note, table=table),
        support=tuple(dict.fromkeys(_names(fields, "support", note, table=table))),
        strata=value_or_default(lambda: strata_of(fields), note, {}),
        where=where,
    )
    names, options = options_of(fields)
    if options:
        return _read_choice(question, fields, without_labels(options), names)
    return _read_open_question(question, fields, note, table=table)


def _names(
    fields: Mapping[str, Any], field: str, note: Callable[[str], None], *, table: bool
) -> tuple[str, ...]:
    """Returns the names in a field, in order; a relation may stand twice in a path."""
    value = value_of(fields, field)
    if isinstance(value, str) and table:
        parsed = read_cell(value)
        value = re.split(r"\s*[|>]\s*", value) if isinstance(parsed, str) else parsed
    if isinstance(value, (list, tuple)):
        values = value
    else:
        values = [value]
    return value_or_default(
        lambda: tuple(text_of(each, field) for each in values if each is not None), note, _NO_NAMES
    )


def _read_choice(
    question: GraphQuestion, fields: Mapping[str, Any], options: Sequence[str], names: Sequence[str]
) -> _Draft:
    """Returns a multiple-choice question; its answer is resolved when the whole file is known."""
    if not 2 <= len(options) <= len(LETTERS):
        raise UnreadableError(f"{len(options)} options; 2 to {len(LETTERS)} can be read", "options")
    if not all(options):
        raise UnreadableError("an option is empty", "options")
    if len({folded(option) for option in options}) < len(options):
        raise UnreadableError("an option stands twice", "options")
    name, index = name_and_value(fields, "index")
    answer = value_of(fields, "answer")
    if name == "label" and answer is not None:
        index = None  # a label of another sort
    answers = tuple(_only_answer(value) for value in (index, answer) if value is not None)
    if not answers and question.answerable is not False:
        raise UnreadableError("name the right option as `answer`", _NO_ANSWER)
    question = replace(question, kind="choice", options=tuple(options))
    return _Draft(question, answers, index is not None, tuple(names))


def _only_answer(value: object) -> str | int:
    """Returns the one answer of a question that has options."""
    if isinstance(value, (list, tuple)):
        if len(value) != 1:
            raise UnreadableError("one option must be right", f"{len(value)} right options")
        (value,) = value
    if isinstance(value, bool):
        if value:
            return "yes"
        return "no"
    if isinstance(value, int):
        return value
    return text_of(value, "the answer")


def _read_open_question(
    question: GraphQuestion, fields: Mapping[str, Any], note: Callable[[str], None], *, table: bool
) -> _Draft:
    """Returns a question without options of its own; they may stand in its text."""
    name, value = name_and_value(fields, "answer")
    if value is None:
        name, value = name_and_value(fields, "index")
    if value is None:
        if question.answerable is False:
            return _Draft(question)
        raise UnreadableError("name it as `answer` or `references`", _NO_ANSWER)
    if table and isinstance(listed := read_cell(value), list):
        value = listed
    decision = _common_decision(value)
    single = isinstance(value, (str, int, float))
    if single and (split := split_options(question.text)):
        if isinstance(value, bool):
            stated = decision
        else:
            stated = str(value)
        options = split.options
        if _names_option(value) or any(
            option_places(each, options) for each in (stated, decision) if each
        ):
            first = split.first_number
            names = []
            if first is not None:
                names = [str(first + at) for at in range(len(options))]
            return _read_choice(replace(question, text=split.text), fields, options, names)
    if decision is not None:
        return _Draft(replace(question, kind="yes-no", references=(decision,)))
    is_answer = name in role_names(TASK)["answer"]
    counts = is_answer and index_of(value) is not None and _HOW_MANY.search(question.text)
    is_free = counts or name in role_names(TASK, "words")["free"]
    if single and _names_option(value) and not is_free:
        raise UnreadableError(
            f"the answer {value!r} may name an option, and no options are found: give them as "
            "`options`, or the answer in words (yes, no); free text goes to `references`",
            "no options",
        )
    references = texts_of(value, "the answer", cell=table and is_answer)
    if not references:
        raise UnreadableError("the answer is empty", _NO_ANSWER)
    aliases = partial(texts_of, value_of(fields, "aliases"), "aliases", cell=table)
    every = tuple(dict.fromkeys((*references, *value_or_default(aliases, note, _NO_NAMES))))
    _note_ids(every, note)
    return _Draft(replace(question, references=every, is_set=isinstance(value, (list, tuple))))


def _note_ids(answers: Sequence[str], note: Callable[[str], None]) -> None:
    """Notes answers that are nothing but ids, which few graphs hold; numbers are none."""
    if all(map(is_opaque, answers)) and not all(map(str.isdecimal, answers)):
        note(f"the answer {answers[0]!r} is an id, which only a graph with such ids holds")


def _common_decision(value: object) -> str | None:
    """Returns yes, no or maybe if all answers say that; None if one of them is none of these."""
    decisions = set(map(decision_of, value if isinstance(value, (list, tuple)) else [value]))
    if not decisions or None in decisions:
        return None
    if len(decisions) > 1:
        raise UnreadableError("one of yes, no and maybe must be right", "answers that disagree")
    return decisions.pop()


def _names_option(value: object) -> bool:
    """Whether an answer is a letter or a number, as of an option."""
    number = index_of(value)
    if number is not None:
        return -1 <= number <= len(LETTERS)
    return isinstance(value, str) and (letter_of(value) or "?") in LETTERS


def _first_option_numbers(
    path: Path, drafts: Sequence[_Draft], first: int | None, problems: Problems
) -> Callable[[_Draft], int]:
    """Returns a function from a question to its first option's number, by which numbers as answers
    are read.

    Raises:
        InputError: an answer lies one beyond an end, and none at the other: the count starts
            elsewhere.
    """
    given = [draft for draft in drafts if draft.number is not None]
    numbered = [draft for draft in given if first is None and draft.first_number]
    by_name = bool(numbered) and all(draft.number for draft in numbered)
    if by_name and all(draft.number != len(draft.names) for draft in numbered):
        problems.note(
            "numbers of options",
            numbered[0].question.where,
            "answers are read as the numbers before the options; if they are counted from 0, "
            "say --first-option 0",
        )
    start = first or 0
    rest = [draft for draft in given if not (by_name and draft.first_number)]
    ends = [start + len(draft.question.options) - 1 for draft in rest]
    low = any(draft.number == start for draft in rest)
    high = any(draft.number == last for draft, last in zip(rest, ends, strict=True))
    for draft, last in zip(rest, ends, strict=True):
        beyond = draft.number == last + 1 and not low
        if beyond or (draft.number == start - 1 == 0 and not high):
            raise InputError(
                f"{path}, {draft.question.where}: the answer is {draft.number}, and the options "
                f"are counted from {start} to {last}, so nothing is read. If the file counts "
                f"from {int(beyond)}, say --first-option {int(beyond)}; else mend that answer."
            )
    return lambda draft: draft.first_number if by_name and draft.first_number else start


def _resolve(draft: _Draft, first: int) -> GraphQuestion:
    """Returns the question with its right option as the reference.

    Args:
        first: the number of the first option.

    Raises:
        UnreadableError: its answer is none of its options, or could be several.
    """
    question = draft.question
    options = draft.question.options
    if not draft.answers:
        return question
    answer, *others = draft.answers
    if draft.number is None:
        places = option_places(str(answer), options, draft.names or LETTERS)
    else:
        places = {draft.number - first} & set(range(len(options)))
        if not draft.counted:
            text = folded(str(answer))
            places |= {at for at, option in enumerate(options) if folded(option) == text}
    if not places:
        raise UnreadableError(
            f"the answer {str(answer)[:60]!r} is none of its {len(options)} options",
            "an answer that is no option",
        )
    if len(places) > 1:
        raise UnreadableError(
            f"the answer {str(answer)[:60]!r} is the place of one option and the text of another; "
            "write it as a letter",
            "an answer of two meanings",
        )
    (place,) = places
    for other in others:
        also = option_places(str(other), options, draft.names or LETTERS)
        if index_of(other) is None and also and place not in also:
            raise UnreadableError(
                f"{str(other)[:60]!r} is not option {LETTERS[place]}", "answers that disagree"
            )
    return replace(question, references=(options[place],))
