"""Estimates and their intervals. Pure."""

from factmark.stats.allocation import allocate, assumed_spread, pilot_spread, triples_per_draw
from factmark.stats.clusters import mean_over_clusters
from factmark.stats.estimators import (
    cluster_mean,
    mean_by_design,
    simple_random_mean,
    stratified_mean,
    two_stage_mean,
)
from factmark.stats.intervals import wilson
from factmark.stats.quantiles import t_quantile
from factmark.stats.sampling import (
    Draw,
    Sample,
    draw_by_size,
    simple_random,
    simple_random_rows,
    stratified,
    two_stage,
    whole_clusters,
)
from factmark.stats.sequential import (
    Progress,
    sequential_interval,
    sequential_mean_intervals,
    stopping,
    stopping_of_means,
)

__all__ = [
    "Draw",
    "Progress",
    "Sample",
    "allocate",
    "assumed_spread",
    "cluster_mean",
    "draw_by_size",
    "mean_by_design",
    "mean_over_clusters",
    "pilot_spread",
    "sequential_interval",
    "sequential_mean_intervals",
    "simple_random",
    "simple_random_mean",
    "simple_random_rows",
    "stopping",
    "stopping_of_means",
    "stratified",
    "stratified_mean",
    "t_quantile",
    "triples_per_draw",
    "two_stage",
    "two_stage_mean",
    "whole_clusters",
    "wilson",
]
