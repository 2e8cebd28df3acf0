"""Reads an answer once: markdown -> segments -> tokens -> sentences -> clauses.

Facts, verdict and absence are all found in the clauses that this leaves. What spells an element of
G is glued before: it can hold what would end a phrase elsewhere (`Research and development`,
`Calcium [Mass/volume] in Blood`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from factmark.answers.core.extraction.about_itself import (
    asides,
    clause_words,
    opening,
    states_nothing,
)
from factmark.answers.core.extraction.tokens import Kind, Token, tokenise
from factmark.answers.core.matching import Targets, value_of
from factmark.text import lexicon
from factmark.text.lexicon import word_set
from factmark.text.markdown import EDGE, Segment, segments

_WINDOW = 600  # characters of a clause that are read for E4; longer ones are no sentences
_LONGEST_KEY = 6  # tokens
_NUMBERING = word_set("# rank no no. nr nr. position pos n° № idx")


@dataclass(frozen=True, slots=True)
class Clause:
    """A clause that states something about the data.

    Attributes:
        tokens: without those that only lead up to the statement (E4).
        text: the begin of the clause with its markup masked as spaces.
        segment: where it stands.
        states: whether it says something of the data; else it has no tokens.
        key: whether it stands before a colon at the begin of a line (`Architect: J. Weir`).
    """

    tokens: list[Token]
    text: str
    segment: Segment
    states: bool = True
    key: bool = False


def read(answer: str, targets: Targets) -> list[Clause]:
    """The clauses of an answer that can hold facts, in order; linear in its length.

    Queries and code, the numbering of tables, questions to the reader, and clauses about the search
    or the assistant (E4) are left out. What spells an element of G is glued before.
    """
    out: list[Clause] = []
    for segment in segments(answer):
        if segment.kind == "unread" or segment.column in _NUMBERING:
            continue
        tokens = tokenise(segment.text, segment.start)
        anchor(tokens, targets)
        _join_brackets(tokens)
        hidden = bytearray(len(segment.text))  # 1 where a source is named
        for a, b in asides(segment.text, {token.lower for token in tokens}):
            hidden[a:b] = b"\1" * (b - a)
        for sentence in sentences(tokens):
            if sentence[-1].text != "?" or segment.kind == "cell":
                out.extend(_statements(sentence, segment, hidden))
    return out


def _statements(sentence: list[Token], segment: Segment, hidden: bytearray) -> Iterator[Clause]:
    begin = sentence[0].start
    skip = begin + opening(segment.text, begin - segment.start)
    parts = [clause for clause in clauses(sentence) if clause]
    for index, clause in enumerate(parts):
        key = not index and parts[1:] != [] and parts[1][0].text == ":" and _is_key(clause, segment)
        low = clause[0].start if clause[-1].end <= skip else max(clause[0].start, skip)
        high = min(clause[-1].end, low + _WINDOW)
        text = segment.text[low - segment.start : high - segment.start].replace(EDGE, " ")
        lead = [token for token in clause if token.start >= low]
        if states_nothing(text, clause_words(token.lower for token in lead)):
            yield Clause([], text, segment, states=False)
            continue
        kept = [
            token
            for token in clause
            if token.anchored or (token.start >= skip and not hidden[token.start - segment.start])
        ]
        yield Clause(kept, text, segment, key=key)


def _is_key(clause: list[Token], segment: Segment) -> bool:
    """Whether a clause is common words at the begin of a line, by their form."""
    words = [token for token in clause if token.kind != Kind.EDGE]
    at = words[0].start - segment.start if words else 0
    before = segment.text[max(0, at - 8) : at].rstrip(" \x1f")
    return (
        segment.kind in ("text", "item")
        and (not before or before[-1] == "\n")
        and 0 < len(words) < _LONGEST_KEY
        and all(token.kind is Kind.WORD and token.text[1:].islower() for token in words)
        and all(token.text.islower() for token in words[1:])
    )


def _join_brackets(tokens: list[Token]) -> None:
    """Glues what is one name: `(disorder)`, `(EU) 2025/327`, `mg/dL`."""
    for index in range(1, len(tokens) - 2):
        token = tokens[index]
        if token.text == "(" and tokens[index + 2].text == ")":
            inner = tokens[index + 1].lower
            number = index + 3 < len(tokens) and tokens[index + 3].kind is Kind.NUMBER
            if inner in lexicon.SEMANTIC_TAGS:
                _glue(tokens[index - 1 : index + 2])
            elif number and inner in ("eu", "ec", "eec"):
                _glue(tokens[index - 1 : index + 3])
        elif token.text == "/" and _joins(tokens[index - 1], token, tokens[index + 1]):
            _glue(tokens[index - 1 : index + 1])


def _joins(left: Token, slash: Token, right: Token) -> bool:
    if left.end != slash.start or right.start != slash.end:
        return False
    sides = (left, right)
    return all(side.kind is Kind.NUMBER for side in sides) or all(
        side.lower in lexicon.UNITS_AFTER_NUMBER for side in sides
    )


def _glue(tokens: list[Token]) -> None:
    for token in tokens:
        token.glued = True


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


def anchor(tokens: Sequence[Token], targets: Targets) -> None:
    """Marks and glues, in place, the tokens that spell elements of G."""
    words: list[str] = []
    owners: list[int] = []
    for index, token in enumerate(tokens):
        if token.kind is Kind.NUMBER and token.words:
            token.anchored = value_of(token.words) in targets.values
        words.extend(token.words)
        owners.extend([index] * len(token.words))
    if targets.by_word.keys().isdisjoint(words):
        return
    position = 0
    while position < len(words):
        length = _whole(words, position, targets)
        if length and _glue_between(tokens, owners[position], owners[position + length - 1]):
            position += length
        else:
            position += 1


def _whole(words: list[str], position: int, targets: Targets) -> int:
    """The length of the longest element that stands at a position, or 0."""
    for size in targets.lengths.get(words[position], ()):
        if (
            position + size <= len(words)
            and tuple(words[position : position + size]) in targets.by_words
        ):
            return size
    return 0


def _glue_between(tokens: Sequence[Token], first: int, last: int) -> bool:
    """Glues the tokens from first to last, unless a sentence ends or a line breaks between."""
    between = tokens[first : last + 1]
    if any(token.kind is Kind.BREAK or token.text in ".;!?|" for token in between[:-1]):
        return False
    for token in between:
        token.anchored = True
    for token in between[:-1]:
        token.glued = True
    return True
