"""Whether what was retrieved for a question holds its reference answer, and where."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import combinations

from factmark.graphs.claims import Triple, folded, relation_key
from factmark.graphs.content import akin, content, lettered, runs
from factmark.graphs.cues import CUES, TURNED
from factmark.graphs.names import name_words
from factmark.graphs.questions import GraphQuestion
from factmark.graphs.verifying import THRESHOLD, forms

Held = tuple[bool | None, tuple[int, ...]]
Key = tuple[str, str, str]

NAME_WORDS = 4
"""A reference of at most so many words that say something is the name of a thing."""

_LOOKED_AT = 20
_LISTED = re.compile(r"\s*(?:[,;]|\band\b|&)\s*(?:and\s+)?", re.IGNORECASE)
_UNTOLD: Held = (None, ())


def held_by(
    question: GraphQuestion, texts: Sequence[str], triples: Sequence[Triple] | None
) -> Held:
    """Whether a context holds the reference answer, and the places of what holds it.

    - Where the question names its triples and triples are given: all of them must be there, each
      as it stands or as the same statement turned round (`due_to` for `cause_of`).
    - Otherwise the best of the references. A name (at most four words that say something) must
      stand in a text, whole, up to inflection and spelling; in a triple it must be one of the
      ends. Of a list of names at least half must be found. A name that the question mentions
      itself shows nothing. A passage must share a word with the question too.
    - A longer reference is held where one text, or two together, have at least half of its words
      that the question does not have (the share by which `verify` would accept it as an answer).
    - None, since it cannot be told: a question without a reference (there is no answer whose place
      one could look for; counting it as missed would blame the retrieval), yes-no without named
      triples (the word `yes` stands nowhere), references that the question mentions.

    Args:
        texts: the triples in plain language, or the passages, best first.
        triples: the triples of `texts`, in the same order; None for passages.

    Returns:
        Whether it is held, and the places in `texts` that carry it, in order; none where not.
    """
    if question.triples and triples is not None:
        return _named(question.triples, triples)
    if question.kind == "yes-no" or not question.references:
        return _UNTOLD
    found = [
        _reference(question, form, texts, triples)
        for reference in question.references
        for form in forms(reference)
    ]
    return max(found, key=lambda held: (held[0] is True, held[0] is False, -len(held[1])))


def same_statement(triple: Triple) -> frozenset[Key]:
    """The keys under which a triple is found: by its ids or names, in one direction."""
    names = (folded(triple.head), relation_key(triple.relation), folded(triple.tail))
    return frozenset(_straight(key) for key in (triple.key, names))


def _straight(key: Key) -> Key:
    """A key without the choice of direction: inverse relations turned, symmetric ones sorted."""
    head, relation, tail = key
    if relation in TURNED:
        return tail, TURNED[relation], head
    if relation in CUES and CUES[relation].symmetric and tail < head:
        return tail, relation, head
    return key


def _named(wanted: Sequence[Key], triples: Sequence[Triple]) -> Held:
    places: dict[Key, int] = {}
    for place, triple in enumerate(triples):
        for key in same_statement(triple):
            places.setdefault(key, place)
    found: set[int] = set()
    for head, relation, tail in wanted:
        keys = same_statement(Triple(head=head, relation=relation, tail=tail))
        there = [places[key] for key in keys if key in places]
        if not there:
            return False, ()
        found.add(min(there))
    return True, tuple(sorted(found))


def _reference(
    question: GraphQuestion, reference: str, texts: Sequence[str], triples: Sequence[Triple] | None
) -> Held:
    names = _names(reference)
    asked = _named_in(question.text)
    if names is None:
        return _long(question, reference, texts)
    wanted = [name for name in names if not runs(name, asked)]
    if not wanted:
        return _UNTOLD
    places: list[int] = []
    for name in wanted:
        if triples is not None:
            place = _among_ends(name, triples)
        else:
            place = _among_passages(name, texts, set(content(question.text)))
        if place is not None:
            places.append(place)
    if len(places) < max(1, THRESHOLD * len(wanted)):
        return False, ()
    return True, tuple(sorted(set(places)))


@lru_cache(maxsize=4_096)
def _names(reference: str) -> tuple[tuple[str, ...], ...] | None:
    """A name, or the names of a list, each as its words; None where it says more than names."""
    whole = _named_in(reference)
    if len(content(reference)) <= NAME_WORDS and not re.search(r"[,;]", reference):
        parts = [part for part in re.split(r"\s+and\s+", reference) if part.strip()]
        return tuple(filter(None, map(_named_in, parts))) or ((whole,) if whole else None)
    parts = [part for part in _LISTED.split(reference) if part.strip()]
    if len(parts) < 2 or any(len(content(part)) > NAME_WORDS - 1 for part in parts):
        return None
    return tuple(filter(None, map(_named_in, parts))) or None


def _among_ends(name: tuple[str, ...], triples: Sequence[Triple]) -> int | None:
    """The first triple that has the name as an end."""
    for place, triple in enumerate(triples):
        if name in (_named_in(triple.head), _named_in(triple.tail)):
            return place
    return None


def _among_passages(name: tuple[str, ...], texts: Sequence[str], asked: set[str]) -> int | None:
    """The first passage that has the name, and a word of the question besides."""
    for place, text in enumerate(texts):
        if runs(name, _named_in(text)) and (not asked or asked & (set(content(text)) - set(name))):
            return place
    return None


def _long(question: GraphQuestion, reference: str, texts: Sequence[str]) -> Held:
    asked = set(content(question.text))
    wanted = {key for key in content(reference) if key not in asked}
    if not wanted:
        return _UNTOLD
    hits: dict[str, frozenset[str]] = {}
    shares: list[tuple[int, frozenset[str]]] = []
    for place, text in enumerate(texts):
        there: set[str] = set()
        for word in content(text):
            if word not in hits:
                hits[word] = frozenset(one for one in wanted if akin(one, word))
            there |= hits[word]
        shares.append((place, frozenset(there)))
    best = sorted((one for one in shares if one[1]), key=lambda one: -len(one[1]))[:_LOOKED_AT]
    least = THRESHOLD * len(wanted)
    if best and len(best[0][1]) >= least:
        return True, (best[0][0],)
    pairs = [(len(a[1] | b[1]), a[0], b[0]) for a, b in combinations(best, 2)]
    most = max(pairs, default=(0, 0, 0), key=lambda pair: pair[0])
    return (True, tuple(sorted(most[1:]))) if most[0] >= max(least, 1) else (False, ())


@lru_cache(maxsize=4_096)
def _named_in(text: str) -> tuple[str, ...]:
    return name_words(lettered(text))
