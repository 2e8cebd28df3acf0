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
from factmark.stats.clusters import mean_over_clusters
from factmark.stats.intervals import wilson
from factmark.stats.quantiles import t_quantile
from factmark.stats.ratings import Ratings

__all__ = [
    "Agreement",
    "Ratings",
    "cohen_kappa",
    "fleiss_kappa",
    "gwet_ac",
    "kendall_tau_b",
    "krippendorff_alpha",
    "mean_over_clusters",
    "measure_agreement",
    "percent_agreement",
    "t_quantile",
    "wilson",
]
