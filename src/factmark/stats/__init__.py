"""Estimates and their intervals; systems compared. Pure."""

from factmark.stats.clusters import mean_over_clusters
from factmark.stats.comparison import Comparison, difference
from factmark.stats.intervals import wilson
from factmark.stats.leader_board import LeaderBoard, leader_board, letters
from factmark.stats.paired_intervals import tango
from factmark.stats.paired_tests import holm, mcnemar, sign_flips
from factmark.stats.quantiles import t_quantile

__all__ = [
    "Comparison",
    "LeaderBoard",
    "difference",
    "holm",
    "leader_board",
    "letters",
    "mcnemar",
    "mean_over_clusters",
    "sign_flips",
    "t_quantile",
    "tango",
    "wilson",
]
