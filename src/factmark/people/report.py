"""The report on what people gave, declared: first sentence, scores, figures, next step.

Several campaigns of one study, each by a dimension of its own, are one result: all dimensions stand
in the first table, each on its own scale.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import Literal

from factmark.model import SHARE, Estimate, Measure, Scale
from factmark.people.answer_rows import ratings_of, row_columns
from factmark.people.campaign_page import ratings_page
from factmark.people.core.forms import COARSE, FINE, Form
from factmark.people.ratings.systems import SystemScore, system_name
from factmark.people.results import CampaignResults, subject_of
from factmark.people.tables.agreement_tables import agreement_table
from factmark.people.tables.result_tables import more_tables
from factmark.report.columns import Column, attribute_column, table_of
from factmark.report.layouts import DataTable, estimate_cell, extremes_text
from factmark.report.result import Result
from factmark.report.sentence import (
    FirstSentence,
    aside,
    best_first,
    brackets,
    figure,
    figures,
    lacking,
)
from factmark.text.shell import quote, quote_path
from factmark.text.shown_text import count, listed

_LONGEVAL = "longeval"


def ratings_report(*parts: CampaignResults) -> Result:
    """Returns what people gave, as a result in all its forms.

    Args:
        parts: a campaign, or several of one study, each by a dimension of its own.
    """
    first = parts[0]
    ratings = ratings_of(parts)
    details = first if len(parts) == 1 else parts
    return Result(
        measure=_measure(parts),
        subject=subject_of(parts),
        judge="people",
        averages=averages_of(score for part in parts for score in part.scores),
        tables=dict(_tables(parts)),
        rows=ratings,
        columns=row_columns(parts),
        page=lambda: ratings_page(parts),
        sentence=first_sentence(parts),
        next_step=_next_step(parts),
        problems=tuple(_problems(parts)),
        signature=_signature(parts),
        figures={"dimensions": [part.as_json() for part in parts]},
        details=details,
    )


def _measure(parts: Sequence[CampaignResults]) -> Measure:
    """Returns the measure to go by; of several dimensions, one that spans their scales."""
    measures = [part.form.measures[0] for part in parts]
    if len(measures) == 1:
        return measures[0]
    lows, highs = zip(*(measure.scale for measure in measures), strict=True)
    return Measure(
        key="ratings",
        symbol="ratings",
        name=f"mean ratings by {listed([part.dimension for part in parts])}",
        scale=Scale(min(lows), max(highs)),
    )


def averages_of(scores: Iterable[SystemScore]) -> dict[str, Estimate]:
    """Returns "SCORE of SYSTEM", or the score's name where systems have none -> its estimate."""
    averages = {}
    for score in scores:
        of_system = ""
        if score.system:
            of_system = f" of {score.system}"
        averages[score.measure.symbol + of_system] = score.final
    return averages


def first_sentence(parts: Sequence[CampaignResults]) -> FirstSentence:
    """Returns what people gave each system by the first measure, the best first; by several
    dimensions the best system of each."""
    main = [score for part in parts for score in _main_scores(part)]
    if not any(score.n_answered for score in main):
        asked = count(sum(score.n_asked for score in main), "rating", "ratings")
        return FirstSentence(sentence=f"Nothing is rated yet, of {asked}.")
    if len(parts) == 1:
        return FirstSentence(sentence=f"{means_in_words('people', parts[0].form, main)}.")
    best = [best_first((s.system, s.final) for s in _main_scores(part))[0] for part in parts]
    several = len(parts[0].scores) > 1
    words = []
    for part, (system, estimate) in zip(parts, best, strict=True):
        value = f"{part.dimension} {figure(estimate)}{_scale_in_words(part.form)}"
        if several:
            value += f" for {system_name(system)}"
        words.append(value)
    which = "the means are"
    if several:
        which = "the greatest means are"
    levels = aside(brackets(*(estimate for _, estimate in best)))
    return FirstSentence(sentence=f"By people, {which}: {'; '.join(words)}{levels}.")


def means_in_words(by: str, form: Form, scores: Sequence[SystemScore], more: str = "") -> str:
    """Returns what somebody gave each system, the best first, as a sentence without its full stop.

    Args:
        by: who did.
        scores: of each system by the form's first measure.
        more: what follows the figures.
    """
    several = len(scores) > 1
    systems = best_first(
        (f"for {system_name(score.system)}" if several else "", score.final) for score in scores
    )
    asked = sum(score.n_asked for score in scores)
    missing = asked - sum(score.n_answered for score in scores)
    return (
        f"By {by}, the {form.measures[0].name} of {form.things} is "
        f"{figures(systems, _scale_in_words(form))}{more}"
        f"{aside(brackets(*(estimate for _, estimate in systems)))}"
        f"{lacking(missing, asked, 'ratings missing')}"
    )


def _scale_in_words(form: Form) -> str:
    """Returns the scale of a form's first measure behind a figure, as ` of 5` or ` on 1–5`."""
    low, high = form.measures[0].scale
    if low == 0:
        return f" of {high:g}"
    return f" on {low:g}–{high:g}"


def _main_scores(results: CampaignResults) -> list[SystemScore]:
    """Returns the scores of each system by the measure to go by."""
    main = results.form.measures[0]
    scores = []
    for score in results.scores:
        if score.measure == main:
            scores.append(score)
    return scores


def _next_step(parts: Sequence[CampaignResults]) -> str:
    """Returns what to do next, a sentence with a command; empty where nothing is to be done."""
    sources: list[tuple[str, str]] = []
    for part in parts:
        sources.extend(part.sources)
    main = []
    for part in parts:
        main.extend(_main_scores(part))
    decided = parts[0].adjudication
    if len(sources) == 1:
        (path, campaign), *_ = sources
        where = f"{quote_path(path)} --campaign {quote(campaign)}"
        if not any(score.n_answered for score in main):
            return f"Next: `factmark annotate serve {where}` lets people answer."
        if any(map(_n_missing, main)):
            return f"Next: `factmark annotate status {where}` says who has how much left."
        if decided and decided.left:
            return f"Next: `factmark annotate adjudicate {where}` has somebody decide."
    if sources and len(main) > len(parts):
        ledgers = dict.fromkeys(quote_path(path) for path, _ in sources)
        return f"Next: `factmark compare {' '.join(ledgers)}` tests which system is better."
    return ""


def _problems(parts: Sequence[CampaignResults]) -> Iterator[str]:
    """Yields the problems, those of several dimensions once, those of some with the dimension."""
    for problem in dict.fromkeys(problem for part in parts for problem in part.problems):
        having = []
        for part in parts:
            if problem in part.problems:
                having.append(part.dimension)
        if len(having) == len(parts):
            yield problem
        else:
            yield f"{listed(having)}: {problem}"


def _signature(parts: Sequence[CampaignResults]) -> Mapping[str, object]:
    """Returns how the numbers were made; what differs between dimensions, by their names."""
    signature: dict[str, object] = {}
    for key, value in parts[0].signature.items():
        values = {part.dimension: part.signature[key] for part in parts}
        if all(other == value for other in values.values()):
            signature[key] = value
        else:
            signature[key] = values
    return signature


def _tables(parts: Sequence[CampaignResults]) -> Iterator[tuple[str, DataTable]]:
    """Yields the tables with their names, the one for the first screen first."""
    yield "scores", scores_table(parts)
    agreeing = [part for part in parts if part.agreement is not None]
    if agreeing:
        yield "agreement", agreement_table(agreeing)
    for part in parts:
        for name, table in more_tables(part):
            if len(parts) == 1:
                yield name, table
            else:
                title = f"{part.dimension}: {table.title}"
                yield f"{name} {part.dimension}", replace(table, title=title)


@dataclass(frozen=True, slots=True, kw_only=True)
class _ScoreLine:
    """A line of the scores: a system by all measures, or how far people agree on each.

    Attributes:
        values: key of a measure -> the score, or alpha.
        counted: the scores that counts are of: those by the measures to go by; none beside alpha.
    """

    name: str
    values: Mapping[str, Estimate | None]
    counted: Sequence[SystemScore] = ()


def scores_table(parts: Sequence[CampaignResults]) -> DataTable:
    """Returns each system by every measure on its own scale, and how far people agree; machines get
    a row for each system and measure."""
    scores: list[SystemScore] = []
    for part in parts:
        scores.extend(part.scores)
    lines = []
    for system in sorted({s.system for s in scores}):
        lines.append(_system_line(parts, system))
    alphas = {part.form.measures[0].key: part.agreement.alpha for part in parts if part.agreement}
    agreeing = _ScoreLine(name="alpha", values=alphas)
    if alphas:
        lines.insert(0, agreeing)  # where a first screen cuts no line
    if len(parts) > 1:
        title = "Mean ratings per system, each dimension on its own scale"
    else:
        title = f"{parts[0].form.measures[0].name.capitalize()} per system"
    shown = table_of(
        title,
        list(_score_columns(parts)),
        lines,
        overall=lambda line: line is agreeing,
        notes=tuple(_mean_notes(parts)),
    )
    machines = table_of("", _RECORD, (), records=scores)
    return replace(shown, record_names=machines.record_names, records=machines.records)


def _system_line(parts: Sequence[CampaignResults], system: str) -> _ScoreLine:
    """Returns a system by all measures."""
    scores = []
    for part in parts:
        for score in part.scores:
            if score.system == system:
                scores.append(score)
    values: dict[str, Estimate | None] = {score.measure.key: score.final for score in scores}
    values[_LONGEVAL] = scores[0].longeval
    return _ScoreLine(
        name=system_name(system),
        values=values,
        counted=[s for part in parts for s in _main_scores(part) if s.system == system],
    )


def _score_columns(parts: Sequence[CampaignResults]) -> Iterator[Column[_ScoreLine]]:
    """Yields the columns that people are shown of the scores."""
    form = parts[0].form
    yield Column(name="system", value=attrgetter("name"), label=True)
    for part in parts:
        for measure in part.form.measures:
            name = measure.symbol
            if len(parts) > 1 or measure.scale != SHARE:
                name += f" ({measure.scale.low:g}–{measure.scale.high:g})"
            yield _value_column(name, measure.key, measure.better)
    if form == COARSE:
        yield _value_column("0–100", _LONGEVAL)
    if len(parts) == 1:
        yield _count_column(form.clusters, attrgetter("final.n_items"))
        yield _count_column(form.things, attrgetter("final.n_units"))
    yield _count_column("ratings", attrgetter("n_answered"))
    if not all(part.imported for part in parts):
        yield _count_column("missing", _n_missing)


def _value_column(
    name: str, key: str, better: Literal["higher", "lower"] = "higher"
) -> Column[_ScoreLine]:
    """Returns the column of a measure."""
    return Column(name=name, value=lambda line: line.values.get(key), better=better)


def _count_column(name: str, of: Callable[[SystemScore], int]) -> Column[_ScoreLine]:
    """Returns the column of a count, over all dimensions; empty beside alpha."""

    def value(line: _ScoreLine) -> int | None:
        if line.counted:
            return sum(map(of, line.counted))
        return None

    return Column(name=name, value=value)


def _n_missing(score: SystemScore) -> int:
    """Returns how many ratings were asked for and are not there."""
    return score.n_asked - score.n_answered


_RECORD: tuple[Column[SystemScore], ...] = (
    attribute_column("system", ""),
    Column(key="measure", value=attrgetter("measure.key")),
    Column(key="least", value=attrgetter("measure.scale.low")),
    Column(key="greatest", value=attrgetter("measure.scale.high")),
    attribute_column("final", "", estimate=True),
    Column(key=_LONGEVAL, value=attrgetter(_LONGEVAL), estimate=True),
    Column(key="n_documents", value=attrgetter("final.n_items")),
    Column(key="n_things", value=attrgetter("final.n_units")),
    attribute_column("n_asked", ""),
    attribute_column("n_answered", ""),
    attribute_column("final.method", ""),
    attribute_column("final.signature", ""),
)
"""A score for machines."""


def _mean_notes(parts: Sequence[CampaignResults]) -> Iterator[str]:
    """Yields the notes under the scores: how values are made, and what is missing."""
    results = parts[0]
    form = results.form
    measure = results.form.measures[0]
    things = results.form.things
    if form == FINE:
        yield (
            "FINE: 100 × yes / (yes + no) of each summary; its mean over annotators, then over "
            "documents."
        )
        pooled = []
        for score in results.scores:
            if score.pooled:
                pooled.append(f"{system_name(score.system)} {estimate_cell(score.pooled).text}")
        yield f"Over all clauses alike, whatever their summary: {'; '.join(pooled)}."
    elif form.per == "unit":
        yield f"The mean over {things}, each the mean of those who rated it."
    else:
        low, high = measure.scale
        name = measure.name.capitalize()
        if len(parts) > 1:
            name = "A mean"
        elif high != 1:
            name += f", from {low:g} to {high:g}"
        yield (
            f"{name}: the mean over {form.clusters}, each the mean of its {things}; one that "
            "several people rated is the mean of theirs."
        )
    if form == COARSE:
        yield "0–100: LongEval's scale, 20 × the rating."
    if any(part.agreement for part in parts):
        yield "Alpha: Krippendorff's, of the people who rated the same."
    for part in parts:
        yield from _missing_notes(_main_scores(part))


def _missing_notes(scores: Sequence[SystemScore]) -> Iterator[str]:
    """Yields the note on missing ratings: between which values each system would be with them."""
    lacking_any = []
    for score in scores:
        if _n_missing(score) and extremes_text(score.final):
            lacking_any.append(f"{system_name(score.system)} {extremes_text(score.final, ' to ')}")
    if lacking_any:
        yield (
            "Missing: ratings that were asked for and are not there. Whatever they would be, the "
            f"value over all that was asked lies here: {'; '.join(lacking_any)}."
        )
