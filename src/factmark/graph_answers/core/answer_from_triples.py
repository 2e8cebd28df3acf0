"""The rule answerer: takes the answer to a question out of triples. No model, no knowledge.

It answers with what stands across from an entity that the question names, in the best fact whose
relation the question asks for, or says that it does not know. It reads no direction: what causes
gout and what gout causes are one question to it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from factmark.graph_answers.core.question_words import words_of
from factmark.graph_answers.core.records import LETTERS, GraphQuestion, RetrievedTriple
from factmark.graph_answers.core.relation_words import RelationNames
from factmark.graph_answers.core.retrieval import bits_of
from factmark.graphs.core.mentions import keys, read_passage
from factmark.replies.plain import DONT_KNOW
from factmark.stats.rounding import CLOSE

Name = tuple[str, ...]
Places = Mapping[Name, int | None]  # end that a question names -> where

_MOST = 10
_DENIES = re.compile(r"^(?:not|no|never|does_not|do_not|is_not|cannot)_")
_NEGATIVE = re.compile(r"\b(?:not|never|except|no)\b|n['’]t\b", re.IGNORECASE)


class _Edge(NamedTuple):
    """A fact with its ends as words; `relation` is without the words that deny it."""

    fact: RetrievedTriple
    head: Name
    relation: str
    tail: Name
    denied: bool

    def across(self, end: Name) -> _End:
        """The end across from one."""
        head = self.fact.triple.head
        tail = self.fact.triple.tail
        if end == self.head:
            side = (self.tail, tail)
        else:
            side = (self.head, head)
        group = (end, self.relation, end == self.head)
        return _End(side[0], " ".join(side[1].split()), self.fact.score, group)


class _End(NamedTuple):
    """An end that may be the answer, and what it shares with other answers: the entity across from
    it, the relation and its side."""

    name: Name
    text: str
    score: float
    group: tuple[Name, str, bool]


def extract(question: GraphQuestion, facts: Sequence[RetrievedTriple]) -> str:
    """The answer to a question out of facts (best first), or "I don't know".

    Free text: what stands across from an entity that the question names, in the best fact whose
    relation it has a word for, or one fact further where two were found as one path; all that share
    it, joined by commas. Choice: the letter of the option that is the best such end; none where
    two fit alike. Yes-no: yes where such a fact joins two entities of the question, no where the
    fact denies it; the other way round for a question with "not".
    """
    edges = []
    for fact in facts:
        if (edge := _edge(fact)) is not None:
            edges.append(edge)
    named = _named(question.text, edges) or _hub(facts)
    bits = bits_of([word.key for word in words_of(question.text) if not word.is_function])
    relations = list(dict.fromkeys(edge.relation for edge in edges))
    asked = {relations[place] for place in RelationNames(relations).asked(bits)}
    if question.kind == "yes-no":
        asked.add("isa")  # "Is gout a disease?"
        return _yes_no(question.text, [e for e in edges if e.relation in asked], named)
    affirmed = [edge for edge in edges if not edge.denied]
    ends = list(_ends(affirmed, named, asked))
    if question.kind == "choice":
        return _choice(question, ends, affirmed, named)
    alike = {}
    for end in ends:
        if end.group == ends[0].group:
            alike[end.name] = end.text
    return ", ".join(list(alike.values())[:_MOST]) or DONT_KNOW


def _edge(fact: RetrievedTriple) -> _Edge | None:
    """Returns a triple as an edge between two names; None where they are one name, or one has no
    words."""
    triple = fact.triple
    head = keys(triple.head)
    tail = keys(triple.tail)
    if not head or not tail or head == tail:
        return None
    _, relation, _ = triple.key
    plain = _DENIES.sub("", relation)
    return _Edge(fact, head, plain, tail, plain != relation)


def _named(question: str, edges: Sequence[_Edge]) -> dict[Name, int | None]:
    """The ends that a question names, the longest first, each with where."""
    passage = read_passage(question)
    places: dict[Name, int | None] = {}
    taken: set[int] = set()
    names: set[tuple[str, ...]] = set()
    for edge in edges:
        names.update((edge.head, edge.tail))
    for name in sorted(names, key=lambda name: (-len(name), name)):
        for at in range(len(passage.words) - len(name) + 1):
            span = range(at, at + len(name))
            if passage.words[at : at + len(name)] == name and taken.isdisjoint(span):
                taken.update(span)
                places.setdefault(name, passage.spans[at][0])
    return places


def _hub(facts: Sequence[RetrievedTriple]) -> dict[Name, int | None]:
    """Returns the one end that all facts next to it share, which a question may mean though it
    names it otherwise; empty where there are several."""
    ends = []
    for fact in facts:
        if fact.hops == 1:
            ends.append({keys(fact.triple.head), keys(fact.triple.tail)})
    if len(ends) > 1:
        shared = set.intersection(*ends)
    else:
        shared = set()
    if len(shared) == 1:
        return {shared.pop(): None}
    return {}


def _from_named(edges: Sequence[_Edge], named: Places) -> Iterator[tuple[_Edge, Name]]:
    """The edges of which one end is named, with that end."""
    for edge in edges:
        if (edge.head in named) != (edge.tail in named):
            yield edge, edge.head if edge.head in named else edge.tail


def _ends(edges: Sequence[_Edge], named: Places, asked: set[str]) -> Iterator[_End]:
    """The ends in relations that are asked for, best first: at the end of the path that a fact
    begins, else across from the named one."""
    for edge, known in _from_named(edges, named):
        middle = edge.across(known)
        onward = []
        for second in edges:
            if (
                edge.fact.hops == 1
                and second.fact.hops == 2
                and second.fact.score == edge.fact.score
                and second.relation in asked
                and middle.name in (second.head, second.tail)
                and (end := second.across(middle.name)).name not in named
            ):
                onward.append(end)
        if onward:
            yield from onward
        elif edge.relation in asked:
            yield middle


def _choice(
    question: GraphQuestion, ends: Sequence[_End], edges: Sequence[_Edge], named: Places
) -> str:
    """The letter of the option that fits best, or that of the only one that does not, if asked."""
    beside = set()
    for edge, known in _from_named(edges, named):
        beside.add(edge.across(known).name)
    scores: dict[str, float] = {}
    for letter, option in zip(LETTERS, question.options, strict=False):
        name = keys(option)
        fits = []
        for end in ends:
            if end.name == name:
                fits.append(end.score)
        scores[letter] = max(fits, default=0.01 if name in beside else 0.0)
    negative = bool(_NEGATIVE.search(question.text))
    best = 0.0
    if not negative:
        best = max(scores.values(), default=0.0)
    wanted = [letter for letter, score in scores.items() if abs(score - best) <= CLOSE]
    single = len(wanted) == 1 and (len(scores) > 1 if negative else best > 0)
    if single:
        return wanted[0]
    return DONT_KNOW


def _yes_no(question: str, edges: Sequence[_Edge], named: Places) -> str:
    """Returns `yes` or `no` by the first edge between two ends that a question names; "I don't
    know" without one."""
    for edge in edges:
        if edge.head in named and edge.tail in named:
            head = named[edge.head]
            tail = named[edge.tail]
            if edge.relation == "isa" and head is not None and tail is not None and head > tail:
                continue
            if edge.denied != bool(_NEGATIVE.search(question)):
                return "no"
            return "yes"
    return DONT_KNOW
