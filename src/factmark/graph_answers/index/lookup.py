"""A graph on disk that is looked up by questions."""

from __future__ import annotations

import asyncio
import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np

from factmark.ask.chat import estimate_tokens
from factmark.errors import InputError, StoreError
from factmark.graph_answers.core.holding import same_statement
from factmark.graph_answers.core.names import same_name
from factmark.graph_answers.core.question_words import (
    SURE,
    Match,
    QuestionWord,
    exactness_of_name,
    name_keys,
    words_of,
)
from factmark.graph_answers.core.records import (
    GraphContext,
    Linked,
    RetrievalLimits,
    RetrievedTriple,
)
from factmark.graph_answers.core.relation_words import (
    asks_for_relation,
    places_of_relations,
    relations_asked,
    twice_asked,
)
from factmark.graph_answers.core.retrieval import (
    Floats,
    Ranked,
    Sought,
    bits_of,
    distinct,
    rank,
)
from factmark.graph_answers.core.spreading import weights_of_entities, worth_of_triples
from factmark.graph_answers.index.graph import EVERY, AskedGraph, StoredGraph, Vector
from factmark.graph_answers.index.linking import Linker
from factmark.graph_answers.index.passages import PassageGraph
from factmark.graphs.core.claims import WORDINGS, Triple, claim
from factmark.passages.embedders import Embedder, unit_vectors
from factmark.passages.index_folder import UNREADABLE
from factmark.passages.lexical import fuse_rankings

_SEVERAL = 0.25  # what each further word of a name adds to its trust
_MOST_SEVERAL = 4  # further words that do
_OPTION = 0.5  # what a word of an option weighs, beside one of the question
_ASKING = 0.3  # what a word weighs that names nothing but may hint at a relation: `where`
_UNKNOWN = 0.6  # what a word weighs that no name has
_DEPTH = 200  # triples that are ranked, where their order is not the last word
_BEARERS = 8  # nodes of a like name that are looked at
_NEAREST = 50  # triples that are ranked by their vectors, wherever they are


class TripleIndex:
    """A graph on disk, looked up by questions.

    Args:
        identity: what is searched and how, for signatures.
        wordings: relation -> how its claims read.
    """

    def __init__(
        self,
        graph: StoredGraph,
        identity: str,
        limits: RetrievalLimits | None = None,
        wordings: Mapping[str, str] = WORDINGS,
        notes: tuple[str, ...] = (),
        embedder: Embedder | None = None,
    ) -> None:
        self._embedder = embedder
        self.graph = graph
        self.limits = limits or RetrievalLimits()
        self.notes = (*notes, *self._way_notes(graph))
        self._identity = identity
        self._wordings = wordings
        self._rarest = math.log1p(self.graph.nodes)
        self._linker = Linker(graph, self._weight)

    def __len__(self) -> int:
        return self.graph.triples

    @property
    def identity(self) -> str:
        """What is searched and how, for signatures: never a credential or a path."""
        limits = repr(self.limits).removeprefix("Retrieval")  # as kept contexts have it
        return f"{self._identity}, {limits}"

    async def context(self, question: str, options: Sequence[str] = ()) -> GraphContext:
        """What the graph says about a question, best first.

        Raises:
            EndpointError: the question cannot be embedded, since its server is gone.
            InputError: nor by a local model.
            StoreError: the index is damaged.
        """
        vector: Vector | None = None
        if self._embedder is not None:
            text = "\n".join((question, *options))
            asked = await unit_vectors(self._embedder, [text], zeros=True)
            vector = None
            if asked.any():
                vector = asked[0]
        try:
            return await asyncio.to_thread(self.look_up, question, options, vector)
        except (*UNREADABLE, IndexError, OverflowError) as error:
            raise StoreError(
                f"The index of the graph is damaged ({error}). Remove its folder and try again."
            ) from error

    def look_up(
        self, question: str, options: Sequence[str] = (), vector: Vector | None = None
    ) -> GraphContext:
        """As `context`, in this thread.

        Args:
            vector: of the question, of length 1; triples are ranked by their words alone without.
        """
        follows = self.passages is None
        sought, near, linked = self._weigh_question(question, options, follows=follows)
        if self.passages is not None:
            asked = "\n".join((question, *options))
            return self._by_passages(self.passages, asked, sought, near, linked)
        most = self.limits.top_k
        if vector is not None or self.limits.per_entity is not None:
            most = max(_DEPTH, most)  # some of which will not be among the best
        ranked, reached = rank(sought, near, hops=self.limits.hops, most=most)
        if vector is not None:
            ranked = self._fuse_orders(ranked, vector, most)
        return GraphContext(facts=self._best_within_limits(ranked), linked=linked, reached=reached)

    def _way_notes(self, graph: StoredGraph) -> Iterator[str]:
        """Yields how triples are found where relations do not lead to them."""
        if self.passages is not None:
            yield (
                f"{len(graph.relations):,} relations in {graph.triples:,} triples are as free as "
                "text, so triples are found by PageRank over entities and passages. --retrieval "
                "paths follows relations."
            )
        elif self.limits.by == "passages":
            raise InputError(
                "--retrieval passages: the triples name no passages, or their relations are so few "
                "that paths lead further. Leave it out."
            )

    @cached_property
    def passages(self) -> PassageGraph | None:
        """What is searched in the place of paths: the passages of a graph whose relations are as
        free as text; None for others, and where `limits.by` says otherwise."""
        if self.limits.by == "paths" or not PassageGraph.is_there(self.graph.folder):
            return None
        return PassageGraph(self.graph.folder, self.graph)

    def _by_passages(
        self,
        searched: PassageGraph,
        asked: str,
        sought: Sought,
        near: AskedGraph,
        linked: tuple[Linked, ...],
    ) -> GraphContext:
        """Returns the triples of the passages that answer a question best, one of each, and these
        passages, within the limits."""
        limits = self.limits
        weights = weights_of_entities(sought)
        keys = []
        for word in words_of(asked):
            if not word.is_function:
                keys.append(word.key)
        facts: list[RetrievedTriple] = []
        passages: list[tuple[str, str]] = []
        tokens = 0
        for place, worth in searched.search(asked, weights, keys, limits.top_k):
            numbers = searched.triples(place)
            passage = searched.passage(place)
            number = int(numbers[np.argmax(worth_of_triples(sought, near, numbers))])
            triple = self.graph.triple(number)
            text = claim(triple, self._wordings)
            tokens += estimate_tokens(text) + estimate_tokens(passage[1])
            if limits.tokens is not None and tokens > limits.tokens:
                break
            facts.append(
                RetrievedTriple(number=number, triple=triple, text=text, score=worth, hops=0)
            )
            if passage[1]:
                passages.append(passage)
        return GraphContext(facts=tuple(facts), passages=tuple(passages), linked=linked)

    def _fuse_orders(self, ranked: Sequence[Ranked], vector: Vector, most: int) -> list[Ranked]:
        """The order by words and the order by vectors as one."""
        by_number = {each.number: each for each in ranked}
        nearest = self.graph.nearest(vector, list(by_number), _NEAREST)
        both = fuse_rankings([[(each.score, each.number) for each in ranked], nearest], most)
        alone = Ranked(number=-1, score=0.0, hops=0, entity=-1)
        orders = []
        for score, number in both:
            orders.append(by_number.get(number, alone)._replace(number=number, score=score))
        return orders

    def has(self, triples: Sequence[tuple[str, str, str]]) -> bool:
        """Whether the graph has all of these (head, relation, tail), up to case, inflection and
        direction (`due_to` for `cause_of`)."""
        return all(self._has(*triple) for triple in triples)

    def _has(self, head: str, relation: str, tail: str) -> bool:
        """Whether the graph holds a triple, by any names of its ends."""
        wanted = same_statement(Triple(head=head, relation=relation, tail=tail))
        tails = set(self.named(tail))
        for node in self.named(head):
            numbers = self.graph.edges(node, EVERY, ())
            rows = self.graph.rows(numbers)
            far = np.where(rows[:, 0] == node, rows[:, 2], rows[:, 0])
            for h, r, _ in rows[np.isin(far, list(tails))].tolist():
                if h == node:
                    names = (head, tail)
                else:
                    names = (tail, head)
                triple = Triple(head=names[0], relation=self.graph.relations[r], tail=names[1])
                if same_statement(triple) & wanted:
                    return True
        return False

    def bearers(self, names: Sequence[str]) -> list[int]:
        """The nodes that one of these names is a name of: whole, as an alias, or up to the order of
        its words and abbreviations."""
        nodes: dict[int, None] = {}
        for name in names:
            nodes |= dict.fromkeys(self.named(name))
            for _, node in self.graph.words.search(name, _BEARERS):
                if same_name(name, self.graph.name(node)):
                    nodes.setdefault(node)
        return list(nodes)

    def reaches(self, names: Sequence[str], question: str) -> bool | None:
        """Whether an entity of one of these names lies within `limits.hops` triples of an entity
        that the question names, whatever is retrieved.

        False where the graph has no entity of these names; None where the question names none that
        the graph has, or where all of the names stand in the question.
        """
        wanted = set(self.bearers(names))
        if not wanted:
            return False
        sought, _, _ = self._weigh_question(question, ())
        seeds = {*sought.entities, *sought.unsure}
        if not seeds or not wanted - seeds:
            return None
        sides = [np.array(sorted(side), dtype=np.int32) for side in (seeds, wanted - seeds)]
        for _ in range(self.limits.hops):
            sizes = [self.graph.degrees(side) for side in sides]
            side = int(sizes[1] < sizes[0])  # the side that has fewer triples to follow
            numbers, _ = self.graph.around(sides[side], EVERY)
            ends = self.graph.rows(numbers)[:, [0, 2]]
            sides[side] = distinct(np.concatenate([sides[side], ends.ravel()])).astype(np.int32)
            if np.intersect1d(sides[0], sides[1]).size:
                return True
        return False

    def linked_nodes(self, question: str) -> list[int]:
        """The nodes that a question names for sure."""
        return list(self._weigh_question(question, ())[0].entities)

    def asked_relations(self, question: str) -> tuple[frozenset[int], int]:
        """The relations that a question speaks of, by their numbers, and how many triples a path
        may have that it asks for."""
        sought, _, _ = self._weigh_question(question, ())
        return frozenset(sought.relations), sought.reach

    def named(self, name: str) -> list[int]:
        """The nodes that the whole of a name names."""
        whole = " ".join(name_keys(name)) + " "
        return [
            node
            for key, nodes in self.graph.prefixes(whole)
            if key == whole
            for node, how in nodes
            if how in SURE
        ]

    def _weight(self, key: str) -> float:
        """Returns the weight of a word: from 0.15 for one that all names have to 1 for one that few
        have."""
        count = self.graph.frequency(key)
        if not count:
            return _UNKNOWN
        return max(0.15, 1 - math.log1p(count) / self._rarest)

    def _weigh_question(
        self, question: str, options: Sequence[str], *, follows: bool = True
    ) -> tuple[Sought, AskedGraph, tuple[Linked, ...]]:
        """Returns a question as its words weigh, the graph as its ranking reads it, and the
        entities that it names.

        Args:
            follows: whether relations are followed, so that it matters which are asked for.
        """
        words, matches = self._linker.matches(question)
        given = [self._linker.matches(option) for option in options]
        parts = list(self._linker.parts(question, words, matches))
        matches = [*matches, *parts]
        generic = self._generic(words, matches)
        sure: set[int] = set()
        for m in matches:
            if m.how in SURE and m not in generic:
                sure.update(_span(m))
        covered = {place for match in matches for place in _span(match)}
        telling = []
        for n, w in enumerate(words):
            if n in covered or _tells(w):
                telling.append(w)
        optional = [word for phrase, _ in given for word in phrase if not word.is_function]
        named = []
        for n, word in enumerate(words):
            if n in covered:
                named.append(word)
        named += [word for phrase, hits in given for m in hits for word in phrase[m.first : m.last]]
        relations = self.graph.relation_names
        speaking = []
        for word in telling:
            if relations.speaks(word.key):
                speaking.append(word)
        # Of too many words those stay that name something, and of the rest the last.
        bits = bits_of([w.key for w in (*named, *speaking, *reversed(telling), *optional)])
        weights = self._weights(bits, telling, optional)
        entities: dict[int, int] = {}
        unsure: dict[int, int] = {}
        for phrase, hits in ((words, matches), *given):
            for match in hits:
                if match.how in SURE and match not in generic:
                    into = entities
                else:
                    into = unsure
                mask = sum({bits.get(word.key, 0) for word in phrase[match.first : match.last]})
                for node in match.nodes:
                    into[node] = into.get(node, 0) | mask
        entities = _weightiest(entities, weights, self.limits.entities)
        unsure = _weightiest(unsure, weights, self.limits.entities - len(entities))
        asked = relations.asked(bits) if follows else {}
        word_bits = [0 if n in sure else bits.get(word.key, 0) for n, word in enumerate(words)]
        spoken = places_of_relations(asked, word_bits)
        twice = twice_asked(words, spoken, sure, relations)
        sought = Sought(
            weights=weights,
            entities=entities,
            unsure=unsure,
            relations=asked,
            trust=self._trust(question, words, matches),
            twice=twice,
            reach=relations_asked(spoken, twice, sure),
            stands={node: match.first for match in matches for node in match.nodes},
            spoken=spoken,
        )
        stood = [(words[m.first].start, words[m.last - 1].end, m) for m in matches]
        stood += [(0, 0, replace(m, how="option")) for _, hits in given for m in hits]
        linked = tuple(
            Linked(start=start, end=end, name=self.graph.name(m.nodes[0]), how=m.how)
            for start, end, m in stood
        )
        return sought, AskedGraph(self.graph, bits), linked

    def _generic(self, words: Sequence[QuestionWord], matches: Sequence[Match]) -> list[Match]:
        """Names that are mere words of the question beside one that is not: `acting`, `star`."""
        sure = [match for match in matches if match.how in SURE]
        generic = []
        for match in sure:
            if (
                match.last - match.first == 1
                and not (words[match.first].text[0].isupper() and match.first)
                and not self._linker.is_content(words[match.first])
            ):
                generic.append(match)
        if len(generic) < len(sure):
            return generic
        return []

    def _trust(
        self, question: str, words: Sequence[QuestionWord], matches: Sequence[Match]
    ) -> dict[int, float]:
        """What a name is worth beyond its words: more for one of several words, and for one that
        stands there letter by letter."""
        trust: dict[int, float] = {}
        for match in matches:
            if match.how not in SURE:
                continue
            start = words[match.first].start
            end = words[match.last - 1].end
            several = _SEVERAL * min(match.last - match.first - 1, _MOST_SEVERAL)
            for node in match.nodes:
                worth = several + exactness_of_name(question, start, end, self.graph.name(node))
                trust[node] = max(worth, trust.get(node, 0.0))
        return trust

    def _weights(
        self,
        bits: Mapping[str, int],
        telling: Sequence[QuestionWord],
        optional: Sequence[QuestionWord],
    ) -> Floats:
        """The weight of each bit, shape (64,): of words of the question and of its options."""
        own = {}
        for word in optional:
            own[word.key] = _OPTION * self._weight(word.key)
        for w in telling:
            own[w.key] = _ASKING if w.is_function else self._weight(w.key)
        weights = np.zeros(64)
        for key, bit in bits.items():
            weights[bit.bit_length() - 1] = own.get(key, 0.0)
        return weights

    def _best_within_limits(self, ranked: Sequence[Ranked]) -> tuple[RetrievedTriple, ...]:
        """The best, within the limits."""
        limits = self.limits
        facts: list[RetrievedTriple] = []
        tokens = 0
        of_entity: Counter[int] = Counter()
        for number, score, hops, entity in ranked:
            if len(facts) >= limits.top_k:
                break
            if limits.per_entity is not None and of_entity[entity] >= limits.per_entity:
                continue
            triple = self.graph.triple(number)
            text = claim(triple, self._wordings)
            tokens += estimate_tokens(text)
            if limits.tokens is not None and tokens > limits.tokens:
                break
            of_entity[entity] += 1
            facts.append(
                RetrievedTriple(number=number, triple=triple, text=text, score=score, hops=hops)
            )
        return tuple(facts)


def _tells(word: QuestionWord) -> bool:
    """Whether a word says what is sought."""
    return not word.is_function or asks_for_relation(word.key)


def _span(match: Match) -> range:
    """Returns the places of a match's words."""
    return range(match.first, match.last)


def _weightiest(entities: Mapping[int, int], weights: Floats, most: int) -> dict[int, int]:
    """The entities that the weightiest words name, in their order."""
    if len(entities) <= most:
        return dict(entities)

    def worth(node: int) -> float:
        return math.fsum(w for n, w in enumerate(weights) if entities[node] >> n & 1)

    kept = set(sorted(entities, key=lambda node: -worth(node))[: max(0, most)])
    return {node: mask for node, mask in entities.items() if node in kept}
