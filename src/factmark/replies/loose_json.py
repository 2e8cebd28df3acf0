"""JSON as models write it: single quotes, trailing commas, bare words, comments, a missing end.

`read` never raises and looks at every character a bounded number of times.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

_SPACE = re.compile(r"(?:\s|//[^\n]{0,2000}\n)*")
_BARE_WORD = re.compile(r"[^\W\d]\w{0,63}(?:[ -][^\W\d]\w{0,31}){0,3}")
_NUMBER = re.compile(r"-?\d{1,30}(?:\.\d{1,30})?(?:[eE][+-]?\d{1,3})?%?")
_AFTER_STRING = re.compile(r"\s{0,100}(?:[,:}\]]|\Z)")
_STRING_END = {mark: re.compile(rf"\\u[0-9a-fA-F]{{4}}|\\.|{mark}|\n", re.DOTALL) for mark in "\"'"}
_ESCAPES = {"n": "\n", "t": "\t", "r": "\n", "b": "\\b", "f": "\\f"}
_CONSTANTS = {"true": True, "false": False, "null": None, "none": None}
_MAX_DEPTH = 24


@dataclass(frozen=True, slots=True, kw_only=True)
class Pairs:
    """A JSON object: its pairs in order, a repeated key repeated."""

    items: list[tuple[str, object]] = field(default_factory=list)


class _Stop(Exception):  # noqa: N818 - ends the reading, is no error
    """The text ends, or goes on as no JSON does."""


@dataclass(slots=True)
class _Reader:
    text: str
    at: int

    def space(self) -> str:
        """Skip white space and comments; the next character, or an empty string at the end."""
        found = _SPACE.match(self.text, self.at)
        self.at = found.end() if found else self.at
        return self.text[self.at : self.at + 1]

    def string(self) -> str:
        """A string in either quotes; a quotation mark inside a word does not end it."""
        mark = self.text[self.at]
        self.at += 1
        out: list[str] = []
        while found := _STRING_END[mark].search(self.text, self.at):
            out.append(self.text[self.at : found.start()])
            self.at = found.end()
            if found[0] == mark and _AFTER_STRING.match(self.text, self.at):
                return "".join(out)
            out.append(_unescaped(found[0]))
        self.at = len(self.text)
        raise _Stop

    def atom(self) -> object:
        """A number (as its text), a constant or a bare word."""
        if found := _NUMBER.match(self.text, self.at) or _BARE_WORD.match(self.text, self.at):
            self.at = found.end()
            word = found[0]
            if _NUMBER.fullmatch(word):
                return float(word.rstrip("%"))
            return _CONSTANTS.get(word.casefold(), word)
        raise _Stop

    def value(self, depth: int, grown: list[object]) -> None:
        """Read a value onto the end of `grown`; a container is there before it is complete."""
        head = self.space()
        if depth > _MAX_DEPTH or not head:
            raise _Stop
        if head == "{":
            pairs = Pairs()
            grown.append(pairs)
            self.pairs(pairs, depth)
        elif head == "[":
            items: list[object] = []
            grown.append(items)
            self.items(items, depth)
        else:
            grown.append(self.string() if head in "\"'" else self.atom())
            if self.space() not in (",", "}", "]", ":", ""):
                grown.pop()
                raise _Stop

    def pairs(self, into: Pairs, depth: int) -> None:
        self.at += 1
        while (head := self.space()) != "}":
            if not head:
                raise _Stop
            key = str(self.string() if head in "\"'" else self.key())
            if self.space() not in (":", "="):
                raise _Stop
            self.at += 1
            grown: list[object] = []
            try:
                self.value(depth + 1, grown)
            finally:
                if grown:
                    into.items.append((key, grown[0]))
            self.comma("}")
        self.at += 1

    def key(self) -> str:
        word = self.atom()
        return str(int(word)) if isinstance(word, float) else str(word)

    def items(self, into: list[object], depth: int) -> None:
        self.at += 1
        while (head := self.space()) != "]":
            if not head:
                raise _Stop
            self.value(depth + 1, into)
            self.comma("]")
        self.at += 1

    def comma(self, end: str) -> None:
        head = self.space()
        if head == ",":
            self.at += 1
        elif head != end:
            raise _Stop


def _unescaped(found: str) -> str:
    """What an escape sequence stands for; anything else is itself."""
    if found[0] != "\\":
        return found
    if len(found) == 6:
        return chr(int(found[2:], 16))
    return _ESCAPES.get(found[1:], found[1:])


def read(text: str, start: int) -> tuple[object, int, bool]:
    """The object or array that begins at `start`, where reading ended, and whether it is complete.

    An incomplete value holds what came before its text ended or went wrong.
    """
    reader = _Reader(text, start)
    grown: list[object] = []
    try:
        reader.value(0, grown)
    except _Stop:
        return (grown[0] if grown else None), max(reader.at, start + 1), False
    return grown[0], reader.at, True
