"""Whether what was retrieved for a question holds its reference answer, and where: the whole path
to it, or else its words. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import combinations
from typing import NamedTuple

from factmark.graph_answers.core.names import akin, content, is_short_in, same_name, stands_in
from factmark.graph_answers.core.records import GraphQuestion
from factmark.graph_answers.core.verifying import NAME_WORDS, THRESHOLD, forms, listed
from factmark.graphs.core.claims import Triple, folded, relation_key
from factmark.graphs.core.cues import CUES, TURNED
from factmark.text.names import name_words

Held = tuple[bool | None, tuple[int, ...]]
Key = tuple[str, str, str]
Steps = tuple[frozenset[str], ...]
"""The relations of a path, each by all its names in a graph, in either direction."""

LEAST_FIT = 0.5
"""How well (F1) the ends of a path have to fit a set of answers."""
_LOOKED_AT = 20
_UNTOLD: Held = (None, ())
_LACKS: Held = (False, ())


class AnswerPaths(NamedTuple):
    """The paths that answer a question in a graph, by the graph's own names.

    Attributes:
        entities: where they begin.
        steps: the relations of each.
        answers: where one of them must end.
    """

    entities: frozenset[str]
    steps: tuple[Steps, ...]
    answers: frozenset[str]


def held_by(
    question: GraphQuestion, texts: Sequence[str], triples: Sequence[Triple] | None
) -> Held:
    """Whether a context holds the reference answer, and the places of what holds it.

    - Where the question names its triples and triples are given: all of them must be there, each
      as it stands or as the same statement turned round (`due_to` for `cause_of`).
    - Otherwise the best of the references. A name (at most four words that say something) must
      stand in a text, whole, up to inflection, spelling and abbreviation; in a triple it must be
      one of the ends. Of a list of names at least half must be found. A name that the question
      mentions itself shows nothing. A passage must share a word with the question too.
    - A longer reference is held where one text, or two together, have at least half of its words
      that the question does not have (the share by which `verify` would accept it as an answer).
    - None, since it cannot be told: a question without a reference, yes-no without named triples
      (the word `yes` stands nowhere), references that the question mentions.

    Args:
        texts: the triples in plain language, or the passages, best first.
        triples: those of `texts`, in the same order; None for passages.

    Returns:
        Whether it is held, and the places in `texts` that carry it, in order; none where not.
    """
    if question.triples and triples is not None:
        return _holds_triples(question.triples, triples)
    if question.kind == "yes-no" or not question.references:
        return _UNTOLD
    held = []
    for reference in question.references:
        for form in forms(reference):
            held.append(_holds_reference(question, form, texts, triples))
    return max(held, key=lambda each: (each[0] is True, each[0] is False, -len(each[1])))


def reference_names(question: GraphQuestion) -> list[str]:
    """The names by which a node may be an answer of a question: its references, in each of their
    forms, and the parts of those that are lists."""
    names: dict[str, None] = {}
    for reference in question.references:
        for form in forms(reference):
            names |= dict.fromkeys((form, *listed(form)))
    return list(names)


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


def _holds_triples(wanted: Sequence[Key], triples: Sequence[Triple]) -> Held:
    """Returns whether all the wanted triples are there, and the places of those that are them."""
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


def _holds_reference(
    question: GraphQuestion,
    reference: str,
    texts: Sequence[str],
    triples: Sequence[Triple] | None,
) -> Held:
    """Returns whether texts hold a reference answer (a name, a list of names, or a long text), and
    the places of those that do."""
    items = listed(reference)
    if not items and len(content(reference)) > NAME_WORDS:
        return _holds_long_reference(question, reference, texts)
    wanted = tuple(name for name in items or (reference,) if not stands_in(name, question.text))
    if not wanted or not name_words(reference):
        return _UNTOLD
    asked = set(content(question.text))
    for names in dict.fromkeys(((reference,), wanted)):  # a list may stand there as one name
        carriers = []
        for name in names:
            if (place := _carrier(name, texts, triples, asked)) is not None:
                carriers.append(place)
        if len(carriers) >= max(1, THRESHOLD * len(names)):
            return True, tuple(sorted(set(carriers)))
    return _LACKS


def _carrier(
    name: str, texts: Sequence[str], triples: Sequence[Triple] | None, asked: set[str]
) -> int | None:
    """The first triple that has a name as one of its ends, or the first passage that has it, and
    one of the question's words besides."""
    if triples is not None:
        ends = ((triple.head, triple.tail) for triple in triples)
        named = (place for place, pair in enumerate(ends) if any(same_name(name, e) for e in pair))
        return next(named, None)
    for place, text in enumerate(texts):
        rest = set(content(text)) - set(content(name))
        stands = stands_in(name, text) or is_short_in(name, text)
        if stands and (not asked or asked & rest):
            return place
    return None


def _holds_long_reference(question: GraphQuestion, reference: str, texts: Sequence[str]) -> Held:
    """Returns whether one or two of the texts hold enough words of a long reference answer, and
    their places."""
    asked = set(content(question.text))
    wanted = set()
    for key in content(reference):
        if key not in asked:
            wanted.add(key)
    if not wanted:
        return _UNTOLD
    shares = []
    for n, text in enumerate(texts):
        shares.append(
            (
                frozenset(
                    key for key in wanted if any(akin(key, word) for word in set(content(text)))
                ),
                n,
            )
        )
    best = sorted(shares, key=lambda share: -len(share[0]))[:_LOOKED_AT]
    for size in (1, 2):
        for chosen in combinations(best, size):
            if len(frozenset().union(*(keys for keys, _ in chosen))) >= THRESHOLD * len(wanted):
                return True, tuple(sorted(place for _, place in chosen))
    return _LACKS


def held_along(paths: AnswerPaths, triples: Sequence[Triple]) -> tuple[bool, tuple[int, ...]]:
    """Whether all triples of one path are there, and the places of those of the first that is.

    A path has no triple twice, and does not come back to where it began.
    """
    entities = set(map(folded, paths.entities))
    answers = set(map(folded, paths.answers))
    ends = []
    for triple in triples:
        ends.append((folded(triple.head), triple.relation, folded(triple.tail)))
    for steps in paths.steps:
        ways: list[tuple[str, str, tuple[int, ...]]] = [
            (name, name, ()) for name in sorted(entities)
        ]
        for relations in steps:
            ways = list(_one_step(ways, ends, relations))
        for _, name, places in ways:
            if name in answers - entities:
                return True, tuple(sorted(places))
    return False, ()


def _one_step(
    ways: Iterable[tuple[str, str, tuple[int, ...]]],
    ends: Sequence[tuple[str, str, str]],
    relations: Collection[str],
) -> Iterator[tuple[str, str, tuple[int, ...]]]:
    """Yields the ways (where each begins, where it is, the places of its triples) with one triple
    more of these relations."""
    for start, name, places in ways:
        taken = {ends[place] for place in places}
        for place, (head, relation, tail) in enumerate(ends):
            if relation not in relations or name not in (head, tail) or ends[place] in taken:
                continue
            far = head
            if head == name:
                far = tail
            if far not in (start, name):
                yield start, far, (*places, place)


def best_fitting(
    reached: Iterable[tuple[tuple[int, ...], Collection[int]]],
    answers: Collection[int],
    asked: Collection[int],
) -> list[tuple[int, ...]]:
    """The relations of the paths that lead to a set of answers and to little else.

    Of those that fit alike (F1) those of which the question speaks most, and of these the shorter
    ones; several where they cannot be told apart. None where the best fits less than `LEAST_FIT`.

    Args:
        reached: the relations of a path, and all ends that it leads to.
        asked: the relations that the question speaks of.
    """
    fits: list[tuple[tuple[int, float, int], tuple[int, ...]]] = []
    for relations, ends in reached:
        both = len(set(answers) & set(ends))
        share = round(2 * both / (len(answers) + len(ends)) * 1_000_000)
        if both and share >= LEAST_FIT * 1_000_000:
            spoken = sum(relation in asked for relation in relations) / len(relations)
            fits.append(((share, spoken, -len(relations)), relations))
    best = max((fit for fit, _ in fits), default=None)
    return list(dict.fromkeys(relations for fit, relations in fits if fit == best))
