"""Estimates and their intervals. Pure."""

from factmark.stats.agreement import Agreement, Ratings, measure_agreement
from factmark.stats.clusters import mean_over_clusters, ratio_over_clusters
from factmark.stats.comparison import Comparison, difference
from factmark.stats.contest import LeaderBoard, leader_board
from factmark.stats.correction import Correction, corrected_mean, corrected_share, correction
from factmark.stats.estimators import mean_by_design
from factmark.stats.intervals import wilson
from factmark.stats.paired import holm
from factmark.stats.planning import Costs, Need, expected_strata, needs, pilot_strata
from factmark.stats.sampling import simple_random, stratified, two_stage
from factmark.stats.sequential import sequential_interval, stopping

__all__ = [
    "Agreement",
    "Comparison",
    "Correction",
    "Costs",
    "LeaderBoard",
    "Need",
    "Ratings",
    "corrected_mean",
    "corrected_share",
    "correction",
    "difference",
    "expected_strata",
    "holm",
    "leader_board",
    "mean_by_design",
    "mean_over_clusters",
    "measure_agreement",
    "needs",
    "pilot_strata",
    "ratio_over_clusters",
    "sequential_interval",
    "simple_random",
    "stopping",
    "stratified",
    "two_stage",
    "wilson",
]
