"""The page that `make coverage` writes: what it says of the bar."""

from __future__ import annotations

from types import ModuleType

import pytest

from simulations import simulation


@pytest.fixture(scope="module")
def writer() -> ModuleType:
    return simulation("coverage_page")


def row(writer: ModuleType, **said: object) -> dict[str, object]:
    of_bar = {
        "module": "correction", "statistic": "corrected share", "method": "mover",
        "setting": "p 0.5, 80 % judge", "n": 50, "coverage": 0.95, "mean_width": 0.2, "used": True,
        "runs": 20_000, "width_ratio": 1.01, "may_widen": False,
    }  # fmt: skip
    return {**dict.fromkeys(writer.COLUMNS), **of_bar, **said}


@pytest.mark.parametrize(
    ("coverage", "ratio", "bar"),
    [(0.94, 1.05, "met"), (0.9399, 1.01, "not met"), (0.95, 1.06, "not met")],
)
def test_the_bar(writer: ModuleType, coverage: float, ratio: float, bar: str) -> None:
    rows = [
        row(writer, coverage=coverage, width_ratio=ratio),
        row(writer, setting="p 0.5, lenient judge", width_ratio=3.0, may_widen=True),
        row(writer, method="ppi++", coverage=0.4, used=False, width_ratio=None, may_widen=None),
        row(
            writer, statistic="corrected share over items", coverage=0.936, width_ratio=None,
            may_widen=None,
        ),
    ]  # fmt: skip
    page = writer.page(rows)
    assert f"**The bar is {bar}**" in page
    assert "**The bar of 93.5 % is met**: the lowest is 93.6 %" in page
    assert "| ppi++ | 1 | 40.0 % | p 0.5, 80 % judge, n 50 |" in page
    assert page.index("The lowest first") < page.index("The bar")
