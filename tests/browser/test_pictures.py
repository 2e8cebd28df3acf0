"""Pictures in a real browser: nothing outside, no text over another, readable light and dark."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from plots import coverage_plot, curve_plot, interval_plot

from browsing import contrast
from factmark.model import Estimate
from hostile import HOSTILE

pytestmark = pytest.mark.browser
Visits = Callable[..., Any]
HEAD = "<!doctype html><meta charset=utf-8>"
PUBLISHED = sorted((Path(__file__).parents[2] / "docs" / "pictures").glob("*.svg"))

WRONG = """svg => {
  const {width, height} = svg.viewBox.baseVal, wrong = [];
  for (const one of svg.querySelectorAll('text, line, circle, polygon, polyline')) {
    const b = one.getBBox();
    if (b.x < -.5 || b.y < -.5 || b.x + b.width > width + .5 || b.y + b.height > height + .5)
      wrong.push(['outside', one.textContent || one.tagName]);
  }
  const texts = [...svg.querySelectorAll('text')].map(one => [one.textContent, one.getBBox()]);
  texts.forEach(([text, a], place) => texts.slice(place + 1).forEach(([other, b]) => {
    if (a.x < b.x + b.width && b.x < a.x + a.width
        && a.y + 2 < b.y + b.height - 2 && b.y + 2 < a.y + a.height - 2)
      wrong.push(['over each other', text, other]);
  }));
  return wrong;
}"""


def odd() -> list[str]:
    """Names that are long, wide, bold and hostile."""
    names = ["judge alone, gpt-oss-120b at temperature 0 with the long rubric", *HOSTILE.values()]
    made = {
        name: Estimate(
            value=n / 20, low=n / 30, high=n / 15, level=0.95, method="m", n_items=1, n_units=1
        )
        for n, name in enumerate(names)
    }
    title = "Mean weighted WWW MMM " * 6
    return [
        interval_plot(made, title=title, label="share", truth=0.99),
        curve_plot(
            {name: [(0.5, 1e7), (1.0, n * 1e5)] for n, name in enumerate(names)},
            title=title,
            x_label="agreement",
            y_label="labels",
            reference=("alone", 5e6),
        ),
        coverage_plot({name: {name: 0.9, "other": 1.0} for name in names}, title=title),
    ]


def test_there_are_published_pictures() -> None:
    assert len(PUBLISHED) >= 3


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("path", PUBLISHED, ids=lambda path: path.name)
def test_published_pictures(visit: Visits, path: Path, scheme: str) -> None:
    visited = visit(HEAD + path.read_text("utf-8"), color_scheme=scheme)
    assert visited.page.eval_on_selector("svg", WRONG) == []
    assert len(visited.requests) == 1
    page = visited.page.eval_on_selector(".page", "one => getComputedStyle(one).fill")
    fills = visited.page.eval_on_selector_all(
        "text", "all => all.map(one => getComputedStyle(one).fill)"
    )
    assert min(contrast(fill, page) for fill in fills) >= 4.5
    sizes = visited.page.eval_on_selector_all(
        "text", "all => all.map(one => parseFloat(getComputedStyle(one).fontSize))"
    )
    assert min(sizes) >= 14


@pytest.mark.parametrize("svg", odd(), ids=["intervals", "curves", "coverage"])
def test_odd_names_keep_their_place(visit: Visits, svg: str) -> None:
    visited = visit(HEAD + svg)
    assert visited.page.eval_on_selector("svg", WRONG) == []
    assert (visited.dialogs, visited.errors, len(visited.requests)) == ([], [], 1)
