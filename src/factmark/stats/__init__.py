"""Estimates and their intervals. Pure."""

from factmark.stats.clusters import mean_over_clusters
from factmark.stats.intervals import wilson
from factmark.stats.quantiles import t_quantile

__all__ = ["mean_over_clusters", "t_quantile", "wilson"]
