"""What a profile says of a graph: numbers worked out by hand, and graphs with a known flaw."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping

import numpy as np
import pytest

from factmark.graphs.core.claims import Triple
from factmark.graphs.core.ontology import Relation
from factmark.graphs.profile.core.counts import graph_counts
from factmark.graphs.profile.core.edges import EdgeCollector, Edges, stands_in
from factmark.graphs.profile.core.label_shares import ALL, SuspectUnit, errors_by_kind
from factmark.graphs.profile.core.names import near_duplicates
from factmark.graphs.profile.core.patterns import choose_types, own_types
from factmark.graphs.profile.core.suspects import KINDS, NO_SUSPECT, Suspects, find_suspects

Row = tuple[str, str, str]


def edges_of(rows: Iterable[Row | Triple]) -> Edges:
    collector = EdgeCollector()
    for row in rows:
        if isinstance(row, Triple):
            collector.add(row)
        else:
            collector.add(Triple(head=row[0], relation=row[1], tail=row[2]))
    return collector.edges()


def profiled(
    rows: Iterable[Row | Triple],
    known: Mapping[str, Relation] | None = None,
    types: Mapping[str, str] | None = None,
) -> tuple[Edges, Suspects]:
    edges = edges_of(rows)
    given = {edges.places[name]: [kind] for name, kind in (types or {}).items()}
    chosen = choose_types(given or own_types(edges), len(edges.nodes), "the test")
    return edges, find_suspects(edges, chosen, known or {})


def flagged(edges: Edges, suspects: Suspects, kind: str) -> set[Row]:
    return {edges.text(int(place)) for place in np.flatnonzero(suspects.flags[kind])}


def test_a_triple_is_there_once_however_it_is_written() -> None:
    edges = edges_of(
        [("Insulin", "treats", "T1D"), ("insulin ", "Treats", "t1d"), ("a", "is", "b")]
    )
    assert [edges.text(place) for place in range(len(edges))] == [
        ("Insulin", "treats", "T1D"),
        ("a", "is", "b"),
    ]
    assert edges.triple_of.tolist() == [0, 0, 1]


def test_nodes_with_ids_are_told_apart_by_them() -> None:
    """Two towns of one name are two nodes; one town under two names is one."""
    edges = edges_of(
        [
            Triple(head="Paris", head_id="Q90", relation="in", tail="France", tail_id="Q142"),
            Triple(head="Paris", head_id="Q830149", relation="in", tail="Texas", tail_id="Q1439"),
            Triple(head="Ville de Paris", head_id="Q90", relation="is", tail="city"),
        ]
    )
    assert len(edges.nodes) == 5


def test_both_directions_of_a_one_way_relation() -> None:
    edges, suspects = profiled(
        [("a", "cause_of", "b"), ("b", "cause_of", "a"), ("a", "cause_of", "c")]
    )
    wrong = {("a", "cause_of", "b"), ("b", "cause_of", "a")}
    assert flagged(edges, suspects, "both directions") == wrong


def test_a_relation_that_holds_either_way_is_no_suspect() -> None:
    """By its name, by the ontology, or because the graph mostly has both directions."""
    by_name = [("a", "spouse", "b"), ("b", "spouse", "a")]
    by_ontology = [("a", "near", "b"), ("b", "near", "a")]
    by_use = [(x, "meets", y) for n in range(15) for x, y in ((f"p{n}", "q"), ("q", f"p{n}"))]
    known = {"near": Relation(name="near", symmetric=True)}
    edges, suspects = profiled([*by_name, *by_ontology, *by_use], known)
    assert not flagged(edges, suspects, "both directions")
    _, unknown = profiled(by_ontology)
    assert unknown.flags["both directions"].all()


def test_a_triple_beside_its_inverse_says_both_directions() -> None:
    """`a causes b` and `a due to b`, which says that b causes a."""
    known = {"cause_of": Relation(name="cause_of", inverse="due_to")}
    rows = [("a", "cause_of", "b"), ("a", "due_to", "b"), ("c", "cause_of", "d")]
    edges, suspects = profiled([*rows, ("d", "due_to", "c")], known)
    assert flagged(edges, suspects, "both directions") == set(rows[:2])


def test_circles_are_found_and_chains_are_not() -> None:
    chain = [(f"n{n}", "isa", f"n{n + 1}") for n in range(500)]
    circle = [("x", "isa", "y"), ("z", "inverse_isa", "y"), ("z", "isa", "x")]
    edges, suspects = profiled([*chain, *circle, ("x", "isa", "n3")])
    assert flagged(edges, suspects, "circle") == set(circle)
    assert [sorted(edges.nodes[n] for n in nodes) for nodes in suspects.circles] == [
        ["x", "y", "z"]
    ]


def test_circles_agree_with_reachability() -> None:
    """On random graphs: an edge is in a circle if its head can be reached from its tail."""
    generator = random.Random(7)
    for _ in range(40):
        n = generator.randint(3, 14)
        rows = {
            (f"n{generator.randrange(n)}", "isa", f"n{generator.randrange(n)}")
            for _ in range(generator.randint(2, 24))
        }
        edges, suspects = profiled(sorted(rows))
        above: dict[str, set[str]] = {}
        for head, _, tail in rows:
            above.setdefault(head, set()).add(tail)

        def reaches(start: str, goal: str, above: dict[str, set[str]] = above) -> bool:
            seen, waiting = set[str](), [start]
            while waiting:
                node = waiting.pop()
                if node == goal:
                    return True
                waiting += above.get(node, set()) - seen
                seen |= above.get(node, set())
            return False

        expected = {row for row in rows if row[0] != row[2] and reaches(row[2], row[0])}
        assert flagged(edges, suspects, "circle") == expected


def test_several_values_where_nearly_all_have_one() -> None:
    born = [(f"person {n}", "born in", f"town {n % 50}") for n in range(100)]
    wrote = [(f"person {n}", "wrote", f"book {n} {k}") for n in range(100) for k in range(3)]
    edges, suspects = profiled([*born, *wrote, ("person 7", "born in", "town 12")])
    assert flagged(edges, suspects, "several values") == {
        ("person 7", "born_in", "town 7"),
        ("person 7", "born_in", "town 12"),
    }


def test_in_a_thin_graph_one_value_says_nothing() -> None:
    """Where hardly any head has two of anything, a relation with one value is like any other."""
    rows = [(f"p{n}", f"r{n % 2}", f"t{n % 50}") for n in range(100)]
    edges, suspects = profiled([*rows, ("p7", "r1", "t12"), ("p8", "r0", "t13")])
    assert not flagged(edges, suspects, "several values")


def test_a_pattern_of_types_is_rare_against_what_its_types_let_expect() -> None:
    people = {f"p{n}": "person" for n in range(60)}
    towns = {f"t{n}": "town" for n in range(60)}
    rows = [(f"p{n}", "born in", f"t{(7 * n + k) % 60}") for n in range(60) for k in range(2)]
    rows += [(f"t{n}", "twin of", f"t{(n + 1) % 60}") for n in range(60)]
    edges, suspects = profiled([*rows, ("t3", "born in", "t4")], types={**people, **towns})
    assert flagged(edges, suspects, "rare pattern") == {("t3", "born_in", "t4")}
    (rare,) = [pattern for pattern in suspects.patterns if pattern.rare]
    # 121 triples are `born in`; of all 181 triples 61 have a town as head, and all one as tail.
    assert (rare.head, rare.triples, rare.expected) == ("town", 1, round(121 * 61 / 181, 1))


def test_types_come_from_the_graphs_own_isa() -> None:
    edges = edges_of([(f"p{n}", "isa", "person") for n in range(30)] + [("p1", "isa", "poet")])
    types = choose_types(own_types(edges), len(edges.nodes), "isa")
    # Of p1's two types the one that enough others share.
    assert {types.names[types.of[edges.places[f"p{n}"]]] for n in range(30)} == {"person"}


@pytest.mark.parametrize(
    ("a", "b", "alike"),
    [
        ("beta-cells", "Beta cell", True),
        ("cell, pancreatic", "pancreatic cells", True),
        ("diabetes mellitus", "diabetis mellitus", True),
        ("hypoglycemia", "hypoglycaemia", True),
        ("interleukin 6", "interleukin 8", False),
        ("type 1 diabetes", "type 2 diabetes", False),
        ("vitamin A", "vitamin B", False),
        ("insulin", "glucagon", False),
        ("IL6", "IL8", False),
        ("IL-6", "IL6", True),
        ("COVID-19", "COVID19", True),
        ("zoltamab", "zolta-mab", True),
        ("heart-attacks", "heartattack", True),
        ("IL-6", "IL-60", False),
        ("type 1", "type 11", False),
        ("type 1-1", "type 11", False),
    ],
)
def test_near_duplicate_names(a: str, b: str, alike: bool) -> None:
    others = ["metformin", "blood pressure", "kidney failure"]
    assert bool(near_duplicates([a, *others, b])) is alike


def test_near_duplicates_are_the_same_whichever_name_comes_first() -> None:
    names = ["hypoglycaemia", "gout", "hypoglycemia", "hypoglycemias"]
    found_pairs = {
        frozenset((names[first], names[second])) for first, second, _ in near_duplicates(names)
    }
    turned = list(reversed(names))
    assert found_pairs == {
        frozenset((turned[first], turned[second])) for first, second, _ in near_duplicates(turned)
    }


def test_suspects_are_the_same_in_whichever_order_the_rows_stand() -> None:
    """Three writings of one name, of which the first that came had been paired with the others."""
    rows = [
        ("beta cell", "part_of", "islet"),
        ("beta-cells", "part_of", "pancreas"),
        ("cells, beta", "makes", "insulin"),
        ("hypoglycaemia", "due_to", "insulin"),
        ("hypoglycemia", "due_to", "insulin"),
        ("Hypoglycemias", "due_to", "fasting"),
    ]
    edges, suspects = profiled(rows)
    expected = {kind: flagged(edges, suspects, kind) for kind in KINDS}
    assert expected["near-duplicate name"]
    for seed in range(20):
        random.Random(seed).shuffle(rows)
        edges, suspects = profiled(rows)
        assert {kind: flagged(edges, suspects, kind) for kind in KINDS} == expected


def test_a_name_that_the_passage_does_not_have() -> None:
    text = "Metformin lowers blood glucose in adults."
    rows = [
        Triple(head="metformin", relation="lowers", tail="glucose", passage=text, passage_id="1"),
        Triple(head="aspirin", relation="lowers", tail="glucose", passage=text, passage_id="1"),
        Triple(head="metformin", relation="treats", tail="adult", passage_id="2"),
    ]
    edges, suspects = profiled(rows)
    assert flagged(edges, suspects, "name not in passage") == {("aspirin", "lowers", "glucose")}
    assert not stands_in("", text) or stands_in("glucose", text)


def test_one_of_several_passages_with_both_names_is_enough() -> None:
    texts = ("Nothing here.", "Aspirin treats pain.")
    edges, suspects = profiled(
        [
            Triple(head="aspirin", relation="treats", tail="pain", passage=text, passage_id=str(n))
            for n, text in enumerate(texts)
        ]
    )
    assert len(edges) == 1
    assert not flagged(edges, suspects, "name not in passage")


def test_counts() -> None:
    edges = edges_of(
        [
            Triple(head="a", relation="r", tail="b", passage_id="1"),
            Triple(head="a", relation="r", tail="b", passage_id="2"),
            Triple(head="a", relation="r", tail="c", passage_id="2"),
            Triple(head="x", relation="r", tail="y"),
        ]
    )
    counts = graph_counts(edges, ["1", "2", "3"])
    assert (counts.rows, counts.triples, counts.nodes, counts.dangling) == (4, 3, 5, 4)
    assert (counts.barren, counts.without_passage) == (("3",), 1)
    assert counts.yields is not None
    assert counts.yields.bins == (("0", 1), ("1", 1), ("2", 1))
    assert counts.degrees.bins == (("1", 4), ("2", 1))


def test_a_stratum_is_the_first_kind() -> None:
    _, suspects = profiled([("a", "cause_of", "a"), ("b", "cause_of", "c"), ("b", "is", "d")])
    names, places = suspects.strata()
    assert [names[place] for place in places] == ["self", NO_SUSPECT, NO_SUSPECT]
    assert set(names) == {*KINDS, NO_SUSPECT}


def test_the_weights_of_the_strata_make_the_share_right() -> None:
    """Of 1,000 units 50 are suspects and 40 of these errors; of the others 95 are: 135 of 1,000.

    Thirty labels of either say 0.45 by their plain mean; weighted, 0.135 on average."""
    truth = [("circle", n < 40) for n in range(50)] + [(NO_SUSPECT, n < 95) for n in range(950)]
    estimates, holds = [], 0
    for seed in range(200):
        generator = random.Random(seed)
        chosen = {*generator.sample(range(50), 30), *generator.sample(range(50, 1000), 30)}
        units = [
            SuspectUnit(
                stratum=stratum,
                kinds=(stratum,) if stratum in KINDS else (),
                value=1.0 - error if place in chosen else None,
            )
            for place, (stratum, error) in enumerate(truth)
        ]
        whole = errors_by_kind(units, ["circle"], NO_SUSPECT, level=0.95)[0]
        assert whole.kind == ALL
        assert whole.labelled == 60
        estimate = whole.errors
        assert estimate.value is not None
        assert estimate.low is not None
        assert estimate.high is not None
        estimates.append(estimate.value)
        holds += estimate.low <= 0.135 <= estimate.high
    assert np.mean(estimates) == pytest.approx(0.135, abs=0.01)
    assert holds >= 186  # of 200: 95 %, less three errors of the simulation


def test_a_kind_over_several_strata_is_weighted_too() -> None:
    """Of the kind `alone` 10 units lie in the stratum `circle`, all errors and all labelled, and 90
    in its own, none an error and 10 labelled: 10 of 100, not 10 of 20."""
    units = [SuspectUnit(stratum="circle", kinds=("circle", "alone"), value=0.0)] * 10
    units += [SuspectUnit(stratum="alone", kinds=("alone",), value=1.0)] * 10
    units += [SuspectUnit(stratum="alone", kinds=("alone",), value=None)] * 80
    alone = next(
        line
        for line in errors_by_kind(units, ["circle", "alone"], NO_SUSPECT, level=0.95)
        if line.kind == "alone"
    )
    assert alone.errors.value == pytest.approx(0.1)


def test_the_hash_in_the_signature_tells_graphs_of_one_shape_apart() -> None:
    graphs = (
        [("a", "isa", "b"), ("c", "isa", "d")],
        [("x", "isa", "y"), ("z", "isa", "w")],
        [("a", "isa", "b"), ("c", "eats", "d")],
        [("a", "isa", "d"), ("c", "isa", "b")],
    )
    assert len({edges_of(rows).digest() for rows in graphs}) == len(graphs)
    assert edges_of(graphs[0]).digest() == edges_of(graphs[0]).digest()
