"""Pictures for pages and papers: estimates side by side, curves, coverage. Pure: SVG as text.

Each takes what it shows as data, reads in light and in dark, and says in its description what a
reader sees. Names are escaped, and cut where they are too long.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain

from svg import (
    DASHES,
    EDGE,
    LINE,
    SERIES,
    WIDTH,
    Axis,
    cut,
    dot,
    element,
    framed,
    length,
    rule,
    shortened,
    text_width,
    words,
)

from factmark.model import Estimate

Curve = Sequence[tuple[float, float]]
"""Points, x and y."""

NO_VALUE = "no value"
_TOP = 48.0
_ROW = 30.0
_NARROW = 22.0
_NAMES = 230.0  # the widest column of names
_CURVES = 300.0  # the height of the curves
_SHORT = 0.02  # how far below the nominal a coverage may be without being marked


def interval_plot(
    estimates: Mapping[str, Estimate],
    *,
    title: str,
    label: str = "share",
    truth: float | None = None,
) -> str:
    """Estimates as dots with their intervals on one axis, first at the top.

    Args:
        estimates: name -> estimate; one without a value says so in its row.
        label: what the axis measures.
        truth: drawn as a line where it is known.
    """
    numbers = {name: (one.value, one.low, one.high) for name, one in estimates.items()}
    told = {name: _in_words(*bounds) for name, bounds in numbers.items()}
    names = _column(estimates, _NAMES)
    said = _column(told.values(), _NAMES)
    bottom = _TOP + _ROW * len(estimates) + 6
    shown = [*chain.from_iterable(numbers.values()), truth]
    axis = Axis.over(
        (value for value in shown if value is not None),
        start=EDGE + names + 20,
        end=WIDTH - EDGE - said - 20,
    )
    height = bottom + 52
    body = [*_grid(axis, _TOP, bottom), _axis_name(axis, bottom, label)]
    if truth is not None and math.isfinite(truth):
        height += LINE
        body += _nominal(axis, truth, f"truth {truth:.3f}", bottom, height)
    for place, (name, bounds) in enumerate(numbers.items()):
        y = _TOP + _ROW * (place + 0.5) + 3
        body.append(cut(EDGE, y + 5, name, names))
        body.append(words(WIDTH - EDGE, y + 5, told[name], kind="soft", anchor="end"))
        body += _interval(axis, y, *bounds, series=place)
    text = "; ".join(f"{name} {value}" for name, value in told.items())
    known = "" if truth is None else f" The truth is {truth:.3f}."
    return framed(title, f"{label}: {text}.{known}", height, body)


def curve_plot(
    curves: Mapping[str, Curve],
    *,
    title: str,
    x_label: str,
    y_label: str,
    reference: tuple[str, float] | None = None,
) -> str:
    """Curves with their names at their right ends.

    Args:
        curves: name -> its points, from left to right; points that are not finite are left out.
        reference: the name and the height of a level to compare with.
    """
    lines = {
        name: [(x, y) for x, y in points if math.isfinite(x) and math.isfinite(y)]
        for name, points in curves.items()
    }
    levels = [reference[1]] if reference and math.isfinite(reference[1]) else []
    names = _column(curves, _NAMES)
    top, bottom = _TOP + LINE, _TOP + LINE + _CURVES
    up = Axis.over(
        [*(y for points in lines.values() for _, y in points), *levels, 0.0], start=bottom, end=top
    )
    across = Axis.over(
        (x for points in lines.values() for x, _ in points),
        start=EDGE + 8 + max(36.0, _column((text for _, text in up.ticks()), _NAMES)),
        end=WIDTH - EDGE - names - 20,
    )
    body = [*_grid(across, top, bottom), _axis_name(across, bottom, x_label)]
    body += [words(EDGE, top - 16, shortened(y_label, WIDTH - 2 * EDGE), kind="soft")]
    for y, text in up.ticks():
        body.append(rule(across.start, y, across.end, y, "grid"))
        body.append(words(across.start - 8, y + 5, text, kind="soft", anchor="end"))
    if reference and levels:
        y = up.at(reference[1])
        body.append(rule(across.start, y, across.end, y, "mark"))
        name = shortened(reference[0], across.end - across.start - 16)
        body.append(words(across.end - 6, max(top + 14, y - 7), name, kind="marked", anchor="end"))
    ends = {name: up.at(points[-1][1]) for name, points in lines.items() if points}
    heights = _apart(ends, top, bottom)
    for place, (name, points) in enumerate(lines.items()):
        if points:
            body += _curve(points, across, up, place)
            body.append(cut(across.end + 14, heights[name] + 5, name, names, kind=_ink(place)))
    return framed(title, _curves_in_words(lines, x_label, y_label), bottom + 52, body)


def coverage_plot(
    coverage: Mapping[str, Mapping[str, float]], *, title: str, nominal: float = 0.95
) -> str:
    """How often each method's interval held the truth, per setting, against the nominal line.

    Args:
        coverage: setting -> method -> share of the samples; the methods keep colour and shape.
    """
    methods = list(dict.fromkeys(chain.from_iterable(coverage.values())))
    names = max(_column(coverage, _NAMES), _column(methods, _NAMES) + 12)
    shares = [share for row in coverage.values() for share in row.values()]
    axis = Axis.over(
        [*shares, nominal, 1.0],
        start=EDGE + names + 20,
        end=WIDTH - EDGE - 64,
        bounds=(0.0, 1.0),
    )
    rows = sum(1.3 + len(row) for row in coverage.values())
    bottom = _TOP + _NARROW * rows + 6
    height = bottom + 52 + LINE
    body = [*_grid(axis, _TOP, bottom)]
    body += _nominal(axis, nominal, f"nominal {nominal:.2f}", bottom, height)
    y = _TOP
    for setting, row in coverage.items():
        y += 1.3 * _NARROW
        body.append(cut(EDGE, y - 4, setting, names, kind="head"))
        for method, share in row.items():
            y += _NARROW
            body += _covered(axis, y - 9, method, share, nominal, methods.index(method), names)
    body.append(_axis_name(axis, bottom, "share of samples whose interval holds the truth"))
    text = "; ".join(
        f"{setting}: " + ", ".join(f"{method} {share:.3f}" for method, share in row.items())
        for setting, row in coverage.items()
    )
    return framed(title, f"Coverage, nominal {nominal:.2f}. {text}.", height, body)


def _interval(
    axis: Axis, y: float, value: float | None, low: float | None, high: float | None, *, series: int
) -> list[str]:
    parts = []
    if low is not None and high is not None and math.isfinite(low) and math.isfinite(high):
        kind, (left, right) = f"bar s{series % SERIES}", (axis.at(low), axis.at(high))
        parts.append(rule(left, y, right, y, kind))
        parts += [rule(x, y - 5, x, y + 5, kind) for x in (left, right)]
    if value is not None and math.isfinite(value):
        parts.append(dot(axis.at(value), y, series))
    return parts


def _covered(
    axis: Axis, y: float, method: str, share: float, nominal: float, series: int, names: float
) -> list[str]:
    """A row of the coverage: name, a line from the nominal to the dot, the number."""
    low = share < nominal - _SHORT
    row = [cut(EDGE + 12, y + 5, method, names - 12, kind="soft")]
    if not math.isfinite(share):
        return [*row, words(WIDTH - EDGE, y + 5, "–", anchor="end")]
    return [
        *row,
        rule(axis.at(nominal), y, axis.at(share), y, f"bar s{series % SERIES}"),
        dot(axis.at(share), y, series),
        words(
            WIDTH - EDGE, y + 5, f"{share:.3f}", kind="marked head" if low else "soft", anchor="end"
        ),
    ]


def _curve(points: Curve, across: Axis, up: Axis, series: int) -> list[str]:
    places = [(across.at(x), up.at(y)) for x, y in points]
    line = element(
        "polyline",
        points=" ".join(f"{length(x)},{length(y)}" for x, y in places),
        class_=f"curve s{series % SERIES}",
        stroke_dasharray=DASHES[series % SERIES] or None,
    )
    return [line, *(dot(x, y, series, 4.0) for x, y in places)]


def _grid(axis: Axis, top: float, bottom: float) -> list[str]:
    """Upright lines at round numbers, with the numbers below."""
    return [
        part
        for x, text in axis.ticks()
        for part in (
            rule(x, top, x, bottom, "grid"),
            words(_held(x, text), bottom + 22, text, kind="soft", anchor="middle"),
        )
    ]


def _axis_name(axis: Axis, bottom: float, label: str) -> str:
    """The axis' name below its middle, or as near to it as the picture is wide."""
    text = shortened(label, WIDTH - 2 * EDGE)
    return words(_held((axis.start + axis.end) / 2, text), bottom + 42, text, anchor="middle")


def _nominal(axis: Axis, value: float, text: str, bottom: float, height: float) -> list[str]:
    """A marked upright line with its name at the foot of the picture."""
    x = axis.at(value)
    name = words(_held(x, text), height - 10, text, kind="marked", anchor="middle")
    return [rule(x, _TOP - 8, x, bottom, "mark"), name]


def _held(x: float, text: str) -> float:
    """The middle of a centred text, moved so that it stays inside the picture."""
    half = text_width(text) / 2
    return min(max(x, EDGE + half), WIDTH - EDGE - half)


def _apart(heights: Mapping[str, float], top: float, bottom: float) -> dict[str, float]:
    """Heights moved so that lines of text do not overlap, in their order and inside the plot."""
    order = sorted(heights, key=lambda name: heights[name])
    gap = min(LINE, (bottom - top) / max(1, len(order)))
    made: dict[str, float] = {}
    last = top - gap
    for place, name in enumerate(order):
        rest = len(order) - 1 - place
        last = min(max(heights[name], last + gap), bottom - rest * gap)
        made[name] = last
    return made


def _column(texts: Iterable[str], most: float) -> float:
    """How wide a column must be for its texts, at most so much."""
    return min(most, max(map(text_width, texts), default=0.0))


def _ink(series: int) -> str:
    return f"f{series % SERIES}"


def _in_words(value: float | None, low: float | None, high: float | None) -> str:
    if value is None or not math.isfinite(value):
        return NO_VALUE
    if low is None or high is None or not (math.isfinite(low) and math.isfinite(high)):
        return f"{value:.3f}"
    return f"{value:.3f} [{low:.3f}–{high:.3f}]"


def _curves_in_words(lines: Mapping[str, Curve], x_label: str, y_label: str) -> str:
    parts = [
        f"{name}: from {points[0][1]:.3g} at {points[0][0]:.3g} to {points[-1][1]:.3g} at "
        f"{points[-1][0]:.3g}"
        for name, points in lines.items()
        if points
    ]
    return f"{y_label}, by {x_label}. {'; '.join(parts)}."
