"""What the tagger sees of a sentence: columns of a value a token, from surface and question alone.

The ground truth is not among them: what states a fact is decided without it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from unicodedata import combining, normalize

from factmark.answers.core.extraction.question_words import QuestionWords
from factmark.answers.core.extraction.sentences import Sentence, asks_the_reader, flags_of
from factmark.answers.core.extraction.tokens import Kind
from factmark.text import lexicon
from factmark.text.word_classes import word_class
from factmark.text.words import stem

Attributes = tuple[str, ...]
ATTRIBUTES = ("word", "stem", "class", "shape", "end3", "end2", "sort")
"""The columns that depend on the token alone."""
FORM = ("policy", "kind", "flags", "opening", "first", "length", "under")
"""The columns in which all tokens of a sentence have one value."""

_NAMES = {
    Kind.NUMBER: "NUMBER",
    Kind.DATE: "DATE",
    Kind.URL: "URL",
    Kind.CURIE: "CURIE",
    Kind.MARK: "MARK",
}
_NEAREST = 2  # last words of what a sentence stands under
_GAPS = {0: "", 1: " "}  # between two tokens: nothing, a blank; `+` is more
_QUOTES = frozenset('"“”')
_CLAUSE_ENDS = frozenset(", ; : — ( ) but so although because while which".split())


@lru_cache(maxsize=65_536)
def attributes(kind: int, text: str) -> Attributes:
    """The values of the columns `ATTRIBUTES` of a token."""
    text = _without_accents(text)
    lower = text.casefold()
    if kind == Kind.WORD:
        return (
            lower,
            stem(lower),
            word_class(text),
            _shape(text),
            lower[-3:],
            lower[-2:],
            _special_class(lower),
        )
    name = _NAMES.get(kind, "")
    if kind == Kind.NUMBER:
        word = "#"
        if text[0].isalpha():
            word = lower
        return (word, word, name, _number_shape(text), "", "", "")
    if kind == Kind.MARK:
        word = text[:1]
    else:
        word = name
    return (word, word, name, word, "", "", "")


def _without_accents(text: str) -> str:
    """The text without accents; as it is, where nothing else would be left."""
    if text.isascii():
        return text
    letters = normalize("NFKD", text)
    return "".join(letter for letter in letters if not combining(letter)) or text


def _shape(text: str) -> str:
    """The pattern of a word's letters: `X` a capital, `x` a small letter, `0` a digit, `-` a
    hyphen."""
    if text.isupper():
        shape = "XX"
        if len(text) == 1:
            shape = "X"
    elif text.islower():
        shape = "x"
    elif text[0].isupper():
        shape = "XxX"
        if text[1:].islower():
            shape = "Xx"
    else:
        shape = "xX"
        if text[0].isdigit():
            shape = "0x"
    if any(letter.isdigit() for letter in text):
        shape += "0"
    return shape + ("-" if "-" in text else "") + ("_" if "_" in text else "")


def _number_shape(text: str) -> str:
    """What a number looks like: a share, spelled out, a year, a decimal, one digit or more."""
    if "%" in text or "cent" in text.casefold():
        return "%"
    if text[0].isalpha():
        return "spelled"
    if len(text) == 4 and text.isdigit() and text[:2] in ("18", "19", "20"):
        return "year"
    if "." in text:
        return "0.0"
    if len(text) == 1:
        return "0"
    return "00"


def _special_class(lower: str) -> str:
    """The special class of a word (a unit, a general head, a tag of a concept's name), if any."""
    if lower in lexicon.UNITS_AFTER_NUMBER:
        return "unit"
    singular = lower.removesuffix("s")
    if lower in lexicon.HEADS or singular in lexicon.HEADS:
        return "head"
    if singular in lexicon.SHELLS:
        return "shell"
    if lower in lexicon.SEMANTIC_TAGS:
        return "tag"
    return ""


def columns_of(
    sentence: Sentence, asked: QuestionWords
) -> tuple[tuple[str, ...], Mapping[str, Sequence[str]]]:
    """The values of the columns `FORM` of a sentence, and by name the columns that depend on a
    token's place in it."""
    tokens = sentence.tokens
    words = sentence.words
    flags = sentence.flags + ("?" if asks_the_reader(sentence) else "")
    n = len(tokens)
    if n < 8:
        length = "8"
    elif n < 20:
        length = "20"
    else:
        length = "more"
    policy = "0"
    if asked.policy:
        policy = "1"
    under = " ".join(sentence.under[-_NEAREST:])
    form = (policy, sentence.kind, flags, " ".join(words[:2]), words[0], length, under)
    if ":" in words:
        colon = words.index(":")
    else:
        colon = n
    echoes = asked.words.issuperset
    return form, {
        "gap": ["^", *["e" if t.edge else _GAPS.get(t.gap, "+") for t in tokens[1:]]],
        "echo": ["q" if token.words and echoes(token.words) else "n" for token in tokens],
        "emphasis": ["1" if token.emphasised else "0" for token in tokens],
        "bracket": _bracket_marks(words),
        "quoted": _quote_marks(words),
        "colon": [""] * n if colon == n else ["b"] * colon + ["a"] * (n - colon),
        "clause": _clauses(words) if sentence.flags else [""] * n,
        "begin": ["^"] + [""] * (n - 1),
    }


def _bracket_marks(words: Sequence[str]) -> list[str]:
    """For each word `(` where it stands in brackets, else an empty text."""
    depth = 0
    inside = []
    for word in words:
        depth += (word == "(") - (word == ")" and depth > 0)
        inside.append("(" if depth else "")
    return inside


def _quote_marks(words: Sequence[str]) -> list[str]:
    """For each word `"` where it stands in quotation marks, else an empty text."""
    quoted = False
    inside = []
    for word in words:
        quoted ^= word in _QUOTES
        inside.append('"' if quoted else "")
    return inside


def _clauses(words: Sequence[str]) -> list[str]:
    """The flags of the clause that each token stands in."""
    out: list[str] = []
    clause: list[str] = []
    for word in words:
        clause.append(word)
        if word in _CLAUSE_ENDS:
            out += [flags_of(clause)] * len(clause)
            clause = []
    return out + [flags_of(clause)] * len(clause)
