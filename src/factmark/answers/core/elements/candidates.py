"""The candidates that a question names: *Which of A, B and C ...*, *..., A or B?*, a given list."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

_LONGEST = 80
_MOST = 40
_LONGEST_QUESTION = 4_000
_LISTED = re.compile(
    r"(?:options?|list(?:\s+is)?|candidates?|choices?|following)\b[^:\n?]{0,60}:\s*\n*(?P<list>.+)",
    re.IGNORECASE | re.DOTALL,
)
_ITEM = re.compile(r"^\s*(?:[-*•]|\(?[A-Za-z\d]{1,2}[.)])\s+(?P<text>\S.*?)\s*$", re.MULTILINE)
_DASHES = re.compile(r"\s[—–-]{1,2}\s(?P<list>[^—–\n]{3,400}?)\s[—–-]{1,2}\s")
_OF = re.compile(
    r"\b(?:which|who|what|one)\s+(?:\w+\s+){0,2}?of\s+(?:the\s+(?!two\b|three\b|following\b))?"
    r"(?P<list>[^?;:\n]{3,300}?)(?=\s+(?:is|are|was|were|has|have|had|does|do|did|can|could|will)\b"
    r"|\s+\w+(?:ed|s)\s|\?|,\s+(?:which|who|what)\b)",
    re.IGNORECASE,
)
_BETWEEN = re.compile(
    r"^\W*(?:(?:in\s+)?between|among|of)\s+(?P<list>[^?;:\n]{3,300}?),?\s+(?:which|who|what)\b",
    re.IGNORECASE,
)
_OR = re.compile(r",?\s+or\s+", re.IGNORECASE)
_CHUNK_BEFORE = re.compile(r"[^,?;:]*\Z")
_CHUNK_AFTER = re.compile(r"[^,?;:]+")
_ASIDE = re.compile(r"\s*\([^()]*\)")
_ASKS_WHICH = re.compile(
    r"\b(?:which|who|whom|what|where|whether|does|do|did|is|are|was|were|will)\b", re.IGNORECASE
)
_AND_OR = re.compile(r"\s*(?:,\s*(?:and|or)\s+|,\s+|;\s+|\s+(?:and|or)\s+)", re.IGNORECASE)
_SHORT = 5  # words of a candidate in a list
_SMALL = frozenset("the a an in to by for that of either".split())
_INSIDE = frozenset("of the and de la van von".split())
_LEAD = re.compile(r"^(?:(?:either|the|an?|that\s+of|those\s+of|in|to|by|for)\s+)+", re.IGNORECASE)
_TAIL = re.compile(r"\s+(?:genus|genera|species|cohorts?|desert|datasets?|groups?)$")


@lru_cache(maxsize=4_096)
def candidates_of(question: str) -> tuple[str, ...]:
    """Returns the candidates that a question offers, two at least and each once; none where it
    offers none.

    >>> candidates_of("Which of AGC, CAMK and TK has the most structures?")
    ('AGC', 'CAMK', 'TK')
    >>> candidates_of("Who was born first, Ann Weir or Bo Lind?")
    ('Ann Weir', 'Bo Lind')
    >>> candidates_of("Which datasets hold both age and sex?")
    ()
    """
    text = _ASIDE.sub("", question[:_LONGEST_QUESTION])
    for lists in (_listed, _enclosed, _named_after_of, _alternatives):
        names = tuple(dict.fromkeys(_clean(name) for name in lists(text)))
        names = tuple(name for name in names if name)
        if 2 <= len(names) <= _MOST and all(len(name) <= _LONGEST for name in names):
            return names
    return ()


def _clean(name: str) -> str:
    """A candidate without article, aside and marks around it."""
    name = name.strip(' \t\n.,;:?!"“”*`')
    return _LEAD.sub("", name).strip(" \"“”'`*")


def _listed(question: str) -> Iterator[str]:
    """The items of a list that the question gives, or the names after `Given list is:`."""
    match = _LISTED.search(question)
    if match is None:
        return
    items = [item["text"] for item in _ITEM.finditer(match["list"])]
    if len(items) > 1:
        yield from items
    elif "\n" not in match["list"].strip() and "," in match["list"]:
        yield from _AND_OR.split(match["list"].strip())


def _enclosed(question: str) -> Iterator[str]:
    """The names between two dashes, where they end in *and* or *or*."""
    match = _DASHES.search(question)
    if match is not None and re.search(r"\b(?:and|or)\b", match["list"]) and "," in match["list"]:
        yield from _AND_OR.split(match["list"])


def _named_after_of(question: str) -> Iterator[str]:
    """The names of *Which of A, B and C ...* and *Between A and B, which ...*."""
    match = _BETWEEN.match(question) or _OF.search(question)
    if match is None or not re.search(r"\s(?:and|or)\s", match["list"]):
        return
    names = _AND_OR.split(match["list"])
    if all(len(name.split()) <= 6 for name in names):
        names[-1] = _TAIL.sub("", names[-1])
        yield from names


def _alternatives(question: str) -> Iterator[str]:
    """The names of *..., A or B?*, *Does A or B have more?* and *Is it more in A or in B?*."""
    match = _OR.search(question)
    after = match and _CHUNK_AFTER.match(question, match.end())
    if not match or not after or not _ASKS_WHICH.search(question):
        return
    chunk = _CHUNK_BEFORE.search(question[: match.start()])
    before = ""
    if chunk:
        before = question[: chunk.start()]
    last = _leading_name(after[0].split())
    first = []
    if chunk:
        first = chunk[0].split()
    if before:
        *_, names = _clauses_of(before)
        yield from names
    else:
        first = _trailing_name(first, last)
    yield " ".join(first)
    yield " ".join(last)


def _clauses_of(before: str) -> Iterator[list[str]]:
    """Yields the short chunks between commas that end a text, more and more of them: *canine,*."""
    names: list[str] = []
    yield names
    for chunk in reversed(before.rstrip(" ,").split(",")):
        is_name = len(chunk.split()) <= _SHORT and not _ASKS_WHICH.search(chunk)
        if not is_name or re.search(r"[?:;]", chunk):
            tail = re.split(r"[?:;]", chunk)[-1]
            if tail != chunk and tail.strip() and len(tail.split()) <= _SHORT:
                yield [tail, *names]
            return
        names = [chunk, *names]
        yield names


def _leading_name(words: list[str]) -> list[str]:
    """The name that words begin with: of capitals up to the first word without one."""
    start = next((at for at, word in enumerate(words) if word not in _SMALL), 0)
    if not words or not words[start][:1].isupper():
        return words
    for end in range(start, len(words)):
        if words[end][:1].islower() and words[end] not in _INSIDE:
            return words[:end]
    return words


def _trailing_name(words: list[str], like: list[str]) -> list[str]:
    """The name that words end with: as long as another one, and longer while it has capitals."""
    size = len([word for word in like if word not in _SMALL])
    start = max(0, len(words) - size)
    while start > 1 and words[start][:1].isupper() and words[start - 1][:1].isupper():
        start -= 1
    return words[start:]
