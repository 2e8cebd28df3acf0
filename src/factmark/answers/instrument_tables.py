"""What is told of the judge as an instrument: the rules' error, their bias by style, what that
makes, and how far a judge agrees with people."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from operator import attrgetter

from factmark.answers.core.averages import METRICS, OVERALL, Metric
from factmark.answers.core.instrument import STYLES, bias_of, expected_error, style_biases, unseen
from factmark.answers.core.records import GivenAnswer
from factmark.answers.core.rows import RULES, RULES_VERSION
from factmark.answers.results import (
    MarkedMeasure,
    Results,
    RunSummary,
    Summary,
    SystemStyles,
)
from factmark.report.columns import Column, table_of
from factmark.report.layouts import Cell, DataTable
from factmark.text.shown_text import number, one_line, some_long

_SHOWN = 6  # pairs of systems
_STYLES_SHOWN = 3  # of one system
_FEWEST = 5  # answers of a style; fewer tell nothing of a system

ADVICE = (
    "`factmark plan --answers FOLDER --sheet marks.csv` draws 40 answers of each model "
    "and condition for people to mark, and `factmark report FOLDER --people marks.csv` corrects "
    "the averages by them; FOLDER is what --out names."
)
"""What to do about an error that is too large."""


def for_papers(tables: Iterable[DataTable]) -> list[DataTable]:
    """Returns tables without the advice, which is for whoever is still at work."""
    return [
        replace(table, notes=tuple(note for note in table.notes if note != ADVICE))
        for table in tables
    ]


def instrument_notes(results: Results) -> Iterator[str]:
    """Sentences on the error of the rules, and on systems that differ by no more than it."""
    if results.signature.get("judge") != RULES:
        return
    measured = unseen()["domain"]
    error = error_by_rule(results)
    off = ", ".join(f"{m.symbol} {number(error[key])}" for key, m in METRICS.items())
    version = measured["rules"]
    of = "" if version == RULES_VERSION else f", by version {version} of the rules"
    yield (
        "Facts found by rule: on a single answer to these questions the rules are off by "
        f"{off} on average, up or down, where its domain is new to them (measured on "
        f"{measured['answers']:,} marked answers{of})."
    )
    if not results.corrections:
        yield ADVICE
    gaps = list(_gaps(results))
    close = [gap for gap in gaps if gap.small]
    if close:
        yield f"Differ by less than the rules are off: {_pairs_in_words(close)}."
    explained = [gap for gap in gaps if gap.explained]
    if explained:
        yield (
            "Answers of these differ in style, on which the rules err differently, and that may "
            "make so much of the difference that the rest is no more than an error of the rules: "
            f"{_pairs_in_words(explained, why=True)}."
        )


def error_by_rule(results: Results) -> dict[str, float]:
    """What an answer's C, H and S are to be expected to be off by; of no answers nothing."""
    truths = [row.question.ground_truth or () for row in results.answers]
    return expected_error(truths) if truths else dict.fromkeys(METRICS, 0.0)


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


def _gaps(results: Results) -> Iterator[SystemGap]:
    """The gap between every two systems by each score, and the gap that their styles explain."""
    errors = error_by_rule(results)
    shares = {(row.model, row.condition): _style_shares(row) for row in results.styles}
    overall = [row for row in results.summaries if row.category == OVERALL]
    for left, right in combinations(overall, 2):
        ours, theirs = (shares.get((row.model, row.condition), {}) for row in (left, right))
        weights = {style: ours.get(style, 0.0) - theirs.get(style, 0.0) for style in STYLES}
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
    return {style: count / n for style, count in row.styles.items()} if has_styles(row) else {}


def has_styles(row: SystemStyles) -> bool:
    """Whether a system has so many answers of a style that the style tells something of it."""
    return max(row.styles.values(), default=0) >= _FEWEST


def _pairs_in_words(gaps: Sequence[SystemGap], *, why: bool = False) -> str:
    """Pairs with the scores by which they differ so."""
    pairs: dict[str, list[str]] = {}
    for gap in gaps:
        of = f" ({signed(gap.value)}, of which style may make {signed(gap.bias)})" if why else ""
        pairs.setdefault(gap.pair, []).append(gap.metric.symbol + of)
    named = [f"{pair} in {', '.join(scores)}" for pair, scores in pairs.items()]
    return some_long(named, _SHOWN)


def signed(value: float) -> str:
    """The value with its sign and two decimals; without a sign where it rounds to zero.

    >>> signed(0.034), signed(-0.2), signed(-0.001)
    ('+0.03', '-0.20', '0.00')
    """
    return f"+{number(value)}" if value >= 0.005 else number(value)


def styles_table(results: Results) -> DataTable:
    """The styles of each system's answers, and by how much its averages may be off for them."""
    measured = style_biases()
    rows = [row for row in results.styles if has_styles(row)]
    shown = [style for style in STYLES if any(style in row.styles for row in rows)]
    by_style = "; ".join(
        _style_note(style, measured[style]) for style in shown if style in measured
    )
    columns: tuple[Column[SystemStyles], ...] = (
        *(
            Column[SystemStyles](name=name, key=name, value=attrgetter(name), label=True)
            for name in ("model", "condition")
            if len({getattr(row, name) for row in results.styles}) > 1
        ),
        Column(
            name="styles",
            value=_main_styles,
            label=True,
            meaning="Styles: how many answers show which, by their surface. C, H, S: by how much "
            "the average of all these answers is likely above (+) or below (-) what people would "
            "say, ± the standard error of that. It is less than a single answer is off by: what "
            "is too much on one and too little on another is no part of it.",
        ),
        *(_bias_column(metric) for metric in METRICS.values()),
    )
    return table_of(
        f"{results.benchmark}: how far averages by the rules are off, by the style of the answers",
        columns,
        rows,
        notes=[f"Each style by itself (measured on so many marked answers): {by_style}."],
    )


def _bias_column(metric: Metric) -> Column[SystemStyles]:
    """The column of a metric: the bias to be expected, with its standard error."""

    def shown(row: SystemStyles) -> Cell:
        error = number(row.standard_error[metric.key])
        return Cell(value=signed(row.bias[metric.key]), interval=f"± {error}")

    return Column(name=metric.symbol, value=shown)


def _main_styles(row: SystemStyles) -> str:
    """The most frequent styles with how many answers show each, and how many show others."""
    often = sorted(row.styles.items(), key=lambda item: -item[1])
    rest = sum(n for _, n in often[_STYLES_SHOWN:])
    names = [f"{style} {n}" for style, n in often[:_STYLES_SHOWN]]
    return ", ".join([*names, *[f"others {rest}"] * bool(rest)])


def _style_note(style: str, measured: Mapping[str, Mapping[str, float]]) -> str:
    """The measured bias of one style by each metric, and on how many answers."""
    figures = " ".join(f"{m.symbol} {signed(measured['bias'][key])}" for key, m in METRICS.items())
    return f"{style} {figures} ({measured['answers']})"


def system_name(row: Summary | RunSummary | GivenAnswer) -> str:
    """A model and condition in one line; `overall` where neither has a name."""
    return " ".join(filter(None, map(one_line, (row.model, row.condition)))) or OVERALL


def agreement_table(results: Results) -> DataTable:
    """The judge's errors of C, H and S, and precision and recall of its facts, against people."""
    judge = one_line(str(results.signature.get("judge", "judge")))
    scored = {row.answer.id for row in results.answers} & results.people.keys()
    columns: tuple[Column[MarkedMeasure], ...] = (
        Column(name="measure", key="measure", value=attrgetter("name"), label=True),
        Column(
            name="value",
            key="value",
            value=attrgetter("value"),
            estimate=True,
            meaning="Errors: of C, H and S per answer, averaged over questions (lower is better). "
            "Facts: the share of those found that people marked too, and the other way round; "
            "equal in their words without articles and inflection.",
        ),
        Column(name="by judge", key="judge", value=attrgetter("extractor"), optional=True),
        Column(name="by people", key="people", value=attrgetter("people"), optional=True),
    )
    lost = len(results.people) - len(scored)
    notes = [f"{lost} more that they marked have no score by the judge."] * bool(lost)
    title = f"How far {judge} agrees with people, on {len(scored)} answers that they marked"
    return table_of(title, columns, results.agreement, notes=notes)
