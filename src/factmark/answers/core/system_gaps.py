"""How two systems differ, beside what the rules that found their facts are off by."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

from factmark.answers.core.averages import METRICS, OVERALL, Metric
from factmark.answers.core.instrument import expected_error, own_errors
from factmark.answers.core.records import GivenAnswer
from factmark.answers.results import Results, RunSummary, Summary
from factmark.text.shown_text import one_line


def error_by_rule(results: Results) -> dict[str, float]:
    """What an answer's C, H and S are to be expected to be off by: as they were on the answers that
    people marked, where these are twenty; of no answers nothing."""
    own = own_errors(results)
    if own:
        return {key: measured.error for key, measured in own.items()}
    truths = [row.question.ground_truth or () for row in results.answers]
    if truths:
        return expected_error(truths)
    return dict.fromkeys(METRICS, 0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemGap:
    """How two systems differ by one score, and what the rules are off by.

    Attributes:
        pair: the two systems in words.
        value: the difference of their averages.
        error: of an answer, which a difference should be beyond.
    """

    pair: str
    metric: Metric
    value: float
    error: float

    @property
    def small(self) -> bool:
        """Whether the systems differ by less than the rules are off."""
        return abs(self.value) < self.error


def system_gaps(results: Results) -> Iterator[SystemGap]:
    """Yields the gap between every two systems by each score."""
    errors = error_by_rule(results)
    overall = [row for row in results.summaries if row.category == OVERALL]
    for left, right in combinations(overall, 2):
        for key, metric in METRICS.items():
            values = metric.estimate(left).value, metric.estimate(right).value
            if values[0] is None or values[1] is None:
                continue
            yield SystemGap(
                pair=f"{system_name(left)} and {system_name(right)}",
                metric=metric,
                value=values[0] - values[1],
                error=errors[key],
            )


def system_name(row: Summary | RunSummary | GivenAnswer) -> str:
    """A model and condition in one line; `overall` where neither has a name."""
    return " ".join(filter(None, map(one_line, (row.model, row.condition)))) or OVERALL
