"""Ratings that tests of agreement share, and what other packages said of them."""

from __future__ import annotations

import json
from pathlib import Path

from factmark.model import Estimate
from factmark.stats import Ratings

DATA = Path(__file__).resolve().parent / "data" / "agreement"
GIVEN = json.loads((DATA / "ratings.json").read_text("utf-8"))
IRRCAC = json.loads((DATA / "irrCAC.json").read_text("utf-8"))
KRIPPENDORFF = json.loads((DATA / "krippendorff.json").read_text("utf-8"))


def ratings_of(columns: list[list[object]], labels: list[object], size: int = 1) -> Ratings:
    """One list a rater, None where missing; so many units a cluster."""
    rows = [
        {f"r{place}": label for place, label in enumerate(row) if label is not None}
        for row in zip(*columns, strict=True)
    ]
    clusters = [str(unit // size) for unit in range(len(rows))]
    return Ratings(labels=tuple(labels), rows=rows, clusters=clusters)  # type: ignore[arg-type]


def named(name: str) -> Ratings:
    return ratings_of(GIVEN[name]["raters"], GIVEN[name]["labels"])


def value(estimate: Estimate) -> float:
    assert estimate.value is not None
    return estimate.value


def bounds(estimate: Estimate) -> tuple[float, float]:
    assert estimate.low is not None
    assert estimate.high is not None
    return estimate.low, estimate.high
