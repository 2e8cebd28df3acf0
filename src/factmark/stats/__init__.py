"""Estimates and their intervals. Pure."""

from factmark.stats.agreement import (
    Agreement,
    cohen_kappa,
    fleiss_kappa,
    gwet_ac,
    kendall_tau_b,
    krippendorff_alpha,
    measure_agreement,
    percent_agreement,
)
from factmark.stats.allocation import allocate, assumed_spread, pilot_spread, triples_per_draw
from factmark.stats.clusters import (
    intracluster_correlation,
    mean_over_clusters,
    ratio_over_clusters,
)
from factmark.stats.comparison import Comparison, difference
from factmark.stats.correction import corrected_mean, corrected_share
from factmark.stats.estimators import (
    cluster_mean,
    mean_by_design,
    simple_random_mean,
    stratified_mean,
    two_stage_mean,
)
from factmark.stats.intervals import (
    SHARE_INTERVALS,
    agresti_coull,
    clopper_pearson,
    jeffreys,
    wald,
    wilson,
)
from factmark.stats.judge_quality import Correction, correction
from factmark.stats.leader_board import LeaderBoard, leader_board, letters
from factmark.stats.paired_intervals import tango
from factmark.stats.paired_tests import holm, mcnemar, sign_flips
from factmark.stats.planning import Costs, Need, expected_strata, needs, pilot_strata
from factmark.stats.quantiles import t_quantile
from factmark.stats.ratings import Ratings
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
    "SHARE_INTERVALS",
    "Agreement",
    "Comparison",
    "Correction",
    "Costs",
    "Draw",
    "LeaderBoard",
    "Need",
    "Progress",
    "Ratings",
    "Sample",
    "agresti_coull",
    "allocate",
    "assumed_spread",
    "clopper_pearson",
    "cluster_mean",
    "cohen_kappa",
    "corrected_mean",
    "corrected_share",
    "correction",
    "difference",
    "draw_by_size",
    "expected_strata",
    "fleiss_kappa",
    "gwet_ac",
    "holm",
    "intracluster_correlation",
    "jeffreys",
    "kendall_tau_b",
    "krippendorff_alpha",
    "leader_board",
    "letters",
    "mcnemar",
    "mean_by_design",
    "mean_over_clusters",
    "measure_agreement",
    "needs",
    "percent_agreement",
    "pilot_spread",
    "pilot_strata",
    "ratio_over_clusters",
    "sequential_interval",
    "sequential_mean_intervals",
    "sign_flips",
    "simple_random",
    "simple_random_mean",
    "simple_random_rows",
    "stopping",
    "stopping_of_means",
    "stratified",
    "stratified_mean",
    "t_quantile",
    "tango",
    "triples_per_draw",
    "two_stage",
    "two_stage_mean",
    "wald",
    "whole_clusters",
    "wilson",
]
