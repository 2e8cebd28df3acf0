"""Cuts a segment into sentences, and a sentence into clauses, each kept or left out by itself."""

from __future__ import annotations

from collections.abc import Iterator

from factmark.answers.core.lexicon import word_set
from factmark.answers.core.tokens import Kind, Token

_BREAKERS = word_set(
    "but so although though whereas while because however therefore thus nevertheless still "
    "yet since unless hence if when where"
)
_PRONOUNS = word_set("i we it they there you")
_NEW_SUBJECTS = word_set("i we it the this that these they there no none its so you")
_BEFORE_NUMBER = word_set("art no nr fig vol sec ca approx")  # No. 5, but not: No. Use is ...
_ABBREVIATIONS = word_set(
    "vs cf dr mr mrs ms st prof inc ltd dept resp incl e.g i.e eg ie etc al max min avg est"
)
_ENDS = frozenset(".!?…")
_DASHES = frozenset("–—−")


def sentences(tokens: list[Token]) -> Iterator[list[Token]]:
    """The sentences of a segment's tokens, each with its final mark."""
    begin = 0
    for index, token in enumerate(tokens):
        if token.kind is Kind.BREAK or (token.text in _ENDS and _is_end(tokens, index)):
            yield tokens[begin : index + 1]
            begin = index + 1
    if begin < len(tokens):
        yield tokens[begin:]


def _is_end(tokens: list[Token], index: int) -> bool:
    token = tokens[index]
    if index + 1 == len(tokens):
        return True
    following = tokens[index + 1]
    if token.text == "." and index:
        before = tokens[index - 1].lower
        if before in _ABBREVIATIONS or (before in _BEFORE_NUMBER and following.kind is Kind.NUMBER):
            return False
    return following.start > token.end or following.kind in (Kind.EDGE, Kind.MARK, Kind.BREAK)


def clauses(sentence: list[Token]) -> Iterator[list[Token]]:
    """The clauses of a sentence: parts that are kept or left out each by itself.

    What stands in brackets is a clause of its own, so that its words do not join with those
    around it; the words before and after the brackets stay in one clause.
    """
    depth = 0
    outer: list[Token] = []
    inner: list[Token] = []
    for index, token in enumerate(sentence):
        if token.text == "(" and not (index and sentence[index - 1].glued and not depth):
            depth += 1
        elif token.text == ")" and depth:
            depth -= 1
            if not depth:
                yield inner
                inner = []
                outer.append(token)
                continue
        if depth:
            inner.append(token)
        elif _breaks(sentence, index):
            yield outer
            outer = [token]
        else:
            outer.append(token)
    if inner:
        yield inner
    yield outer


def _breaks(sentence: list[Token], index: int) -> bool:
    token = sentence[index]
    if token.text in ";:":
        return True
    if token.text in _DASHES:
        spaced = index and sentence[index - 1].end < token.start
        return bool(spaced) and sentence[index - 1].kind not in (Kind.NUMBER, Kind.DATE)
    if token.text == ",":
        after = sentence[index + 1].lower if index + 1 < len(sentence) else ""
        if after in ("and", "or") and index + 2 < len(sentence):
            return sentence[index + 2].lower in _NEW_SUBJECTS
        return after in ("i", "we", "which") or after.startswith(("i'", "i’", "we'", "we’"))
    if token.lower == "and":
        return index + 1 < len(sentence) and sentence[index + 1].lower in _PRONOUNS
    return token.lower in _BREAKERS and index > 0
