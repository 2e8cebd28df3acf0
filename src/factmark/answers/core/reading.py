"""Reads an answer once: markdown -> segments -> tokens -> sentences -> clauses.

Facts, verdict and absence are all found in the clauses that this leaves.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from factmark.answers.core import lexicon
from factmark.answers.core.about_itself import asides, clause_words, opening, states_nothing
from factmark.answers.core.anchors import anchor
from factmark.answers.core.clauses import clauses, sentences
from factmark.answers.core.lexicon import word_set
from factmark.answers.core.matching import Targets
from factmark.answers.core.tokens import Kind, Token, tokenise
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
