"""Pictures: valid, escaped, inside their frame, and at the positions that the numbers say."""

from __future__ import annotations

import re
from collections.abc import Callable
from xml.etree import ElementTree

import pytest
from plots import coverage_plot, curve_plot, interval_plot
from svg import text_width

from factmark.model import Estimate

SVG = "{http://www.w3.org/2000/svg}"


def estimate(value: float | None, low: float | None = None, high: float | None = None) -> Estimate:
    return Estimate(value=value, low=low, high=high, level=0.95, method="m", n_items=1, n_units=1)


def intervals(name: str) -> str:
    made = {name: estimate(0.3, 0.2, 0.4), f"{name}2": estimate(None)}
    return interval_plot(made, title=name, label=name, truth=0.35)


def curves(name: str) -> str:
    made = {name: [(0.5, 1.0), (1.0, 0.1)], f"{name}2": [(0.5, 0.9)], f"{name}3": []}
    return curve_plot(made, title=name, x_label=name, y_label=name, reference=(name, 1.0))


def coverages(name: str) -> str:
    return coverage_plot({name: {name: 0.95, f"{name}2": 0.5}, "other": {name: 1.0}}, title=name)


ALL = pytest.mark.parametrize("draw", [intervals, curves, coverages])


def parsed(svg: str) -> ElementTree.Element:
    svg.encode("utf-8")
    return ElementTree.fromstring(svg)


def boxes(root: ElementTree.Element) -> list[tuple[float, float, float, float]]:
    """Left, top, right, bottom of all that is drawn; of texts an estimate."""
    made = []
    for one in root.iter():
        tag, has = one.tag.removeprefix(SVG), one.attrib
        if tag == "line":
            xs, ys = ([float(has[f"{axis}{n}"]) for n in (1, 2)] for axis in "xy")
        elif tag == "circle":
            x, y, r = (float(has[name]) for name in ("cx", "cy", "r"))
            xs, ys = [x - r, x + r], [y - r, y + r]
        elif tag in ("polygon", "polyline"):
            points = [tuple(map(float, pair.split(","))) for pair in has["points"].split()]
            xs, ys = [x for x, _ in points], [y for _, y in points]
        elif tag == "text":
            x, y, wide = float(has["x"]), float(has["y"]), text_width(one.text or "")
            left = x - {"end": 1.0, "middle": 0.5}.get(has.get("text-anchor", ""), 0.0) * wide
            xs, ys = [left, left + wide], [y - 11, y + 4]
        else:
            continue
        made.append((min(xs), min(ys), max(xs), max(ys)))
    return made


def assert_inside(svg: str) -> None:
    root = parsed(svg)
    _, _, width, height = map(float, root.attrib["viewBox"].split())
    for left, top, right, bottom in boxes(root):
        assert -0.5 <= left <= right <= width + 0.5
        assert -0.5 <= top <= bottom <= height + 0.5


@ALL
def test_a_picture_has_a_role_a_name_and_a_description(draw: Callable[[str], str]) -> None:
    svg = draw("judge")
    assert_inside(svg)
    root = parsed(svg)
    assert root.attrib["role"] == "img"
    ids = root.attrib["aria-labelledby"].split()
    named = {one.attrib.get("id"): one.text for one in root}
    assert named[ids[0]] == "judge"
    assert "judge" in (named[ids[1]] or "")
    assert "prefers-color-scheme:dark" in (root.findtext(f"{SVG}style") or "")


def test_positions_are_those_of_the_axis() -> None:
    root = parsed(intervals("judge"))
    numbers = {
        one.text: float(one.attrib["x"])
        for one in root.iter(f"{SVG}text")
        if one.attrib.get("text-anchor") == "middle" and re.fullmatch(r"0\.\d+", one.text or "")
    }
    assert set(numbers) == {f"{0.2 + n / 40:.3f}" for n in range(9)}
    [dot] = root.iter(f"{SVG}circle")
    assert float(dot.attrib["cx"]) == pytest.approx(numbers["0.300"], abs=0.06)
    bar = next(one for one in root.iter(f"{SVG}line") if one.attrib["class"] == "bar s0")
    assert float(bar.attrib["x1"]) == pytest.approx(numbers["0.200"], abs=0.06)
    assert float(bar.attrib["x2"]) == pytest.approx(numbers["0.400"], abs=0.06)
    truth = next(one for one in root.iter(f"{SVG}line") if one.attrib["class"] == "mark")
    assert float(truth.attrib["x1"]) == pytest.approx(numbers["0.350"], abs=0.06)
