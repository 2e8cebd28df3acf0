"""How two systems differ, beside what the rules that found their facts are off by."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

from factmark.answers.core.averages import METRICS, OVERALL, Metric
from factmark.answers.core.instrument import STYLES, bias_of, expected_error
from factmark.answers.core.records import GivenAnswer
from factmark.answers.results import Results, RunSummary, Summary, SystemStyles
from factmark.text.shown_text import one_line

_FEWEST = 5  # answers of a style; fewer tell nothing of a system


def error_by_rule(results: Results) -> dict[str, float]:
    """What an answer's C, H and S are to be expected to be off by; of no answers nothing."""
    truths = [row.question.ground_truth or () for row in results.answers]
    if truths:
        return expected_error(truths)
    return dict.fromkeys(METRICS, 0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemGap:
    """How two systems differ by one score, and how much of it the bias of the rules would make.

    Attributes:
        pair: the two systems in words.
        value: the difference of their averages.
        bias: the difference that their styles alone let expect.
        bias_error: its standard error.
        error: of an answer, which a difference should be beyond.
    """

    pair: str
    metric: Metric
    value: float
    bias: float
    bias_error: float
    error: float

    @property
    def small(self) -> bool:
        """Whether the systems differ by less than the rules are off."""
        return abs(self.value) < self.error

    @property
    def explained(self) -> bool:
        """Whether only what the styles make takes a difference beyond the error.

        A bias within two standard errors of zero explains nothing.
        """
        rest = self.value - self.bias
        return (
            not self.small
            and abs(self.bias) > 2 * self.bias_error
            and (abs(rest) < self.error or rest * self.value < 0)
        )


def system_gaps(results: Results) -> Iterator[SystemGap]:
    """Yields the gap between every two systems by each score, with what their styles explain."""
    errors = error_by_rule(results)
    shares: dict[tuple[str, str], dict[str, float]] = {}
    for row in results.styles:
        shares[(row.model, row.condition)] = _style_shares(row)
    overall = [row for row in results.summaries if row.category == OVERALL]
    for left, right in combinations(overall, 2):
        ours, theirs = (shares.get((row.model, row.condition), {}) for row in (left, right))
        weights: dict[str, float] = {}
        for style in STYLES:
            weights[style] = ours.get(style, 0.0) - theirs.get(style, 0.0)
        for key, metric in METRICS.items():
            values = metric.estimate(left).value, metric.estimate(right).value
            if values[0] is None or values[1] is None:
                continue
            bias, bias_error = bias_of(weights, key) if ours and theirs else (0.0, 0.0)
            yield SystemGap(
                pair=f"{system_name(left)} and {system_name(right)}",
                metric=metric,
                value=values[0] - values[1],
                bias=bias,
                bias_error=bias_error,
                error=errors[key],
            )


def _style_shares(row: SystemStyles) -> dict[str, float]:
    """Style -> share of a system's answers that show it; empty where no style has enough."""
    n = sum(row.styles.values())
    if not has_styles(row):
        return {}
    shares = {}
    for style, count in row.styles.items():
        shares[style] = count / n
    return shares


def has_styles(row: SystemStyles) -> bool:
    """Whether a system has so many answers of a style that the style counts."""
    return max(row.styles.values(), default=0) >= _FEWEST


def system_name(row: Summary | RunSummary | GivenAnswer) -> str:
    """A model and condition in one line; `overall` where neither has a name."""
    return " ".join(filter(None, map(one_line, (row.model, row.condition)))) or OVERALL
