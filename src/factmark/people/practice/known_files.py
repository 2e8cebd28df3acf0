"""Training, gold and the questions of a check, from files: a row a unit, with its right answer."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from factmark.campaign_model import Shown, Span
from factmark.errors import InputError
from factmark.files.rows import Row, strict_rows, text_cell
from factmark.model import content_hash
from factmark.people.core.forms import COARSE, FINE, Form
from factmark.people.core.linking import index_source, likely_by_words
from factmark.people.core.summary_blinding import blind_source, blind_summary
from factmark.people.practice.known import KnownUnit, Role
from factmark.text.blinding import blind

_EVIDENCE = ("source", "article", "evidence", "passage", "reference")
_TEXT = ("summary", "text", "claim", "answer")
_RIGHT = ("label", "right")
_MOST_OPTIONS = 9  # each has a digit


def read_known(path: Path, role: Role, form: Form, encoding: str = "utf-8") -> list[KnownUnit]:
    """Returns units of a form with their right answers, in the order of the file.

    Columns are `source`, `summary` (or `claim`, `answer`, `text`), `label`, `why`; for `fine` also
    `clause`, the words of the summary that are asked about.

    Raises:
        InputError: with the line, a cell that is missing, a label that is none of the form's, a
            clause that is not in its summary, a unit that stands twice.
    """
    if not form.values:
        raise InputError(f"--{role}: a campaign of {form.name!r} has no labels to be right.")
    out: dict[object, KnownUnit] = {}
    for where, row in strict_rows(path, encoding):
        known = _known_unit(where, row, role, form)
        asked = known.shown.evidence, known.shown.text, known.shown.clause
        if asked in out:
            raise InputError(f"{where}: asks the same as a row before.")
        out[asked] = known
    if not out:
        raise InputError(f"{path}: holds no rows.")
    return list(out.values())


def read_check(path: Path, encoding: str = "utf-8") -> list[KnownUnit]:
    """Returns questions on the guidelines with their right answers, in the order of the file.

    Columns are `question`, `options` (a list, or parted by `|`), `label` (the right option, or its
    number from 1) and `why`.

    Raises:
        InputError: with the line, a cell that is missing, fewer than two options or more than nine,
            a right answer that is none of them, a question that stands twice with the same options.
    """
    out: dict[object, KnownUnit] = {}
    for where, row in strict_rows(path, encoding):
        question = text_cell(where, row, "question")
        given = row.get("options")
        if isinstance(given, list):
            parts = given
        else:
            parts = str(given or "").split("|")
        options = tuple(str(part).strip() for part in parts if str(part).strip())
        if not 2 <= len(options) <= _MOST_OPTIONS:
            raise InputError(
                f"{where}: `options` has {len(options)}, not 2 to {_MOST_OPTIONS}; part them by |."
            )
        numbers = {}
        for number in range(1, len(options) + 1):
            numbers[str(number)] = str(number)
        numbers |= {option: str(number) for number, option in enumerate(options, 1)}
        right = _cell(where, row, _RIGHT).strip()
        if right not in numbers:
            raise InputError(f"{where}: the right answer {right!r} is none of the options.")
        shown = Shown(evidence="", text=question, options=options)
        if (question, options) in out:
            raise InputError(f"{where}: asks the same as a row before.")
        out[question, options] = KnownUnit(
            role="check",
            document="practice-check",
            shown=shown,
            right=numbers[right],
            why=_why(row),
        )
    if not out:
        raise InputError(f"{path}: holds no questions.")
    return list(out.values())


def _known_unit(where: str, row: Row, role: Role, form: Form) -> KnownUnit:
    """Returns the unit of a row; InputError where something in it is missing or does not fit."""
    evidence = _cell(where, row, _EVIDENCE)
    text = _cell(where, row, _TEXT)
    place: Span | None = None
    likely: tuple[Span, ...] = ()
    if form in (COARSE, FINE):  # written alike, as what it stands among is
        evidence = blind_source(evidence).text
        text = blind_summary(text).text
    if form == FINE:
        place = _place_of_clause(where, text_cell(where, row, "clause"), text)
        (sentences,) = likely_by_words([text[slice(*place)]], index_source(evidence))
        likely = tuple((sentence.start, sentence.end) for sentence in sentences)
    right = _cell(where, row, _RIGHT).strip()
    why = _why(row)
    if right not in form.values:
        raise InputError(f"{where}: the label {right!r} is not one of {', '.join(form.labels)}.")
    if role == "training" and not why:
        raise InputError(f"{where}: has no `why`: training shows why the right answer is right.")
    return KnownUnit(
        role=role,
        document=f"practice-{content_hash(role, evidence)[:12]}",
        shown=Shown(evidence=evidence, text=text, clause=place, likely=likely),
        right=right,
        why=why,
    )


def _place_of_clause(where: str, clause: str, summary: str) -> Span:
    """Returns where a clause stands in a summary that was written alike; InputError where its words
    do not."""
    words = map(re.escape, blind(clause).text.split())
    place = re.search(r"\s+".join(words), summary, re.IGNORECASE)
    if place is None or not place[0]:
        raise InputError(f"{where}: the clause does not stand in its summary word for word.")
    return place.span()


def _cell(where: str, row: Row, names: tuple[str, ...]) -> str:
    """Returns the text in the first of these columns that a row has; InputError where none is."""
    name = next((name for name in names if row.get(name) not in (None, "")), names[0])
    value = row.get(name)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return f"{value:g}"  # a rating
    return text_cell(where, row, name)


def _why(row: Mapping[str, object]) -> str:
    """Returns the explanation of a row, or an empty text."""
    return str(row.get("why") or row.get("explanation") or "").strip()
