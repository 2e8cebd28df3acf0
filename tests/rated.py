"""Ratings that tests of agreement share, and what other packages said of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from factmark.model import Estimate
from factmark.stats import Ratings, coefficients
from factmark.stats.agreement import estimate_agreement
from factmark.stats.coefficients import Metric, Weights, agreement_weights

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


def value(estimate: Estimate | None) -> float:
    assert estimate is not None
    assert estimate.value is not None
    return estimate.value


def bounds(estimate: Estimate) -> tuple[float, float]:
    assert estimate.low is not None
    assert estimate.high is not None
    return estimate.low, estimate.high


def spread(estimate: Estimate) -> tuple[float, float, float]:
    """The bounds with the value between them."""
    low, high = bounds(estimate)
    return low, value(estimate), high


def krippendorff_alpha(ratings: Ratings, metric: Metric = "nominal", **how: Any) -> Estimate:
    return estimate_agreement(ratings, coefficients.alpha(metric, ratings.worth), **how)


def gwet_ac(ratings: Ratings, weights: Weights = "identity", **how: Any) -> Estimate:
    matrix = agreement_weights(weights, ratings.worth)
    return estimate_agreement(ratings, coefficients.gwet(matrix), **how)


def cohen_kappa(ratings: Ratings, weights: Weights = "identity", **how: Any) -> Estimate:
    return estimate_agreement(ratings, coefficients.cohen(weights, ratings.worth), **how)


def fleiss_kappa(ratings: Ratings, **how: Any) -> Estimate:
    return estimate_agreement(ratings, coefficients.fleiss(len(ratings.labels)), **how)


def percent_agreement(ratings: Ratings, within: int = 0, **how: Any) -> Estimate:
    return estimate_agreement(
        ratings, coefficients.share_within(within, len(ratings.labels)), **how
    )


def kendall_tau_b(ratings: Ratings, **how: Any) -> Estimate:
    return estimate_agreement(ratings, coefficients.tau_b(len(ratings.labels)), **how)
