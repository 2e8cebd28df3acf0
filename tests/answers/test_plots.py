"""The chart as data."""

import dataclasses
import math

from factmark.answers.core.records import Results
from factmark.answers.html import panels
from sample_results import sample_results


def test_a_panel_per_metric_and_a_group_per_category() -> None:
    made = panels(sample_results())
    assert [panel.metric.symbol for panel in made] == ["C", "H", "S"]
    for panel in made:
        assert [group.category for group in panel.groups] == [
            "discovery", "policy", "clinical", "comparative", "overall",
        ]  # fmt: skip
        for group in panel.groups:
            [(model, lines)] = group.parts
            assert model == ""
            assert [line.label for line in lines] == ["baseline", "rag", "mcp"]
            assert [line.series for line in lines] == [0, 1, 2]


def test_positions_are_percentages_inside_the_axis() -> None:
    groups = [group for panel in panels(sample_results()) for group in panel.groups]
    for line in (line for group in groups for _, lines in group.parts for line in lines):
        low, at, high = (float(text.rstrip("%")) for text in (line.low, line.at, line.high))
        assert 0 <= low <= at <= high <= 100
        assert line.value == f"{at / 100:.2f}" or abs(float(line.value) * 100 - at) < 1


def test_without_a_value_nothing_is_drawn() -> None:
    results = sample_results()
    for value in (None, math.nan):
        nothing = dataclasses.replace(results.summaries[0].completeness, value=value)
        first = dataclasses.replace(results.summaries[0], completeness=nothing)
        group = panels(dataclasses.replace(results, summaries=(first,)))[0].groups[0]
        line = group.parts[0][1][0]
        assert (line.at, line.low, line.high, line.value) == ("", "", "", "–")


def test_several_models_are_told_apart() -> None:
    results = sample_results(models=("m1", "m2"))
    parts = panels(results)[0].groups[0].parts
    assert [model for model, _ in parts] == ["m1", "m2"]
    for _, lines in parts:
        assert [line.label for line in lines] == ["baseline", "rag", "mcp"]
        assert [line.series for line in lines] == [0, 1, 2]
    one = tuple(summary for summary in results.summaries if summary.condition == "mcp")
    [(name, lines)] = panels(dataclasses.replace(results, summaries=one))[0].groups[0].parts
    assert (name, [line.label for line in lines]) == ("", ["m1", "m2"])
    assert [line.series for line in lines] == [0, 1]


def test_no_summaries_no_panels() -> None:
    assert panels(Results(benchmark="b", answers=(), summaries=())) == ()
