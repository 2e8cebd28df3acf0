"""Multiple choice: which option a reply names by its text or its number, where it has no letter."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from factmark.answers.words import stem
from factmark.graphs.names import american
from factmark.rubrics.decision import decide
from factmark.rubrics.lexicon import TOKEN, Mention

_ARTICLES = frozenset({"a", "an", "the"})
_GAP = re.compile(r"[^\w\n]{0,3}(?:(?:an?|the)\s+)?", re.IGNORECASE)
_NUMBERED = re.compile(
    r"\W*(?:(?:the\s+)?(?:final\s+)?(?:correct\s+)?(?:answer|option|choice|number|index)"
    r"(?:\s+number)?\s*(?:is|:|=)?\s*)?(?:option\s*|number\s*)?\W{0,4}(\d{1,2})\W*",
    re.IGNORECASE,
)
_WORD_BEFORE = re.compile(r"[a-z][ -]")
_LETTER = re.compile(r"(?<![^\W_])[A-Ja-j](?![^\W_])")


@dataclass(frozen=True, slots=True)
class OptionFinder:
    """Finds the options of one question by their texts, up to inflection and spelling.

    Attributes:
        labels: the letters.
        forms: the keys of the words of each option's text -> its letter; a text that two options
            share belongs to neither.
    """

    labels: tuple[str, ...]
    forms: dict[tuple[str, ...], str]

    @property
    def negation(self) -> dict[str, str]:
        """No option is the negation of another."""
        return {}

    def mentions(self, text: str) -> list[Mention]:
        """All mentions, left to right; of two that overlap the longer one."""
        tokens = _tokens(text)
        keys = [_key(token[0]) for token in tokens]
        firsts = {form[0] for form in self.forms}
        longest = max(map(len, self.forms), default=0)
        out: list[Mention] = []
        at = 0
        while at < len(keys):
            size = self._size(text, tokens, keys, at, longest) if keys[at] in firsts else 0
            if size:
                label = self.forms[tuple(keys[at : at + size])]
                start, end = tokens[at].start(), tokens[at + size - 1].end()
                out.append(Mention(start=start, end=end, label=label, strong=True))
            at += max(1, size)
        return out

    def _size(
        self, text: str, tokens: list[re.Match[str]], keys: list[str], at: int, longest: int
    ) -> int:
        """How many words the longest option has that begins here; 0 for none."""
        limit = 1
        while (
            limit < longest
            and at + limit < len(tokens)
            and _GAP.fullmatch(text, tokens[at + limit - 1].end(), tokens[at + limit].start())
        ):
            limit += 1
        for size in range(limit, 0, -1):
            if tuple(keys[at : at + size]) in self.forms:
                return size
        return 0

    def exact(self, text: str) -> str | None:
        """The option that a text spells, with or without articles."""
        return self.forms.get(_keys(text[:1_000]))

    def guess(self, text: str) -> str | None:
        """No option is a slip of the pen for another."""
        return None


def option_finder(letters: str, options: Sequence[str]) -> OptionFinder:
    """The finder for these options."""
    forms: dict[tuple[str, ...], str] = {}
    shared: set[tuple[str, ...]] = set()
    for letter, option in zip(letters, options, strict=True):
        form = _keys(option)
        if form and forms.setdefault(form, letter) != letter:
            shared.add(form)
    return OptionFinder(
        tuple(letters), {form: one for form, one in forms.items() if form not in shared}
    )


def read_option(text: str, finder: OptionFinder) -> str | None:
    """The letter of the one option that a plain reply asserts by its text, or None."""
    exact = finder.exact(text)
    return exact if exact is not None else decide(text, finder)


def read_number(text: str, finder: OptionFinder) -> str | None:
    """The letter of the option whose number, from 1, is all that a plain reply says.

    None where an option begins with a figure or has this one: the option's figure may be meant.
    """
    found = _NUMBERED.fullmatch(text) if len(text) <= 60 else None
    if found is None or any(f[0][0].isdigit() or found[1] in f for f in finder.forms):
        return None
    number = int(found[1])
    return finder.labels[number - 1] if 1 <= number <= len(finder.labels) else None


def without_lettered(text: str, finder: OptionFinder) -> str:
    """The text with dots for each option that has a lone letter in its text ("hepatitis B")."""
    out, done = [], 0
    for mention in finder.mentions(text):
        spelt = text[mention.start : mention.end]
        if len(spelt) > 1 and _LETTER.search(spelt):
            out += [text[done : mention.start], "that"]
            done = mention.end
    return "".join([*out, text[done:]])


def _keys(text: str) -> tuple[str, ...]:
    found = _tokens(text) or list(TOKEN.finditer(text))
    return tuple(_key(token[0]) for token in found)


def _tokens(text: str) -> list[re.Match[str]]:
    """The words without articles; an A after a word in lower case is none ("vitamin A")."""
    return [
        token
        for token in TOKEN.finditer(text)
        if token[0].casefold() not in _ARTICLES
        or (
            token[0] == "A"
            and _WORD_BEFORE.fullmatch(text[max(0, token.start() - 2) : token.start()])
        )
    ]


def _key(word: str) -> str:
    return american(stem(word.casefold()))
