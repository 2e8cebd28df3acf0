"""Was the ground truth in what a model was given, and did it say so: constants worked by hand."""

from __future__ import annotations

import pytest

from factmark.answers.core.grounding import found, held, retrieval
from factmark.answers.core.records import Results, Trace
from factmark.answers.core.run_measures import with_runs
from traced import chunk, group, question, traced, unscored, use

A, B = question("A", ("lupus", "gout")), question("B", ("asthma",))


def test_each_element_is_in_one_cell_of_retrieved_by_said() -> None:
    four = question("A", ("lupus", "gout", "asthma", "rickets"))
    trace = Trace(chunks=(chunk("Lupus"), chunk("", "Gout in 1950")))
    found = retrieval(group([traced(four, "It covers lupus and asthma.", trace)]))
    assert found is not None
    # Retrieved: lupus, gout. Said: lupus, asthma.
    cells = (found.both, found.unsaid, found.unheld, found.neither)
    assert [cell.value for cell in cells] == [0.25, 0.25, 0.25, 0.25]
    assert (found.held.value, found.whole.value) == (0.5, 0)
    assert (found.completeness.value, found.completeness.n_missing) == (None, 0)


def test_shares_are_averaged_per_question_first() -> None:
    rows = [
        traced(A, "lupus", Trace(tools=(use(result="gout"), use(result="and lupus")))),
        traced(A, "lupus", Trace(sample=1, tools=())),
        traced(B, "none", Trace(tools=(use(result="asthma"),))),
    ]
    found = retrieval(group(rows))
    assert found is not None
    # Held: A (1 + 0) / 2, B 1. Both: A (1/2 + 0) / 2, B 0. Unsaid: A (1/2 + 0) / 2, B 1.
    assert found.held.value == pytest.approx(0.75)
    assert found.both.value == pytest.approx(0.125)
    assert found.unsaid.value == pytest.approx(0.625)
    # Unheld: A (0 + 1/2) / 2; neither: A (0 + 1/2) / 2.
    assert found.unheld.value == pytest.approx(0.125)
    assert found.neither.value == pytest.approx(0.125)
    assert found.whole.value == pytest.approx((0.5 + 1) / 2)
    # C where all of G was there: the first answer to A (1/2) and that to B (0).
    assert (found.completeness.value, found.completeness.n_units) == (0.25, 2)


def test_empty_ground_truths_and_missing_answers() -> None:
    empty = question("E", ())
    rows = [
        traced(A, "lupus", Trace(chunks=(chunk("lupus gout"),))),
        traced(empty, "none", Trace(chunks=(chunk("lupus"),))),
        unscored(B),
        unscored(question("D", ("x",)), Trace(chunks=(chunk("x"),))),
    ]
    found = retrieval(group(rows))
    assert found is not None
    assert (found.whole.value, found.whole.n_items, found.whole.n_missing) == (1, 2, 1)
    # What D said is not known: it was to be scored and could not be.
    assert (found.both.value, found.both.n_missing) == (0.5, 2)


def test_nothing_given_nothing_told() -> None:
    assert retrieval(group([traced(A, "lupus", Trace())])) is None
    assert retrieval(group([traced(A, "lupus", None)])) is None
    assert found(A, Trace()) is None
    given = found(A, Trace(chunks=(chunk("gout"),)))
    assert given is not None
    assert given.retrieved == ("gout",)


def test_c_if_all_retrieved_misses_nothing_where_it_is_known_not_to_apply() -> None:
    rows = [
        traced(B, "asthma", Trace(chunks=(chunk("asthma"),))),
        unscored(A, Trace(chunks=(chunk("lupus"),))),  # half of G: whatever it said
        unscored(question("D", ("x",)), Trace(chunks=(chunk("x"),))),
    ]
    found = retrieval(group(rows))
    assert found is not None
    assert (found.completeness.value, found.completeness.n_missing) == (1, 1)


def test_texts_are_looked_through_once_for_all_shares_and_categories(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    looked = []

    def counting(truth: tuple[str, ...], shown: tuple[str, ...]) -> tuple[bool, ...]:
        looked.append(shown)
        return held(truth, shown)

    monkeypatch.setattr(retrieved, "held", counting)
    rows = [traced(one, "lupus", Trace(chunks=(chunk("lupus"),))) for one in (A, B)]
    bare = Results(benchmark="b", answers=tuple(rows), summaries=())
    assert len(with_runs(bare, [A, B], resamples=100).runs) == 2
    assert len(looked) == 2
