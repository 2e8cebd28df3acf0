"""JSON as models write it, and the verdicts in it.

`read_json` takes single quotes, trailing commas, bare words, comments and a missing end; it never
raises and looks at every character a bounded number of times. A verdict stands under a key that
names one, or is the only value that is a label.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from factmark.replies.labels import Finder, words_of

_SPACE = re.compile(r"(?:\s|//[^\n]{0,2000}\n)*")
_MARKS = frozenset("{}[]\"',:")
_BARE_WORD = re.compile(r"[^\W\d]\w{0,63}(?:[ -][^\W\d]\w{0,31}){0,3}")
_NUMBER = re.compile(r"-?\d{1,30}(?:\.\d{1,30})?(?:[eE][+-]?\d{1,3})?%?")
_AFTER_STRING = re.compile(r"\s{0,100}(?:[,:}\]]|\Z)")
_STRING_END = {mark: re.compile(rf"\\u[0-9a-fA-F]{{4}}|\\.|{mark}|\n", re.DOTALL) for mark in "\"'"}
_ESCAPES = {"n": "\n", "t": "\t", "r": "\n", "b": "\\b", "f": "\\f"}
_CONSTANTS = {"true": True, "false": False, "null": None, "none": None}
_MAX_DEPTH = 24
_NOUNS = frozenset(
    "verdict label answer judgment judgement decision classification result rating evaluation "
    "assessment conclusion output response prediction choice option class category grade "
    "determination selection outcome letter value judge finding support validity correctness "
    "status valid".split()
)
_FINAL = frozenset("final revised corrected updated".split())
_BESIDE = frozenset("my the overall selected chosen predicted your claim is factual".split())
_YES_NO = re.compile(r"\W*(?:yes|no|true|false)\b", re.IGNORECASE)  # answers whatever the key asks
_BESIDES = re.compile(
    r"reason|expla|ration|evidence|quote|source|passage|text|comment|note|analysis|thought|claim"
    r"|confidence|alternative|other|first|initial|previous|given|reference|truth|question|context"
    r"|options|labels|allowed|injected|ignored|rejected|correct_?answer|expected|example|detail",
    re.IGNORECASE,
)

ReadLabel = Callable[[str], str | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Pairs:
    """A JSON object: its pairs in order, a repeated key repeated."""

    items: list[tuple[str, object]] = field(default_factory=list)


class _Stop(Exception):  # noqa: N818 - ends the reading, is no error
    """The text ends, or goes on as no JSON does."""


@dataclass(slots=True)
class _JsonReader:
    """Reads values of `text` from place `at` on; `number` makes a value of a number's text."""

    text: str
    at: int
    number: Callable[[str], object]

    def space(self) -> str:
        """Skips white space and comments; returns the next character, or an empty string at the
        end.
        """
        head = self.text[self.at : self.at + 1]
        if head not in _MARKS and (skipped := _SPACE.match(self.text, self.at)):
            self.at = skipped.end()
            head = self.text[self.at : self.at + 1]
        return head

    def string(self) -> str:
        """Reads a string in either quotes; a quotation mark inside a word does not end it."""
        mark = self.text[self.at]
        self.at += 1
        parts: list[str] = []
        while end := _STRING_END[mark].search(self.text, self.at):
            parts.append(self.text[self.at : end.start()])
            self.at = end.end()
            if end[0] == mark and _AFTER_STRING.match(self.text, self.at):
                return _join_surrogates("".join(parts))
            parts.append(_unescape(end[0]))
        self.at = len(self.text)
        raise _Stop

    def atom(self) -> object:
        """Reads a number, a constant or a bare word."""
        atom = _NUMBER.match(self.text, self.at) or _BARE_WORD.match(self.text, self.at)
        if atom is None:
            raise _Stop
        self.at = atom.end()
        if atom.re is _NUMBER and math.isfinite(float(atom[0].rstrip("%"))):
            return self.number(atom[0].rstrip("%"))
        return _CONSTANTS.get(atom[0].casefold(), atom[0])

    def value(self, depth: int, grown: list[object]) -> None:
        """Reads a value onto the end of `grown`, a container before it is complete, lest a cut-off
        one is lost.
        """
        head = self.space()
        if depth > _MAX_DEPTH or not head:
            raise _Stop
        if head in "{[":
            self.container("]" if head == "[" else "}", depth, grown)
            return
        value: object
        if head in "\"'":
            value = self.string()
        else:
            value = self.atom()
        if self.space() not in (",", "}", "]", ":", ""):
            raise _Stop
        grown.append(value)

    def container(self, end: str, depth: int, grown: list[object]) -> None:
        """Reads an array or object onto the end of `grown`, item by item."""
        items: list[object] = []
        pairs = Pairs()
        grown.append(items if end == "]" else pairs)
        self.at += 1
        while (head := self.space()) != end:
            if not head:
                raise _Stop
            if end == "]":
                self.value(depth + 1, items)
            else:
                self.pair(head, depth, pairs)
            head = self.space()
            if head not in (",", end):
                raise _Stop
            self.at += head == ","
        self.at += 1

    def pair(self, head: str, depth: int, pairs: Pairs) -> None:
        """Reads a key and its value into `pairs`; the value also when it breaks off."""
        key: object
        if head in "\"'":
            key = self.string()
        else:
            key = self.atom()
        if self.space() not in (":", "="):
            raise _Stop
        self.at += 1
        grown: list[object] = []
        try:
            self.value(depth + 1, grown)
        finally:
            name = str(int(key) if isinstance(key, float) else key)
            pairs.items.extend((name, value) for value in grown)


def _join_surrogates(text: str) -> str:
    """Returns the text with the two halves of a character (`\\ud83d\\ude00`) put together."""
    if text.isascii():
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _unescape(sequence: str) -> str:
    """Returns what an escape sequence stands for; any other text as it is."""
    if sequence[0] != "\\":
        return sequence
    if len(sequence) == 6:
        return chr(int(sequence[2:], 16))
    return _ESCAPES.get(sequence[1:], sequence[1:])


def read_json(
    text: str, start: int, *, number: Callable[[str], object] = float
) -> tuple[object, int, bool]:
    """Returns the object or array that begins at `start`, the place where reading ended, and
    whether the value is complete.

    An incomplete value holds what came before its text ended or went wrong.

    Args:
        number: makes a value of a number's text.
    """
    reader = _JsonReader(text, start, number)
    grown: list[object] = []
    try:
        reader.value(0, grown)
    except _Stop:
        return (grown[0] if grown else None), max(reader.at, start + 1), False
    return grown[0], reader.at, True


def each_json(text: str, opening: re.Pattern[str]) -> Iterator[tuple[int, int, object, bool]]:
    """Yields where each object or array of a text begins and ends, the value, and whether it is
    complete.

    Args:
        opening: what one begins with.
    """
    done = 0
    for match in opening.finditer(text):
        if match.start() >= done:
            value, done, is_whole = read_json(text, match.start())
            yield match.start(), done, value, is_whole


def only_list(value: object) -> list[object] | None:
    """Returns the value if it is a list, or the only list in an object; else None."""
    if isinstance(value, Pairs):
        inner = [part for _, part in value.items]
    else:
        inner = [value]
    lists = []
    for part in inner:
        if isinstance(part, list):
            lists.append(part)
    if len(lists) == 1:
        return lists[0]
    return None


def json_verdict(
    value: object, finder: Finder, read_label: ReadLabel
) -> tuple[str | None, bool] | None:
    """Returns the one label that a JSON value declares, and whether it is called final; None if it
    declares none.
    """
    declared = list(_verdicts(value, finder, read_label))
    final = []
    for is_final, label in declared:
        if is_final:
            final.append(label)
    labels = set(final or [label for _, label in declared])
    if declared:
        return (labels.pop() if len(labels) == 1 else None, bool(final))
    return None


def _verdicts(
    value: object, finder: Finder, read_label: ReadLabel
) -> Iterator[tuple[bool, str | None]]:
    """Yields every verdict in a JSON value: whether it is called final, and its label or None."""
    if isinstance(value, list):
        for item in value:
            if isinstance(item, str):
                yield False, read_label(item)
            else:
                yield from _verdicts(item, finder, read_label)
    if not isinstance(value, Pairs):
        return
    named = [
        (kind, inner)
        for key, inner in value.items
        if not isinstance(inner, Pairs | list) and (kind := verdict_key_kind(key))
    ]
    flags = {label: inner for key, inner in value.items if (label := finder.exact(key))}
    if named:
        for kind, inner in named:
            yield kind == "final", read_label(inner) if isinstance(inner, str) else None
    elif flags:
        yield False, _label_of_flags(flags, finder)
    else:
        for key, inner in value.items:
            if _BESIDES.search(key):
                continue
            if isinstance(inner, Pairs | list):
                yield from _verdicts(inner, finder, read_label)
            elif (
                isinstance(inner, str)
                and not _YES_NO.match(inner)
                and (label := finder.exact(inner))
            ):
                yield False, label


def verdict_key_kind(key: str) -> str | None:
    """Returns `final` or `plain` for a key that names the verdict, else None."""
    words = words_of(re.sub(r"(?<=[a-z])(?=[A-Z])", " ", key))
    if words and _FINAL.issuperset(words):
        return "final"
    if not words or len(words) > 4 or words[-1] not in _NOUNS:
        return None
    if not set(words) <= _NOUNS | _FINAL | _BESIDE:
        return None
    if _FINAL.intersection(words):
        return "final"
    return "plain"


def _label_of_flags(flags: dict[str, object], finder: Finder) -> str | None:
    """Returns the one label whose own key is true; None if the flags name none or several."""
    if not all(isinstance(value, bool) for value in flags.values()):
        return None
    true = []
    for label, value in flags.items():
        if value:
            true.append(label)
    if not true and len(flags) == 1:
        return finder.negation.get(next(iter(flags)))
    if len(true) == 1:
        return true[0]
    return None
