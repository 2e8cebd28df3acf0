"""Facts that people marked in answers, read from a file, in place of the rules' or beside them.

Annotations are a sheet (`marks.sheet`) or JSON Lines, whose rows have `query_id`, `answer` and,
under each annotator's name, an object with `facts` (each with a `quote` of the answer; `text` where
the quote is missing; `start` and `end` in characters where the file tells them), `verdict` and
`absence`. Matching with G stays the rules' (M1-M5).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from factmark.answers.core.records import AnswerScore, Fact, GivenAnswer, Question
from factmark.answers.core.scores import score_facts, targets_of
from factmark.answers.marks.sheet import SHEETS, as_it_stands, read_sheet, row_name
from factmark.errors import InputError
from factmark.files.text_files import json_lines, read_text, without_surrogates
from factmark.model import content_hash

Marks = tuple[tuple[Fact, ...], str | None, bool]
"""Facts, verdict, absence"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Annotations:
    """What one person marked, by question and the answer's text: facts, verdict, absence.

    Attributes:
        name: whose marks they are; several names where each answer has the marks of one of them.
        digest: of the file.
        rows: of a sheet the place and the marks of each answer, by its name there (`row_name`).
    """

    path: Path
    name: str
    marked: Mapping[tuple[str, str], Marks]
    digest: str
    rows: Mapping[str, tuple[str, Mapping[str, Any]]] = field(default_factory=dict)

    def score(self, question: Question, answer: GivenAnswer) -> AnswerScore | None:
        """The answer's score by these marks; None where it was not annotated.

        Raises:
            InputError: a sheet quotes what is not in the answer.
        """
        marks = self.marked.get((answer.query_id, answer.text))
        if marks is None:  # a sheet's cells may have been rewritten: its quotes are looked for here
            named = self.rows.get(row_name(answer.query_id, answer.text))
            marks = None
            if named is not None:
                marks = _checked_marks(
                    named[0], answer.text, _with_quotes_as_written(named[1], answer)
                )
        if marks is None:
            return None
        facts, verdict, absence = marks
        targets = targets_of(question)
        return score_facts(facts, targets, verdict=verdict, absence=absence)


def open_annotations(path: Path, annotator: str | None = None) -> Annotations:
    """The marks of one annotator, or of the first one in each row.

    Args:
        annotator: the field that holds the annotations. None: that of the first row, and in rows
            that it has not marked the first one found. Rows that only others marked are left out
            where one is named.

    Raises:
        InputError: for a broken file, an unknown annotator, a quote that is not in its answer.
    """
    marked: dict[tuple[str, str], Marks] = {}
    rows: dict[str, tuple[str, Mapping[str, Any]]] = {}
    names: dict[str, None] = {}
    whole = read_text(path)
    for where, sheet_row, row in _annotated_answers(path, whole):
        whose = [
            key for key, value in row.items() if isinstance(value, Mapping) and "facts" in value
        ]
        name = annotator or next((name for name in names if name in whose), "".join(whose[:1]))
        if annotator and whose and annotator not in row:
            continue
        if not isinstance(row.get(name), Mapping):
            raise InputError(
                f"{where}: no annotations under {name or 'any name'!r}; name the field "
                "with --annotator."
            )
        names[name] = None
        if sheet_row:
            rows[sheet_row] = where, row[name]
            continue
        text = ""
        if row["answer"] is not None:
            text = str(row["answer"])
        key = (without_surrogates(str(row["query_id"])).strip(), without_surrogates(text))
        marked[key] = _checked_marks(where, key[1], row[name])
    if annotator and not names:
        raise InputError(f"{path}: no annotations under {annotator!r}; see --annotator.")
    return Annotations(
        path=path,
        name=without_surrogates(", ".join(names)),
        marked=marked,
        digest=content_hash(whole),
        rows=rows,
    )


def _annotated_answers(path: Path, whole: str) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    """The annotated answers of a file: place, what a sheet calls the answer (or empty), marks."""
    if path.suffix.casefold() in SHEETS:
        yield from read_sheet(path)
        return
    for place, row in json_lines(path, whole.split("\n")):
        where = f"{path}, {place}"
        if not isinstance(row, Mapping) or not {"query_id", "answer"} <= row.keys():
            raise InputError(f"{where}: an annotated answer has query_id and answer.")
        yield where, "", row


def _with_quotes_as_written(marks: Mapping[str, Any], answer: GivenAnswer) -> dict[str, Any]:
    """Marks of a sheet, each quote in the letters of the answer."""
    quotes = []
    for fact in marks["facts"]:
        quotes.append(as_it_stands(fact["quote"], answer.text))
    return {**marks, "facts": [{"quote": quote} for quote in quotes]}


def _checked_marks(
    where: str, answer: str, given: Mapping[str, Any]
) -> tuple[tuple[Fact, ...], str | None, bool]:
    """Facts, verdict and absence from an object of marks; raises InputError for what is no mark."""
    listed = given.get("facts")
    if not isinstance(listed, Sequence) or isinstance(listed, str):
        raise InputError(f"{where}: 'facts' is not a list.")
    verdict = given.get("verdict")
    if verdict not in (None, "yes", "no"):
        raise InputError(f"{where}: verdict is yes, no or null, not {verdict!r}.")
    facts: list[Fact] = []
    for fact in listed:
        facts.append(_checked_fact(where, answer, fact, facts))
    return tuple(facts), verdict, bool(given.get("absence", False))


def _checked_fact(where: str, answer: str, given: object, earlier: Sequence[Fact]) -> Fact:
    """A marked fact at its place in the answer; raises InputError where the answer does not hold
    it."""
    if not isinstance(given, Mapping):
        raise InputError(f"{where}: a fact is an object with a quote.")
    quote = given.get("quote", given.get("text"))
    if isinstance(quote, str):
        quote = without_surrogates(quote)
    if not isinstance(quote, str) or not quote or quote not in answer:
        raise InputError(f"{where}: the quote {quote!r} is not in the answer.")
    start = given.get("start")
    end = given.get("end")
    if start is None and end is None:
        start = _likeliest_place(answer, quote, earlier)
        return Fact(text=quote, start=start, end=start + len(quote))
    if not isinstance(start, int) or isinstance(start, bool) or start < 0:
        raise InputError(f"{where}: the start of {quote!r} is no count of characters: {start!r}.")
    if end not in (None, start + len(quote)) or not answer.startswith(quote, start):
        raise InputError(f"{where}: {quote!r} does not stand from {start} to {end!r}.")
    return Fact(text=quote, start=start, end=start + len(quote))


def _likeliest_place(answer: str, quote: str, earlier: Sequence[Fact]) -> int:
    """The start of a quote in an answer: as whole words first, then apart from earlier facts."""
    whole = re.compile(
        (r"(?<!\w)(?<!\d[.,])" if quote[0].isalnum() else "")
        + re.escape(quote)
        + (r"(?!\w)(?![.,]\d)" if quote[-1].isalnum() else "")
    )

    def worse(start: int) -> tuple[bool, bool]:
        used = any(fact.start < start + len(quote) and start < fact.end for fact in earlier)
        return whole.match(answer, start) is None, used

    places = re.finditer(f"(?={re.escape(quote)})", answer)
    return min((match.start() for match in places), key=worse)
