"""Facts that a model, a function or another program found in an answer, read as the tagger's
are: at their tokens, so that one path leads on (E3, E5 to E7, what of G is said, M1 to M6).
"""

from __future__ import annotations

from collections.abc import Sequence

from factmark.answers.core.extraction.facts import Tagged
from factmark.answers.core.extraction.tokens import Kind, Token
from factmark.answers.core.records import Fact
from factmark.text.lexicon import HEADS, word_set
from factmark.text.words import normalise

_NO_FACT = HEADS | word_set(
    "yes no not none nothing neither nor any all other others else further more rest remaining"
    " of the these those that which a an there is are"
)


def with_own_spans(
    statements: Sequence[Tagged], facts: Sequence[Fact]
) -> tuple[list[Tagged], list[Fact]]:
    """The sentences of an answer with these facts in place of the tagger's, and the facts that
    stand in none of them or within a word. A verdict, a denial of the rest (`No others`) and a
    general noun by themselves are none (E5, E7).
    """
    spans: list[set[tuple[int, int]]] = [set() for _ in statements]
    others = []
    for fact in facts:
        if _says_nothing(fact.text):
            continue
        place = _place_of(statements, fact)
        if place is None:
            others.append(fact)
        else:
            at, first, end = place
            spans[at].add((first, end))
    placed = []
    for statement, own in zip(statements, spans, strict=True):
        placed.append(Tagged(statement.sentence, sorted(own)))
    return placed, others


def _says_nothing(text: str) -> bool:
    """Whether a text has only words that state nothing by themselves."""
    words = text.casefold().replace("’", "'").split()
    return all(word.strip(".,;:!?()*_\"'`") in _NO_FACT for word in words)


def _place_of(statements: Sequence[Tagged], fact: Fact) -> tuple[int, int, int] | None:
    """The sentence of a fact, the first of its tokens and the one after its last; None where no run
    of tokens says just what it does."""
    for at, statement in enumerate(statements):
        tokens = statement.sentence.tokens
        if fact.start >= tokens[-1].end or fact.end <= tokens[0].start:
            continue
        inside = []
        for index, token in enumerate(tokens):
            if token.start < fact.end and fact.start < token.end and token.kind != Kind.MARK:
                inside.append(index)
        if inside and _words_of(tokens[inside[0] : inside[-1] + 1]) == normalise(fact.text):
            return at, inside[0], inside[-1] + 1
    return None


def _words_of(tokens: Sequence[Token]) -> tuple[str, ...]:
    """The normalised words of tokens."""
    words: list[str] = []
    for token in tokens:
        words += token.words
    return tuple(words)
