"""Estimates and their intervals. Pure."""

from factmark.stats.clusters import mean_over_clusters
from factmark.stats.intervals import t_quantile, wilson

__all__ = ["mean_over_clusters", "t_quantile", "wilson"]
