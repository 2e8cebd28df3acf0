"""What a relation is like in a graph: one-way or not, with one value or several. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from factmark.graphs.core.claims import IS_A
from factmark.graphs.core.ontology import Relation
from factmark.graphs.profile.core.edges import Edges, Flags, Ints

Known = Mapping[str, Relation]
"""What an ontology says of relations, by their keys."""

FEW = 20  # triples, or nodes with a value: fewer say nothing of a relation
EITHER_WAY = 0.3  # of a relation's triples stand in the graph the other way round too
ONE_VALUE = 0.95  # of the nodes with a value have one
LESS_OFTEN = 0.1  # as often as in the whole graph a node has several values of such a relation

_UPWARDS = IS_A | {"broader", "subtype_of", "kind_of", "parent_taxon"}
_DOWNWARDS = frozenset({"inverse_isa", "narrower", "has_subclass", "has_subtype"})
_PARTS = frozenset({"part_of", "is_part_of", "component_of", "located_in"})
_WHOLES = frozenset({"has_part", "has_component"})
HIERARCHIES = ((_UPWARDS, _DOWNWARDS), (_PARTS, _WHOLES))
"""Relations that say what is above a thing, and those that say it the other way round."""
_EITHER = frozenset(
    "associated_with related_to same_as possibly_equivalent_to similar_to spouse spouse_of sibling "
    "sibling_of married_to interacts_with borders shares_border_with shares_a_border_with "
    "co_occurs_with coexists_with collaborates_with twinned_administrative_body "
    "partner_in_business_or_sport unmarried_partner adjacent_to connects_to diplomatic_relation "
    "close_match exact_match equivalent_class".split()
)
_INVERSES = (("head_of", "headed_by"), ("parent_of", "child_of"))


@dataclass(frozen=True, slots=True, kw_only=True)
class RelationProfile:
    """One relation of a graph.

    Attributes:
        one_way: whether it says something else the other way round: not known to hold either way,
            and seldom turned round in this graph.
        one_tail: heads have one tail, as far as nearly all of them tell; `one_head` likewise.
        reversed_share: of its triples, those that stand in the graph the other way round too.
        known: whether the ontology has it.
    """

    name: str
    triples: int
    heads: int
    tails: int
    one_way: bool
    one_tail: bool
    one_head: bool
    reversed_share: float
    known: bool


def relation_profiles(
    edges: Edges, turned: Flags, known: Known
) -> tuple[tuple[RelationProfile, ...], Flags, Flags]:
    """The relations in the order of `edges.relations`; and the triples that have a sibling where
    nearly all other nodes have one value: with the same head, with the same tail.

    Args:
        turned: triples that stand in the graph the other way round too, under the same relation.
    """
    n = len(edges.relations)
    counts = np.bincount(edges.kinds, minlength=n)
    both = np.bincount(edges.kinds, weights=turned, minlength=n)
    heads, one_tail, more_tails = _values(edges, edges.heads)
    tails, one_head, more_heads = _values(edges, edges.tails)
    profiles = []
    for place, name in enumerate(edges.relations):
        share = float(both[place] / counts[place])
        relation = known.get(name)
        either = name in _EITHER or (relation is not None and relation.symmetric)
        profiles.append(
            RelationProfile(
                name=name,
                triples=int(counts[place]),
                heads=int(heads[place]),
                tails=int(tails[place]),
                one_way=not either and (share < EITHER_WAY or int(counts[place]) < FEW),
                one_tail=bool(one_tail[place]),
                one_head=bool(one_head[place]),
                reversed_share=share,
                known=relation is not None,
            )
        )
    return tuple(profiles), more_tails, more_heads


def _values(edges: Edges, side: Ints) -> tuple[Ints, Flags, Flags]:
    """Per relation how many nodes have a value and whether nearly all have one, and much more so
    than of other relations; and the triples that are one of several values of such a node."""
    n = len(edges.relations)
    keys = side * n + edges.kinds
    nodes, which, sizes = np.unique(keys, return_inverse=True, return_counts=True)
    of = nodes % n
    with_value = np.bincount(of, minlength=n)
    single = np.bincount(of, weights=sizes == 1, minlength=n)
    several = with_value - single
    # In a thin graph nearly all nodes have one value of everything, which says nothing of any.
    usual = 0.0
    if len(sizes):
        usual = float((sizes > 1).mean())
    one_value = (with_value >= FEW) & (single >= ONE_VALUE * with_value)
    one_value &= several <= LESS_OFTEN * usual * with_value
    return with_value, one_value, one_value[edges.kinds] & (sizes[which] > 1)


def inverses(relations: Sequence[str], known: Known) -> list[tuple[int, int]]:
    """Places of each two relations of the graph that say the same the other way round."""
    place = {name: at for at, name in enumerate(relations)}
    named = {*_INVERSES, *((name, of.inverse) for name, of in known.items() if of.inverse)}
    pairs = set()
    for a, b in named:
        if a in place and b in place and a != b:
            pairs.add(tuple(sorted((place[a], place[b]))))
    return sorted((a, b) for a, b in pairs)
