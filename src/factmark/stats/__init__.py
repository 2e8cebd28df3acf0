"""Estimates and their intervals. Pure."""

from factmark.stats.clusters import (
    intracluster_correlation,
    mean_over_clusters,
    ratio_over_clusters,
)
from factmark.stats.intervals import (
    SHARE_INTERVALS,
    agresti_coull,
    clopper_pearson,
    jeffreys,
    wald,
    wilson,
)
from factmark.stats.quantiles import t_quantile

__all__ = [
    "SHARE_INTERVALS",
    "agresti_coull",
    "clopper_pearson",
    "intracluster_correlation",
    "jeffreys",
    "mean_over_clusters",
    "ratio_over_clusters",
    "t_quantile",
    "wald",
    "wilson",
]
