"""Where an answer spells out elements of the ground truth.

An element can hold what would end a phrase elsewhere (`Research and development`, `Calcium
[Mass/volume] in Blood`); its tokens are glued here before phrases are cut.
"""

from __future__ import annotations

from collections.abc import Sequence

from factmark.answers.core.matching import Targets, value_of
from factmark.answers.core.tokens import Kind, Token


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
        if length and _glue(tokens, owners[position], owners[position + length - 1]):
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


def _glue(tokens: Sequence[Token], first: int, last: int) -> bool:
    """Glues the tokens from first to last, unless a sentence ends or a line breaks between."""
    between = tokens[first : last + 1]
    if any(token.kind is Kind.BREAK or token.text in ".;!?|" for token in between[:-1]):
        return False
    for token in between:
        token.anchored = True
    for token in between[:-1]:
        token.glued = True
    return True
