"""Who is asked what: everything once or as often as chosen, evenly, and the same whatever order."""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import combinations, groupby, pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from factmark.campaign_model import Assignment
from factmark.errors import InputError
from factmark.people.core.assign import assign


def documents(n: int, units: int = 3) -> dict[str, list[str]]:
    return {f"d{i}": [f"d{i}-s{j}" for j in range(units)] for i in range(n)}


def people(k: int) -> list[str]:
    return [f"A{i}" for i in range(1, k + 1)]


def raters(made: tuple[Assignment, ...]) -> dict[str, set[str]]:
    out: defaultdict[str, set[str]] = defaultdict(set)
    for one in made:
        out[one.document].add(one.annotator)
    return dict(out)


setups = st.fixed_dictionaries(
    {
        "n": st.integers(1, 40),
        "k": st.integers(2, 7),
        "units": st.integers(1, 5),
        "overlap": st.sampled_from([0.0, 0.1, 0.2, 0.5, 1.0]),
        "batch": st.integers(1, 12),
        "seed": st.integers(0, 10_000),
        "raters": st.integers(2, 4),
    }
)


def made_of(setup: dict[str, int | float]) -> tuple[Assignment, ...]:
    k = int(setup["k"])
    return assign(
        documents(int(setup["n"]), int(setup["units"])),
        people(k),
        seed=int(setup["seed"]),
        overlap=setup["overlap"],
        raters=min(k, int(setup["raters"])),
        batch=int(setup["batch"]),
    )


@given(setups)
def test_lists_are_whole_even_and_in_batches(setup) -> None:
    made = made_of(setup)
    for code, rows in groupby(made, key=lambda one: one.annotator):
        mine = list(rows)
        assert [one.position for one in mine] == list(range(len(mine))), code
        runs = [(name, list(some)) for name, some in groupby(mine, key=lambda one: one.document)]
        assert len({name for name, _ in runs}) == len(runs)  # a document stands side by side
        for name, some in runs:
            assert sorted(one.unit for one in some) == documents(99, setup["units"])[name]
            assert len({one.batch for one in some}) == 1
        sizes = Counter(some[0].batch for _, some in runs)
        assert sorted(sizes) == list(range(1, len(sizes) + 1))
        assert max(sizes.values()) <= setup["batch"]
        assert max(sizes.values()) - min(sizes.values()) <= 1
        assert len(sizes) == -(-len(runs) // setup["batch"])
    loads = Counter(code for codes in raters(made).values() for code in codes)
    counts = [loads[code] for code in people(setup["k"])]
    assert max(counts) - min(counts) <= 1
    shared = Counter(len(codes) for codes in raters(made).values())
    several = min(setup["k"], setup["raters"])
    share = setup["n"] * setup["overlap"]
    assert set(shared) <= {1, several}
    assert abs(shared[several] - share) <= max(0.5, 1 - share) if share else not shared[several]


@settings(max_examples=25)
@given(setups, st.randoms(use_true_random=False))
def test_the_order_of_the_input_does_not_matter(setup, random) -> None:
    given_documents = list(documents(setup["n"], setup["units"]).items())
    given_people = people(setup["k"])
    first = assign(dict(given_documents), given_people, seed=setup["seed"], overlap=0.3)
    random.shuffle(given_documents)
    random.shuffle(given_people)
    for _, units in given_documents:
        random.shuffle(units)
    assert assign(dict(given_documents), given_people, seed=setup["seed"], overlap=0.3) == first


@given(st.integers(1, 60), st.integers(2, 6), st.integers(0, 1_000))
def test_a_larger_overlap_contains_the_smaller_one(n: int, k: int, seed: int) -> None:
    shared = []
    for overlap in (0.1, 0.25, 0.6, 1.0):
        made = raters(assign(documents(n), people(k), seed=seed, overlap=overlap))
        shared.append({(name, tuple(sorted(who))) for name, who in made.items() if len(who) > 1})
    assert all(small <= large for small, large in pairwise(shared))


@pytest.mark.parametrize("k", [3, 4, 5, 6, 8])
def test_pairs_of_raters_are_even(k: int) -> None:
    made = raters(assign(documents(60), people(k), seed=3, overlap=1.0))
    shared = Counter(pair for who in made.values() for pair in combinations(sorted(who), 2))
    counts = [shared[pair] for pair in combinations(people(k), 2)]
    assert sum(counts) == 60
    assert max(counts) - min(counts) <= 2


def test_clauses_of_a_summary_stay_in_order_and_summaries_are_shuffled() -> None:
    units = {"d": [f"{system}{clause}" for system in "abc" for clause in range(1, 4)]}
    parts = {unit: unit[0] for unit in units["d"]}
    first = set()
    for seed in range(20):
        made = assign(units, ["A1"], seed=seed, overlap=0, parts=parts)
        order = [one.unit for one in made]
        runs = [list(some) for _, some in groupby(order, key=lambda unit: unit[0])]
        assert all(run == sorted(run) for run in runs)
        assert len(runs) == 3
        first.add(order[0][0])
    assert first == {"a", "b", "c"}


def test_units_that_stand_alone_are_dealt_one_by_one() -> None:
    clusters = {"insulin": [f"i{n}" for n in range(20)], "gout": ["g0", "g1"]}
    made = assign(clusters, people(3), seed=0, overlap=0.5, batch=5, together=False)
    times = Counter(one.unit for one in made)
    assert len(times) == 22
    assert sorted(times.values()) == [1] * 11 + [2] * 11
    assert {one.document for one in made if one.unit.startswith("i")} == {"insulin"}
    loads = Counter(one.annotator for one in made)
    assert max(loads.values()) - min(loads.values()) <= 1
    assert max(Counter((one.annotator, one.batch) for one in made).values()) <= 5


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"documents": {}}, "nothing to ask"),
        ({"documents": {"d": []}}, "nothing to ask"),
        ({"raters": 3}, r"--raters 3: more than there are annotators \(2\)"),
    ],
)
def test_what_cannot_be_dealt(changes: dict[str, object], told: str) -> None:
    setup: dict[str, object] = {"documents": documents(2), "annotators": people(2), **changes}
    with pytest.raises(InputError, match=told):
        assign(setup.pop("documents"), setup.pop("annotators"), **setup)  # type: ignore[arg-type]  # wrong on purpose
