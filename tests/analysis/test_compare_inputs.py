"""Whatever a file holds: a contest with values in the range, or an error of ours."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factmark.analysis.compare import read_contest
from factmark.errors import InputError
from factmark.stats.comparison import Options
from factmark.stats.contest import hold

anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=8,
)
share = st.floats(0, 1)
answers = st.lists(
    st.fixed_dictionaries(
        {
            "query_id": st.sampled_from(["D1", "D2", "P1"]),
            "category": st.sampled_from(["discovery", "policy"]),
            "completeness": share,
            "hallucination_rate": share,
            "combined_score": share,
        },
        optional={
            "condition": st.text(max_size=4),
            "model": st.sampled_from(["m", "", "\ud800"]),
            "extra": anything,
        },
    ),
    min_size=1,
    max_size=5,
)
averages = st.lists(
    st.fixed_dictionaries(
        {
            "category": st.sampled_from(["discovery", "policy", "overall"]),
            "n_questions": st.integers(0, 4),
        }
    ),
    max_size=3,
)
results = st.fixed_dictionaries({"answers": answers, "averages": averages})


def read_both(first: Any, second: Any, name: str = "results.json") -> None:
    """Reads two files as a contest and holds it; an InputError names one of them."""
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder) / side / name for side in ("a", "b")]
        for path, content in zip(paths, (first, second), strict=True):
            path.parent.mkdir()
            path.write_bytes(content)
        contest = read_contest(paths)
        made = hold(contest, contest.scores[0], Options(resamples=100, draws=100))
        for row in made.rows:
            told = row.comparison.difference
            if told.value is not None:
                assert -1 <= (told.low or 0) <= told.value <= (told.high or 0) <= 1


@contextmanager
def told_at_most(name: str) -> Iterator[None]:
    """Lets an InputError pass that names the file."""
    try:
        yield
    except InputError as error:
        if name not in str(error):
            raise AssertionError(str(error)) from error


def dumped(value: Any) -> bytes:
    return json.dumps(value).encode()


@given(results, results)
def test_good_results_make_a_contest(first: Any, second: Any) -> None:
    read_both(dumped(first), dumped(second))


@given(results, st.fixed_dictionaries({"answers": anything, "averages": anything}) | anything)
def test_bad_results_are_told(first: Any, second: Any) -> None:
    with told_at_most("results.json"):
        read_both(dumped(first), dumped(second))


@given(results, st.binary(max_size=60))
def test_no_bytes_break_it(first: Any, second: bytes) -> None:
    with told_at_most("results.json"):
        read_both(dumped(first), second)


@given(st.text(max_size=80), st.text(max_size=80))
def test_no_table_breaks_it(first: str, second: str) -> None:
    head = "head,relation,tail,passage,status,label\n"
    texts = [(head + body).encode("utf-8", "surrogatepass") for body in (first, second)]
    with told_at_most("factscore.csv"):
        read_both(*texts, name="factscore.csv")


def test_rows_without_any_label_are_known_by_the_file_name() -> None:
    head = b"head,relation,tail,passage,status,label\n"
    read_both(head + b"a,isa,b,,failed,\n", head + b"a,isa,b,,ok,SUPPORTED\n", "factscore.csv")
    with pytest.raises(InputError, match="no row has a label"):
        read_both(head + b"a,isa,b,,failed,\n", head + b"a,isa,b,,ok,YES\n", "rows.csv")
