"""The sentences of a text that name given things, for who reads only a few of them. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from factmark.text.lexicon import FUNCTION_WORDS
from factmark.text.sentences import Span, sentences
from factmark.text.words import normalise


def excerpt(text: str, names: Sequence[str], room: int) -> str:
    """Returns the sentences of a text that name things, in their order.

    A sentence names a thing where it has as many of the name's words as any sentence of the text.
    Where sentences name all of the things, they alone are returned, else those that name one; of a
    text that names nothing all. The first that is chosen is there even where it is longer than the
    room.

    Args:
        room: the most characters.
    """
    spans = sentences(text)
    words = [frozenset(normalise(span.of(text))) for span in spans]
    naming = [_naming(name, words) for name in names]
    chosen = set.intersection(*naming) or set.union(*naming) or set(range(len(spans)))
    return _text_at(text, spans, sorted(chosen), room)


def likeliest(text: str, claim: str, room: int) -> str:
    """Returns the sentences of a text that share most words with a claim, in the order of the text:
    as many as there is room for, and all where the text is no longer."""
    if len(text) <= room:
        return text
    spans = sentences(text)
    wanted = _content_words(claim)
    shared = [len(wanted & frozenset(normalise(span.of(text)))) for span in spans]
    best_first = sorted(range(len(spans)), key=lambda place: -shared[place])
    return _text_at(text, spans, best_first, room)


def _text_at(text: str, spans: Sequence[Span], places: Sequence[int], room: int) -> str:
    """Returns the sentences at places in the order of the text: of the first of the places as many
    as there is room for, and one at least."""
    chosen: list[int] = []
    for place in places:
        start, end = spans[place]
        if not chosen or end - start <= room:
            chosen.append(place)
            room -= end - start
    return " ".join(spans[place].of(text) for place in sorted(chosen))


def _naming(name: str, sentences_words: Sequence[frozenset[str]]) -> set[int]:
    """Returns which sentences have the most words of a name; none where no sentence has any."""
    wanted = _content_words(name)
    shared = [len(wanted & words) for words in sentences_words]
    most = max(shared, default=0)
    if not most:
        return set()
    return {place for place, number in enumerate(shared) if number == most}


def _content_words(text: str) -> frozenset[str]:
    """Returns the words of a text but for those of grammar, unless it has no others."""
    words = frozenset(normalise(text))
    return words - FUNCTION_WORDS or words
