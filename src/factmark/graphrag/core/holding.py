"""Whether what was retrieved for a question holds its reference answer, and where."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import combinations

from factmark.graphrag.core.names import (
    akin,
    content,
    is_figure,
    is_kind_of,
    is_number,
    is_short_in,
    same_name,
    stands_in,
)
from factmark.graphrag.core.records import GraphQuestion
from factmark.graphrag.core.relation_words import asks_for_relation
from factmark.graphrag.core.verifying import NAME_WORDS, THRESHOLD, forms, listed
from factmark.graphs.core.claims import Triple, folded, relation_key
from factmark.graphs.core.cues import CUES, TURNED
from factmark.text.names import name_words

Held = tuple[bool | None, tuple[int, ...]]
Key = tuple[str, str, str]

_LOOKED_AT = 20
_UNTOLD: Held = (None, ())
_LACKS: Held = (False, ())


def held_by(
    question: GraphQuestion,
    texts: Sequence[str],
    triples: Sequence[Triple] | None,
    linked: Iterable[str] = (),
) -> Held:
    """Whether a context holds the reference answer, and the places of what holds it.

    - Where the question names its triples and triples are given: all of them must be there, each
      as it stands or as the same statement turned round (`due_to` for `cause_of`).
    - Otherwise the best of the references. A name (at most four words that say something) must
      stand in a text, whole, up to inflection, spelling and abbreviation; in a triple it must be
      one of the ends, or what an end is a kind of, and lie across from an end that the question
      names or that is joined to one by other triples. Of a list of names at least half must be
      found. A name that the question mentions itself shows nothing. A passage must share a word
      with the question too.
    - A longer reference is held where one text, or two together, have at least half of its words
      that the question does not have (the share by which `verify` would accept it as an answer).
    - None, since it cannot be told: a question without a reference, yes-no without named triples
      (the word `yes` stands nowhere), references that the question mentions.

    Args:
        texts: the triples in plain language, or the passages, best first.
        triples: those of `texts`, in the same order; None for passages.
        linked: names of the graph's entities that the question names.

    Returns:
        Whether it is held, and the places in `texts` that carry it, in order; none where not.
    """
    if question.triples and triples is not None:
        return _named(question.triples, triples)
    if question.kind == "yes-no" or not question.references:
        return _UNTOLD
    ties = None if triples is None else _Ties(question, triples, linked)
    held = [
        _reference(question, form, texts, ties)
        for reference in question.references
        for form in forms(reference)
    ]
    return max(held, key=lambda each: (each[0] is True, each[0] is False, -len(each[1])))


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
    carriers: set[int] = set()
    for head, relation, tail in wanted:
        keys = same_statement(Triple(head=head, relation=relation, tail=tail))
        there = [places[key] for key in keys if key in places]
        if not there:
            return _LACKS
        carriers.add(min(there))
    return True, tuple(sorted(carriers))


def _reference(
    question: GraphQuestion, reference: str, texts: Sequence[str], ties: _Ties | None
) -> Held:
    names = _names(reference)
    if names is None:
        return _long(question, reference, texts)
    wanted = [name for name in names if not stands_in(name, question.text)]
    if not wanted:
        return _UNTOLD
    asked = set(content(question.text))
    carriers = [
        _among_passages(name, texts, asked) if ties is None else ties.carrier(name)
        for name in wanted
    ]
    places = [place for place in carriers if place is not None]
    if len(places) < max(1, THRESHOLD * len(wanted)):
        return _LACKS
    return True, tuple(sorted(set(places)))


@lru_cache(maxsize=4_096)
def _names(reference: str) -> tuple[str, ...] | None:
    """A name, or the names of a list; None where it says more than names."""
    if (items := listed(reference)) or len(content(reference)) > NAME_WORDS:
        return items or None
    return (reference,) if name_words(reference) else None


def _among_passages(name: str, texts: Sequence[str], asked: set[str]) -> int | None:
    """The first passage that has the name, and a word of the question besides."""
    for place, text in enumerate(texts):
        rest = set(content(text)) - set(content(name))
        stands = stands_in(name, text) or is_short_in(name, text)
        if stands and (not asked or asked & rest):
            return place
    return None


def _ends(triple: Triple) -> Iterator[tuple[str, str, str, str]]:
    """Key and name of each end, then of the end across from it."""
    head, _, tail = triple.key
    yield head, triple.head, tail, triple.tail
    yield tail, triple.tail, head, triple.head


class _Ties:
    """Triples, and how their ends are tied to what a question names.

    An end is named by the question where it is one of the entities that were linked, or shares a
    word with the question that does not ask for a relation, and has no other number.

    Args:
        linked: names of entities that the question names.
    """

    def __init__(
        self, question: GraphQuestion, triples: Sequence[Triple], linked: Iterable[str]
    ) -> None:
        self._question = question.text
        self._triples, self._linked = triples, tuple(dict.fromkeys(linked))
        self._asked = {key for key in content(question.text) if not asks_for_relation(key)}
        self._named: set[str] = set()
        self._next: dict[str, set[str]] = {}
        for triple in triples:
            for key, end, across, _ in _ends(triple):
                self._next.setdefault(key, set()).add(across)
                if any(same_name(end, name) for name in self._linked) or self._shares(end):
                    self._named.add(key)

    def carrier(self, name: str) -> int | None:
        """The place of the first triple that has a name as an end across from one that is tied to
        the question: named by it, or joined to such a one by triples, and not through the name.

        Where the question names none of the ends nor any entity, it may be any other end, but for
        one that is called after the name.
        """
        bearers = {
            key
            for triple in self._triples
            for key, end, _, _ in _ends(triple)
            if self._is_at(name, end)
        }
        known = any(not self._is_at(name, entity) for entity in self._linked)
        known = known or not self._named <= bearers
        for place, triple in enumerate(self._triples):
            for key, _, across, far in _ends(triple):
                if key not in bearers:
                    continue
                if known:
                    tied = self._shares(triple.statement) or across in self._reached(key, bearers)
                else:
                    tied = not stands_in(name, far)
                if tied:
                    return place
        return None

    def _is_at(self, name: str, end: str) -> bool:
        if stands_in(end, self._question):
            return False
        within = is_figure(name) and stands_in(name, end)
        return within or same_name(name, end) or is_kind_of(end, name)

    def _reached(self, without: str, bearers: Container[str]) -> set[str]:
        """The ends that are tied to the question, not through the one that is the answer."""
        left = {end for end in self._named if end not in bearers}
        reached = set(left)
        while left:
            left = {near for end in left for near in self._next[end]} - reached - {without}
            reached |= left
        return reached

    def _shares(self, text: str) -> bool:
        """Whether a text has a word of the question, and no number that the question lacks."""
        keys = content(text)
        numbers = {key for key in self._asked if is_number(key)}
        if numbers and any(is_number(key) and key not in numbers for key in keys):
            return False
        return any(akin(key, word) for key in keys for word in self._asked)


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
                hits[word] = frozenset(key for key in wanted if akin(key, word))
            there |= hits[word]
        if there:
            shares.append((place, frozenset(there)))
    best = sorted(shares, key=lambda share: -len(share[1]))[:_LOOKED_AT]
    least = THRESHOLD * len(wanted)
    if best and len(best[0][1]) >= least:
        return True, (best[0][0],)
    pairs = [(len(a[1] | b[1]), a[0], b[0]) for a, b in combinations(best, 2)]
    most = max(pairs, default=(0, 0, 0), key=lambda pair: pair[0])
    return (True, tuple(sorted(most[1:]))) if most[0] >= max(least, 1) else _LACKS
