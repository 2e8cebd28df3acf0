"""JSON as models write it, and the verdicts in it.

`read` takes single quotes, trailing commas, bare words, comments and a missing end; it never raises
and looks at every character a bounded number of times. A verdict stands under a key that names one,
or is the only value that is a label.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from factmark.replies.labels import TOKEN, Finder

_SPACE = re.compile(r"(?:\s|//[^\n]{0,2000}\n)*")
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


def json_verdict(value: object, finder: Finder, read_label: ReadLabel) -> tuple[str | None, bool]:
    """The one label that a JSON value declares, and whether it calls it final.

    Raises:
        LookupError: it declares nothing.
    """
    declared = list(_verdicts(value, finder, read_label))
    if not declared:
        raise LookupError
    final = [label for is_final, label in declared if is_final]
    labels = set(final or [label for _, label in declared])
    return (labels.pop() if len(labels) == 1 else None), bool(final)


def _verdicts(
    value: object, finder: Finder, read_label: ReadLabel
) -> Iterator[tuple[bool, str | None]]:
    """Whether it is final, and the label (None for a verdict that is none of them)."""
    if isinstance(value, list):
        for item in value:
            if isinstance(item, str):
                yield False, read_label(item)
            else:
                yield from _verdicts(item, finder, read_label)
    if not isinstance(value, Pairs):
        return
    kinds = [(key_kind(key), inner) for key, inner in value.items]
    named = [(kind, inner) for kind, inner in kinds if kind and not isinstance(inner, Pairs | list)]
    for kind, inner in named:
        yield kind == "final", read_label(inner) if isinstance(inner, str) else None
    if named:
        return
    flags = _flagged(value, finder)
    if flags is not None:
        yield False, flags or None
        return
    for key, inner in value.items:
        if _BESIDES.search(key):
            continue
        if isinstance(inner, Pairs | list):
            yield from _verdicts(inner, finder, read_label)
        elif isinstance(inner, str) and (label := finder.exact(inner)) and not _YES_NO.match(inner):
            yield False, label


def key_kind(key: str) -> str | None:
    """`final` or `plain` for a key that names the verdict, else None."""
    key = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", key)
    parts = [token[0].casefold() for token in TOKEN.finditer(key)]
    if parts and _FINAL.issuperset(parts):
        return "final"
    if not parts or len(parts) > 4 or parts[-1] not in _NOUNS:
        return None
    if not set(parts) <= _NOUNS | _FINAL | _BESIDE:
        return None
    return "final" if _FINAL.intersection(parts) else "plain"


def _flagged(pairs: Pairs, finder: Finder) -> str | None:
    """The one label whose own key is true; "" where the flags name none; None without flags."""
    flags = {label: value for key, value in pairs.items if (label := finder.exact(key))}
    if not flags:
        return None
    if not all(isinstance(value, bool) for value in flags.values()):
        return ""
    true = [label for label, value in flags.items() if value is True]
    if len(true) == 1:
        return true[0]
    if not true and len(flags) == 1:
        return finder.negation.get(next(iter(flags)), "")
    return ""
