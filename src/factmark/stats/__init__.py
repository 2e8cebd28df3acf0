"""Estimates and their intervals. Pure."""

from typing import TYPE_CHECKING

from factmark.lazily import loader

if TYPE_CHECKING:
    from factmark.stats.agreement import Agreement, Ratings, measure_agreement
    from factmark.stats.clusters import mean_over_clusters, ratio_over_clusters
    from factmark.stats.comparison import Comparison, difference
    from factmark.stats.contest import LeaderBoard, leader_board
    from factmark.stats.corrections import Correction, corrected_mean, corrected_share, correction
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

if not TYPE_CHECKING:  # else a name that is not there would pass for one that is
    __getattr__ = loader(
        __name__,
        {
            "factmark.stats.agreement": "Agreement Ratings measure_agreement",
            "factmark.stats.clusters": "mean_over_clusters ratio_over_clusters",
            "factmark.stats.comparison": "Comparison difference",
            "factmark.stats.contest": "LeaderBoard leader_board",
            "factmark.stats.corrections": "Correction corrected_mean corrected_share correction",
            "factmark.stats.estimators": "mean_by_design",
            "factmark.stats.intervals": "wilson",
            "factmark.stats.paired": "holm",
            "factmark.stats.planning": "Costs Need expected_strata needs pilot_strata",
            "factmark.stats.sampling": "simple_random stratified two_stage",
            "factmark.stats.sequential": "sequential_interval stopping",
        },
    )
