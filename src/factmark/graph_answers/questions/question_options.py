"""Options of multiple-choice questions: split off a question's text, found by an answer. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import product
from typing import NamedTuple

from factmark.graph_answers.core.records import LETTERS
from factmark.graphs.core.claims import folded

_MARKER = r"(?:(?:[Oo]ption|[Cc]hoice)\s)?[(\[]?(?P<label>LABEL)[)\].:]"
_AT_LINE = rf"^[ \t>*_-]*{_MARKER}[*_]{{0,2}}(?!\d)[ \t]*"
_IN_LINE = rf"(?<!\S){_MARKER}\s+"
_LABELS = ("[A-Z]", "[a-z]", r"\d{1,2}")  # most telling first
_BEFORE_BARE = "?:.;!\n"
_MARKS = 200  # the last so many are looked at, so that no text takes long
_TAIL = 80  # characters before the options in which `Options:` may stand
_MIN_BARE = 3  # `A. … B. …` in running text: two may be initials
_HEAD = re.compile(
    r"(?:^|(?<=[\s?.]))[*_]{0,2}(?:answer\s+)?(?:options|choices)[*_]{0,2}\s*:[*_]{0,2}\s*",
    re.IGNORECASE,
)
_TRAILING_HEAD = re.compile(
    r"[*_]{0,2}\b(?:(?:answer\s+)?(?:options|choices)|choose one|select one)[*_]{0,2}"
    r"\s*[:.]?[*_]{0,2}\s*$",
    re.IGNORECASE,
)
_INSTRUCTION = re.compile(
    r"\s*(?:(?:the |your |please )*(?:answer|choose|select|pick|respond|reply|return|output|give)\b"
    r"|please\b|only\b|think\b)",
    re.IGNORECASE,
)
_ANSWER_LINE = re.compile(r"\s*(?:the |your )?answer\b", re.IGNORECASE)
_QUOTE = r"(?:'([^'\n]{1,80})'|\"([^\"\n]{1,80})\")"
_QUOTED = re.compile(rf"\bfrom:?\s+{_QUOTE}(?:,?\s+(?:(?:and|or)\s+)?{_QUOTE})+", re.IGNORECASE)
_JOINED = re.compile(r"[;,](?:\s+(?:or|and))?\s*$|\s+or\s*$")
_BULLET = re.compile(r"^\s*(?:[-*•·]\s+)?(.*?)\s*$")
_LABELLED = re.compile(r"^[\s(\[*_]*([A-Za-z]|\d{1,2})(?:[)\].:*_]+(?:\s+|$)|\s*$)(.*)$", re.DOTALL)
"""A label, and what stands behind it."""


class SplitQuestion(NamedTuple):
    """A question without the options that stood in it; the number of the first, where numbered."""

    text: str
    options: tuple[str, ...]
    first_number: int | None = None


def split_options(text: str) -> SplitQuestion | None:
    """Returns a question without the options that stand in it, and these, on lines of their own or
    in line; None if there are none.

    Markers are `A.`, `A)`, `(A)`, `[A]`, `A:`, small letters and numbers too, in their order from
    the first on; or the options follow the word `Options:`, one a line; or they stand in quotation
    marks in an instruction of its own line ("select from 'yes', 'no', and 'maybe'").

    >>> split_options("Where is insulin made? (A) liver (B) pancreas").options
    ('liver', 'pancreas')
    """
    heads = list(_HEAD.finditer(text))
    head = None
    if heads:
        head = heads[-1]
    for place, label in product((_AT_LINE, _IN_LINE), _LABELS):
        marks = list(re.finditer(place.replace("LABEL", label), text, re.MULTILINE))[-_MARKS:]
        bare = [place is _IN_LINE and mark[0][0] not in "([" for mark in marks]
        best: list[re.Match[str]] = []
        for at, mark in enumerate(marks):
            opens = not bare[at] or text[: mark.start()].rstrip(" \t")[-1:] in _BEFORE_BARE
            if opens and mark["label"] in ("A", "a", "0", "1"):
                run = list(_consecutive_markers(marks[at:]))
                enough = 2
                if bare[at] and head is None:
                    enough = _MIN_BARE
                if len(run) >= max(enough, len(best)):
                    best = run
        if best and (split := _split_at_markers(text, best)):
            return split
    if head is None:
        return _options_in_quotes(text)
    return _options_on_lines(text, head)


def _split_at_markers(text: str, marks: Sequence[re.Match[str]]) -> SplitQuestion | None:
    """Returns the question and its options, which stand after these markers; None if one is
    empty."""
    ends = [mark.start() for mark in marks[1:]]
    options = []
    for mark, end in zip(marks, ends, strict=False):
        options.append(text[mark.end() : end])
    one_line = not any("\n" in option.strip() for option in options)
    last, rest = _split_after_last(text[marks[-1].end() :], one_line=one_line)
    cleaned = tuple(
        _JOINED.sub("", " ".join(option.split())).strip("*_ ") for option in (*options, last)
    )
    asked = _question_text(text[: marks[0].start()], rest)
    if not asked or not all(cleaned):
        return None
    label = marks[0]["label"]
    return SplitQuestion(asked, cleaned, int(label) if label.isdigit() else None)


def _consecutive_markers(marks: Sequence[re.Match[str]]) -> Iterator[re.Match[str]]:
    """Yields the first marker, then each that bears the label after the one before."""
    wanted = _place_of_label(marks[0]["label"])
    for mark in marks:
        if _place_of_label(mark["label"]) == wanted:
            yield mark
            wanted += 1


def _place_of_label(label: str) -> int:
    """Returns a number that grows by one from a label to the next."""
    if label.isdigit():
        return int(label)
    return ord(label)


def _split_after_last(text: str, *, one_line: bool) -> tuple[str, str]:
    """Returns the last option, and what stands below it: after an empty line, as an instruction, or
    on any further line if all other options are of one line."""
    lines = text.split("\n")
    for place, line in enumerate(lines[1:], 1):
        if one_line or not line.strip() or _INSTRUCTION.match(line):
            return "\n".join(lines[:place]), "\n".join(lines[place:])
    return text, ""


def _question_text(before: str, after: str) -> str:
    """Returns the question, made of what stands before its options and below them, without
    instructions."""
    asked = before.rstrip()
    asked = (asked[:-_TAIL] + _TRAILING_HEAD.sub("", asked[-_TAIL:])).strip()
    more = []
    for line in after.split("\n"):
        if line.strip():
            more.append(line.strip())
    return "\n".join([asked, *(line for line in more if not _INSTRUCTION.match(line))]).strip()


def _options_on_lines(text: str, head: re.Match[str]) -> SplitQuestion | None:
    """Returns the question, and as options the lines below the word `Options:`, which bear no
    markers; None if there are not two."""
    lines = []
    for line in text[head.end() :].split("\n"):
        if line.strip():
            lines.append(line)
    while lines and _ANSWER_LINE.match(lines[-1]):
        lines.pop()
    options = tuple(" ".join(_BULLET.sub(r"\1", line).split()) for line in lines)
    asked = _question_text(text[: head.start()], "")
    if len(options) > 1 and asked and all(options):
        return SplitQuestion(asked, options)
    return None


def _options_in_quotes(text: str) -> SplitQuestion | None:
    """Returns the question, and the options in quotation marks on a line below it; None if there
    are none."""
    match = _QUOTED.search(text)
    asked = ""
    if match:
        asked = text[: text.rfind("\n", 0, match.start()) + 1].strip()
    options: tuple[str, ...] = ()
    if match:
        options = tuple("".join(pair) for pair in re.findall(_QUOTE, match[0]))
    if asked:
        return SplitQuestion(asked, options)
    return None


def without_labels(options: Sequence[str]) -> tuple[str, ...]:
    """Returns the options without `A. `, `B. ` … if each bears the label of its place.

    >>> without_labels(["(a) lens", "(b) retina"])
    ('lens', 'retina')
    """
    marks = []
    for option in options:
        if (mark := _LABELLED.match(option)) and mark[2]:
            marks.append(mark)
    labels = "".join(mark[1].upper() for mark in marks)
    if len(marks) == len(options) > 1 and labels == LETTERS[: len(options)]:
        return tuple(mark[2] for mark in marks)
    return tuple(options)


def letter_of(answer: str) -> str | None:
    """Returns the letter if an answer is nothing but one, as `C`, `(c)`, `C.`; else None.

    >>> letter_of(" (c) "), letter_of("retina")
    ('C', None)
    """
    match = _LABELLED.match(answer)
    if match and not match[2] and match[1].isalpha():
        return match[1].upper()
    return None


def option_places(answer: str, options: Sequence[str], names: Sequence[str] = LETTERS) -> set[int]:
    """Returns the places of the options that an answer can mean, by name, by text or by both.

    Several where it could mean either; none for a name with another option's text (`C. lens` where
    C is `retina`).

    Args:
        names: of the options, in order; letters where the file has no others.
    """
    upper = [name.upper() for name in names[: len(options)]]
    texts = [folded(option) for option in options]
    places = {place for place, text in enumerate(texts) if text == folded(answer)}
    letter = letter_of(answer) or answer.strip().upper()
    if letter in upper:
        places.add(upper.index(letter))
    both = _LABELLED.match(answer)
    if not places and both and both[1].upper() in upper:
        place = upper.index(both[1].upper())
        if texts[place] == folded(both[2]):
            return {place}
        return set()
    return places
