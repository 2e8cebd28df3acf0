"""The rule answerer: takes the answer to a question out of triples. No model, no knowledge.

It reads the question for the entities that it names and the relations that it asks for, and answers
with the other end of the facts that fit, or says that it does not know.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from factmark.graphrag.core.question_words import words_of
from factmark.graphrag.core.records import LETTERS, GraphQuestion, RetrievedTriple
from factmark.graphrag.core.relation_cues import (
    Cue,
    RelationNames,
    Side,
    cues,
    is_symmetric,
    straight,
)
from factmark.graphrag.core.retrieval import bits_of
from factmark.graphs.core.mentions import keys, read_passage
from factmark.replies.plain import DONT_KNOW

Name = tuple[str, ...]
Places = Mapping[Name, int | None]  # end that a question names -> where

_MOST = 10
_LEAST = 0.3
_SURE = 0.6
_UNSAID = 0.6
_DENIES = re.compile(r"^(?:not|no|never|does_not|do_not|is_not|cannot)_")
_THAT = re.compile(r"\b(?:the|an?)\s+(?:[\w-]+\s+){1,3}(?:that|which|who|whose)\b", re.IGNORECASE)
_NEGATIVE = re.compile(r"\b(?:not|never|except|no)\b|n['’]t\b", re.IGNORECASE)


class _Edge(NamedTuple):
    """A fact in one direction: its ends as words, and as they are written; how well it fits."""

    head: Name
    relation: str
    tail: Name
    names: tuple[str, str]
    score: float

    def other(self, end: Name) -> tuple[Side, Name, str]:
        """The end across from one: which it is, its words, as written."""
        if end == self.head:
            return "tail", self.tail, self.names[1]
        return "head", self.head, self.names[0]


class _Candidate(NamedTuple):
    """An end that may be the answer: how well its fact fits, and what it shares with others."""

    score: float
    name: Name
    text: str
    group: tuple[Name, str, Side]


def extract(question: GraphQuestion, facts: Sequence[RetrievedTriple]) -> str:
    """The answer to a question out of facts (best first), or "I don't know".

    Free text: the ends that stand across from what the question names, in the best-fitting relation
    that it asks for, over one fact or two; all that share it, joined by commas; where it plainly
    asks for none, in the best fact whose relation it has a word for. Choice: the letter
    of the option that is such an end; none where two fit alike. Yes-no: yes where a fact joins two
    entities of the question in the relation and direction that it asks for, no where the fact
    denies it; the other way round for a question with "not".
    """
    edges = [edge for fact in facts if (edge := _edge(fact)) is not None]
    named = _named(question.text, edges) or _hub(facts)
    asked = cues(question.text, [edge.relation for edge in edges])
    if question.kind == "yes-no":
        return _yes_no(question.text, edges, named, asked)
    affirmed = [edge for edge in edges if not _DENIES.match(edge.relation)]
    candidates = [
        *_direct(affirmed, named, _chief(question.text, asked)),
        *_paths(affirmed, named, asked),
    ]
    if not candidates and not any(cue.weight >= _SURE for cue in asked):
        candidates = list(_hinted(question.text, affirmed, named))
    if question.kind == "choice":
        return _choice(question, candidates, affirmed, named)
    if not candidates:
        return DONT_KNOW
    best = max(candidates, key=lambda end: end.score)
    ends = [end for end in candidates if (end.group, end.score) == (best.group, best.score)]
    return ", ".join(list({end.name: end.text for end in ends}.values())[:_MOST])


@lru_cache(maxsize=16_384)
def _keys(name: str) -> Name:
    return keys(name)


def _edge(fact: RetrievedTriple) -> _Edge | None:
    triple = fact.triple
    head, relation, tail = straight(triple.head, triple.relation, triple.tail)
    ends = _keys(head), _keys(tail)
    if not all(ends) or ends[0] == ends[1]:
        return None
    names = " ".join(head.split()), " ".join(tail.split())
    return _Edge(ends[0], relation, ends[1], names, fact.score)


def _named(question: str, edges: Sequence[_Edge]) -> dict[Name, int | None]:
    """The ends that a question names, the longest first, each with where."""
    passage = read_passage(question)
    places: dict[Name, int | None] = {}
    taken: set[int] = set()
    names = {end for edge in edges for end in (edge.head, edge.tail)}
    for name in sorted(names, key=lambda name: (-len(name), name)):
        for at in range(len(passage.words) - len(name) + 1):
            span = range(at, at + len(name))
            if passage.words[at : at + len(name)] == name and taken.isdisjoint(span):
                taken.update(span)
                places.setdefault(name, passage.spans[at][0])
    return places


def _hub(facts: Sequence[RetrievedTriple]) -> dict[Name, int | None]:
    """What the question names by another name: the one end that all facts next to it share."""
    ends = [{_keys(fact.triple.head), _keys(fact.triple.tail)} for fact in facts if fact.hops == 1]
    shared = set.intersection(*ends) if len(ends) > 1 else set()
    return {shared.pop(): None} if len(shared) == 1 else {}


def _chief(question: str, asked: Sequence[Cue]) -> Sequence[Cue]:
    """The cues without those of a clause ("the disease that affects ..."), where any are left."""
    clause = _THAT.search(question)
    chief = [cue for cue in asked if clause is None or cue.start < clause.start()]
    return chief if any(cue.weight >= _SURE for cue in chief) else asked


def _fit(
    edge: _Edge, side: Side, known: int | None, asked: Sequence[Cue]
) -> tuple[float, Cue | None]:
    """How surely a question asks for this side of a fact, and by which cue."""
    best: tuple[float, Cue | None] = (0.0, None)
    for cue in asked:
        if edge.relation in cue.relations and cue.weight > best[0]:
            wanted = cue.asks(known)
            if wanted is None or wanted == side or is_symmetric(edge.relation):
                best = cue.weight, cue
    return best


def _from_named(edges: Sequence[_Edge], named: Places) -> Iterator[tuple[_Edge, Name]]:
    """The edges of which one end is named, with that end."""
    for edge in edges:
        if (edge.head in named) != (edge.tail in named):
            yield edge, edge.head if edge.head in named else edge.tail


def _direct(edges: Sequence[_Edge], named: Places, asked: Sequence[Cue]) -> Iterator[_Candidate]:
    """The ends across from a named one."""
    for edge, known in _from_named(edges, named):
        side, name, text = edge.other(known)
        score, _ = _fit(edge, side, named[known], asked)
        if score >= _LEAST:
            yield _Candidate(score, name, text, (known, edge.relation, side))


def _paths(edges: Sequence[_Edge], named: Places, asked: Sequence[Cue]) -> Iterator[_Candidate]:
    """The ends two facts away from a named one, each fact asked for by a cue of its own.

    Where the question does not say the first relation, the second one counts for less.
    """
    sure = [cue for cue in asked if cue.weight >= _SURE]
    around: dict[Name, list[_Edge]] = {}
    for edge in edges:
        for end in (edge.head, edge.tail):
            around.setdefault(end, []).append(edge)
    for first, known in _from_named(edges, named):
        side, middle, _ = first.other(known)
        near, cue = _fit(first, side, named[known], sure)
        for second in around[middle]:
            end_side, name, text = second.other(middle)
            if second is first or name in named:
                continue
            far, other = _fit(second, end_side, named[known], [c for c in sure if c is not cue])
            if other is not None:
                score = near + far if near else far * _UNSAID
                yield _Candidate(score, name, text, (middle, second.relation, end_side))


def _hinted(question: str, edges: Sequence[_Edge], named: Places) -> Iterator[_Candidate]:
    """Where the question has no sure cue: what stands across from a named end in the best fact
    whose relation the question has a word for, and in those that tie with it."""
    bits = bits_of([word.key for word in words_of(question) if not word.is_function])
    relations = list(dict.fromkeys(edge.relation for edge in edges))
    asked = {relations[place] for place in RelationNames(relations).asked(bits)}
    best: tuple[float, tuple[Name, str, Side]] | None = None
    for edge, known in _from_named(edges, named):
        if edge.relation not in asked:
            continue
        side, name, text = edge.other(known)
        best = best or (edge.score, (known, edge.relation, side))
        if best == (edge.score, (known, edge.relation, side)):
            yield _Candidate(_LEAST, name, text, best[1])


def _choice(
    question: GraphQuestion,
    candidates: Sequence[_Candidate],
    edges: Sequence[_Edge],
    named: Places,
) -> str:
    """The letter of the option that fits best, or that of the only one that does not, if asked."""
    beside = {
        edge.other(end)[1] for edge in edges for end in (edge.head, edge.tail) if end in named
    }
    scores: dict[str, float] = {}
    for letter, option in zip(LETTERS, question.options, strict=False):
        name = _keys(option)
        fits = [end.score for end in candidates if end.name == name]
        scores[letter] = max(fits, default=_LEAST / 2 if name in beside else 0.0)
    negative = bool(_NEGATIVE.search(question.text))
    best = 0.0 if negative else max(scores.values(), default=0.0)
    wanted = [letter for letter, score in scores.items() if score == best]
    single = len(wanted) == 1 and (len(scores) > 1 if negative else best > 0)
    return wanted[0] if single else DONT_KNOW


def _yes_no(question: str, edges: Sequence[_Edge], named: Places, asked: Sequence[Cue]) -> str:
    for edge in edges:
        if edge.head not in named or edge.tail not in named:
            continue
        denied = bool(_DENIES.match(edge.relation))
        plain = edge._replace(relation=_DENIES.sub("", edge.relation))
        head, tail = named[edge.head], named[edge.tail]
        fits = _fit(plain, "head", tail, asked)[0] and _fit(plain, "tail", head, asked)[0]
        if plain.relation == "isa" and head is not None and tail is not None:
            fits = head < tail
        if fits:
            return "no" if denied != bool(_NEGATIVE.search(question)) else "yes"
    return DONT_KNOW
