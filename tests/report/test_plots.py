"""The chart as data."""

import dataclasses
import math

from factmark.answers.records import Results
from factmark.report.plots import panels
from sample_results import sample_results


def test_a_panel_per_metric_and_a_group_per_category() -> None:
    made = panels(sample_results())
    assert [panel.metric.symbol for panel in made] == ["C", "H", "S"]
    for panel in made:
        assert [group.category for group in panel.groups] == [
            "discovery", "policy", "clinical", "comparative", "overall",
        ]  # fmt: skip
        for group in panel.groups:
            assert [line.label for line in group.lines] == ["baseline", "rag", "mcp"]
            assert [line.series for line in group.lines] == [0, 1, 2]


def test_positions_are_percentages_inside_the_axis() -> None:
    lines = [line for p in panels(sample_results()) for g in p.groups for line in g.lines]
    for line in lines:
        low, at, high = (float(text.rstrip("%")) for text in (line.low, line.at, line.high))
        assert 0 <= low <= at <= high <= 100
        assert line.value == f"{at / 100:.2f}" or abs(float(line.value) * 100 - at) < 1


def test_without_a_value_nothing_is_drawn() -> None:
    results = sample_results()
    for value in (None, math.nan):
        nothing = dataclasses.replace(results.summaries[0].completeness, value=value)
        first = dataclasses.replace(results.summaries[0], completeness=nothing)
        line = panels(dataclasses.replace(results, summaries=(first,)))[0].groups[0].lines[0]
        assert (line.at, line.low, line.high, line.value) == ("", "", "", "–")


def test_several_models_are_told_apart() -> None:
    group = panels(sample_results(models=("m1", "m2")))[0].groups[0]
    assert [line.label for line in group.lines][::3] == ["baseline · m1", "baseline · m2"]
    assert [line.series for line in group.lines] == list(range(6))
    assert [line.shape for line in group.lines] == [0, 1, 2, 3, 0, 1]


def test_no_summaries_no_panels() -> None:
    assert panels(Results(benchmark="b", answers=(), summaries=())) == ()
