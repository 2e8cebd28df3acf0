"""The tables of a comparison: two systems by stratum; a leader board and its pairs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from operator import attrgetter
from typing import TypeVar

from factmark.model import SHARE, Estimate, Measure
from factmark.report.columns import Column, table_of
from factmark.report.layouts import Cell, DataTable, Value, extremes_text
from factmark.report.sentence import FirstSentence, aside, brackets, figure
from factmark.stats.comparison import Comparison
from factmark.stats.contest import OVERALL, ComparedRow, Contest, Outcome, Place
from factmark.text.shown_text import NO_VALUE, count, named, number, some

Row = TypeVar("Row")

_TITLES = {
    "answers": "Answers",
    "factscore": "FActScore*",
    "validity": "ValidityScore",
    "ratings": "Ratings",
    "claims": "Claims",
}


def compare_tables(outcome: Outcome) -> tuple[DataTable, ...]:
    """The table of two systems; of more, the leader board by one score and the table of pairs.

    Of more than two there is no leader board without anything that all have, and no table at all
    without anything that any two have.
    """
    if outcome.rows:
        return (_two_table(outcome),)
    board = outcome.boards[outcome.score.key]
    compared = any(pair.n_both for pair in board.comparisons)
    return (*[_board_table(outcome)] * bool(board.places), *[_pairs_table(outcome)] * compared)


def compare_opening(outcome: Outcome) -> FirstSentence:
    """Which system is better by the score to go by, and whether that can be told."""
    sentence = _two_in_words(outcome) if outcome.rows else _board_in_words(outcome)
    alone = not compare_tables(outcome)  # what is noted below a table must stand somewhere
    return FirstSentence(
        sentence=f"By {outcome.score.name}, {sentence}.",
        cautions=outcome.contest.problems if alone else (),
    )


def _two_in_words(outcome: Outcome) -> str:
    """Which of two systems is better, by how much, or why that cannot be told."""
    contest = outcome.contest
    pair = next(r.comparison for r in outcome.rows if r.score.key == outcome.score.key)
    value, a, b = pair.difference.value, named(pair.a), named(pair.b)
    if value is None:
        return f"{a} and {b} {_nothing_in_common(contest, outcome.score, (pair.a, pair.b))}"
    on = f"on {pair.n_both:,} {contest.unit}"
    sides = ((a, pair.value_a), (b, pair.value_b))  # two systems may look the same when shown
    gap = pair.difference
    if (value < 0) != pair.lower_is_better:
        sides, gap = sides[::-1], _turned(gap)
    (ahead, figure_ahead), (behind, figure_behind) = sides
    if pair.told_apart:
        which = f"{ahead} is better than {behind} {on}"
    elif pair.too_few_differ and pair.n_differ:
        few = f"too few {contest.item} differ for this test to tell"
        which = f"{few} whether {ahead} is better than {behind} {on}"
    else:
        which = f"{ahead} and {behind} cannot be told apart {on}"
    shown = f"{ahead} − {behind} is {difference_cell(gap).text}, p {probability(pair.p)}"
    return (
        f"{which}: {figure(figure_ahead)} against {figure(figure_behind)}"
        f"{aside(shown + _about_p(contest, pair), brackets(gap, pair.value_a, pair.value_b))}"
    )


def _nothing_in_common(contest: Contest, score: Measure, systems: Sequence[str]) -> str:
    """Returns why these systems have no unit with a value of each: they share none, or some have
    too few values for any to count."""
    held = [
        {
            (cluster, unit): values
            for cluster, some_units in contest.systems[name][score.key].items()
            for unit, values in some_units.items()
        }
        for name in systems
    ]
    shared = len(set.intersection(*map(set, held)))
    if not shared:
        return f"have no {contest.unit} in common"
    few = []
    for name, units in zip(systems, held, strict=True):
        values = [value for of_unit in units.values() for value in of_unit]
        known, least = sum(value is not None for value in values), contest.least.get(name, 0.0)
        if not known or known < least * len(values):
            enough = f", fewer than {least:.0%}" * (known > 0)
            few.append(f"{named(name)} has a value for {known:,} of {len(values):,}{enough}")
    why = some(few) if few else "none has a value of each"
    return f"have {shared:,} {contest.unit} in common and cannot be compared: {why}"


def _turned(difference: Estimate) -> Estimate:
    """Returns the difference B - A of a difference A - B, as people are shown it."""
    value, low, high = (
        None if end is None else -end for end in (difference.value, difference.high, difference.low)
    )
    return replace(difference, value=value, low=low, high=high)


def _about_p(contest: Contest, pair: Comparison) -> str:
    """Returns why p is not what the interval lets expect: so few items differ, or the two, which
    are made differently, disagree; empty where it is.
    """
    low, high = pair.difference.low, pair.difference.high
    if pair.too_few_differ and pair.n_differ:
        differ = "differs" if pair.n_differ == 1 else "differ"
        of = f"{pair.n_differ} of {pair.difference.n_items} {contest.item} {differ}"
        return f"; {of}, and with so few p is never below {probability(pair.p_least)}"
    if low is None or high is None or (low > 0 or high < 0) == pair.told_apart:
        return ""
    if pair.told_apart:
        return "; the interval, made in another way than p, holds 0; p is what decides here"
    return "; the interval, made in another way than p, leaves 0 out; p is what decides here"


def _board_in_words(outcome: Outcome) -> str:
    """Which system is first, and which ones cannot be told apart from it."""
    board = outcome.boards[outcome.score.key]
    if not board.places:
        return _without_ranking(outcome)
    first, *others = board.places
    equal = {place.name for place in others if {*place.letters} & {*first.letters}}
    few = {
        name
        for pair in board.comparisons
        if pair.too_few_differ and first.name in (pair.a, pair.b)
        for name in equal & {pair.a, pair.b}
    }
    shown = [named(place.name) for place in others if place.name in equal - few]
    untold = [named(place.name) for place in others if place.name in few]
    apart = [f"cannot be told apart from {some(shown)}"] if shown else []
    if untold:
        item = outcome.contest.item
        apart.append(f"too few {item} differ for this test to tell it from {some(untold)}")
    return (
        f"{named(first.name)} is first of {len(board.places)} systems with "
        f"{figure(first.value)} on {board.n_units:,} {outcome.contest.unit}, and "
        f"{'; '.join(apart) or 'is better than each of the others'}"
        f"{aside(brackets(first.value))}"
    )


def _without_ranking(outcome: Outcome) -> str:
    """That there is nothing that all systems have, and whether some of them have anything."""
    contest, pairs = outcome.contest, outcome.boards[outcome.score.key].comparisons
    keys = tuple(dict.fromkeys(x for row in pairs for x in (row.a, row.b)))
    names = [named(name) for name in keys]
    none = (
        f"these {len(names)} systems ({some(names)}) "
        f"{_nothing_in_common(contest, outcome.score, keys)}"
    )
    if not any(pair.n_both for pair in pairs):
        return f"{none}, nor do any two of them, so nothing can be compared"
    return f"{none}, so there is no ranking; the pairs that have some are compared"


def compare_rows(outcome: Outcome) -> list[dict[str, Value]]:
    """Returns every comparison for machines, a row each: all scores, all strata, all pairs."""
    return table_of("", _RECORD, (), records=outcome.comparisons).rows()


def probability(p: float | None) -> str:
    """Returns a p-value with three decimals, `<0.001` below them, `–` for None.

    >>> probability(0.0312), probability(1e-9), probability(None)
    ('0.031', '<0.001', '–')
    """
    if p is None:
        return NO_VALUE
    return "<0.001" if p < 0.0005 else f"{p:.3f}"


def win_and_loss_columns(of: Callable[[Row], Comparison]) -> Iterator[Column[Row]]:
    """Yields the columns that count where A wins, ties and loses, and how many units lack a value
    in either.
    """
    for name in ("wins", "ties", "losses"):
        yield Column(name=name, value=partial(_named_count, of, name))
    yield Column(name="missing", value=lambda row: of(row).difference.n_missing)


def _named_count(of: Callable[[Row], Comparison], key: str, row: Row) -> int:
    """Returns the count of that name in a row's comparison."""
    return int(getattr(of(row), key))


def missing_side_note(pairs: Iterable[tuple[str, Comparison]]) -> Iterator[str]:
    """Yields one sentence on which side lacks the missing values; nothing where none is missing."""
    lacking = []
    for name, pair in pairs:
        sides = ((pair.only_b, "in A"), (pair.only_a, "in B"), (pair.neither, "in both"))
        if where := ", ".join(f"{n} {side}" for n, side in sides if n):
            lacking.append(f"{name} {where}")
    if lacking:
        yield f"Missing, and so in no value: {'; '.join(lacking)}."


def difference_cell(estimate: Estimate) -> Cell:
    """A difference with its bounds in brackets, set apart by a comma: a dash would be a minus."""
    low, high = number(estimate.low), number(estimate.high)
    bounds = "" if estimate.low is None else f"[{low}, {high}]"  # a dash would be a minus
    return Cell(value=number(estimate.value), interval=bounds)


_RECORD: tuple[Column[ComparedRow], ...] = (
    Column(key="score", value=lambda row: row.score.key),
    Column(key="stratum", value=lambda row: row.stratum),
    Column(key="a", value=lambda row: named(row.comparison.a)),
    Column(key="b", value=lambda row: named(row.comparison.b)),
    Column(key="difference", value=lambda row: row.comparison.difference, estimate=True),
    Column(key="value_a", value=lambda row: row.comparison.value_a, estimate=True),
    Column(key="value_b", value=lambda row: row.comparison.value_b, estimate=True),
    *(
        Column(key=key.rpartition(".")[2], value=attrgetter(f"comparison.{key}"))
        for key in "p_permutation p_adjusted p_mcnemar wins ties losses n_both difference.n_items "
        "only_a only_b neither difference.method".split()
    ),
)
"""A comparison for machines."""


def _pair_columns(outcome: Outcome, rows: Sequence[ComparedRow]) -> Iterator[Column[ComparedRow]]:
    """Yields the columns that people are shown of a pair: the difference, its test, and over how
    many units.
    """
    contest = outcome.contest
    tested = sum(row.comparison.p_adjusted is not None for row in rows)
    over = "strata" if outcome.rows else "pairs"
    holm = f"; Holm's over the {tested} {over}" if tested > 1 else ""
    yield Column(
        name="A − B",
        value=lambda row: row.comparison.difference,
        show=difference_cell,
        meaning=f"{', '.join(map(_meaning, contest.scores))}.",
    )
    yield Column(
        name="p",
        value=lambda row: probability(row.comparison.p),
        meaning=f"p: permutation test, {contest.item} change sign as a whole{holm}.",
    )
    yield Column(
        name="n",
        value=lambda row: row.comparison.n_both,
        meaning=f"n: {contest.unit} that both have.",
    )
    if contest.item != contest.unit:
        yield Column(name=contest.item, value=lambda row: row.comparison.difference.n_items)
    yield from win_and_loss_columns(lambda row: row.comparison)


def _two_table(outcome: Outcome) -> DataTable:
    """The table of two systems: a row for each score over all units, then for each stratum."""
    contest, rows = outcome.contest, outcome.rows
    a, b = (named(name) for name in contest.systems)
    return table_of(
        f"{_TITLES[contest.measure]} on the same {contest.unit}: A is {a}, B is {b}",
        (
            Column(name="by", value=lambda row: row.score.symbol, label=True),
            Column(name="over", value=lambda row: row.stratum, label=True),
            Column(name="A", value=lambda row: row.comparison.value_a),
            Column(name="B", value=lambda row: row.comparison.value_b),
            *_pair_columns(outcome, rows),
            *_RECORD,
        ),
        rows,
        group=lambda row: row.score.key if row.stratum == OVERALL else None,
        overall=lambda row: row.stratum == OVERALL,
        notes=(
            *_missing_note(
                contest, ((r.score.symbol, r.comparison) for r in rows if r.stratum == OVERALL)
            ),
            *_mcnemar_note(contest, rows),
            *contest.problems,
        ),
    )


def _pairs_table(outcome: Outcome) -> DataTable:
    """Returns the table of every pair of systems by the score to go by."""
    contest, score = outcome.contest, outcome.score
    rows = [row for row in outcome.comparisons if row.score.key == score.key]
    every = [row.comparison for row in rows]
    rows = [row for row in rows if row.comparison.n_both]
    comparisons = [row.comparison for row in rows]
    apart = [f"{named(c.a)} and {named(c.b)}" for c in every if not c.n_both]
    return table_of(
        f"Every pair by {score.name}, on the {contest.unit} that both have",
        (
            Column(name="A", value=lambda row: row.comparison.a, label=True),
            Column(name="B", value=lambda row: row.comparison.b, label=True),
            *_pair_columns(outcome, rows),
            *_RECORD,
        ),
        rows,
        notes=(
            *[f"No {contest.unit} with a value of both, and so not compared: {'; '.join(apart)}."]
            * bool(apart),
            *_missing_note(contest, ((f"{named(c.a)} − {named(c.b)}", c) for c in comparisons)),
            *(() if outcome.boards[score.key].places else contest.problems),
        ),
        records=outcome.comparisons,
    )


def _board_table(outcome: Outcome) -> DataTable:
    """Returns the leader board: a row for each system, with all scores, its group and its ranks."""
    contest, board = outcome.contest, outcome.boards[outcome.score.key]
    scores = (outcome.score, *(s for s in contest.scores if s.key != outcome.score.key))
    values = {
        (score.key, place.name): place.value
        for score in scores
        for place in outcome.boards[score.key].places
    }

    def value(score: Measure, place: Place) -> Estimate:
        return values[score.key, place.name]

    level = f"{outcome.options.level * 100:g} %"
    pairs = count(len(board.comparisons), "pair", "pairs")
    lost = f"; {board.n_left_out} that some system lacks are left out" if board.n_left_out else ""
    columns: list[Column[Place]] = [
        Column(name="rank", key="rank", value=lambda place: place.rank, label=True),
        Column(name="system", key="system", value=lambda place: named(place.name), label=True),
        Column(key="rank_low", value=lambda place: place.rank_low),
        Column(key="rank_high", value=lambda place: place.rank_high),
        Column(key="letters", value=lambda place: " ".join(place.letters)),
        *(
            Column(
                name=score.symbol,
                key=score.key,
                value=partial(value, score),
                estimate=True,
                better=score.better,
            )
            for score in scores
        ),
        Column(
            name="group",
            value=lambda place: Cell(value=" ".join(place.letters)),
            meaning="Systems that share a letter cannot be told apart.",
        ),
        Column(
            name="ranks",
            value=_ranks,
            meaning="Ranks: those that a system may hold, given those that can "
            f"({level}, Holm over {pairs}).",
        ),
        Column(
            name="n",
            key="n_units",
            value=lambda place: place.value.n_units,
            meaning=f"Values are over the {board.n_units} {contest.unit} that all systems "
            f"have{lost}.",
        ),
        Column(
            name="missing",
            key="n_missing",
            value=lambda place: contest.unjudged.get(place.name, place.value.n_missing),
        ),
    ]
    return table_of(
        f"Leader board by {outcome.score.name}, on the same {contest.unit}",
        columns,
        board.places,
        notes=contest.problems,
    )


def _meaning(score: Measure) -> str:
    """Returns a score in words: its name, its scale where it is no share, and what is good."""
    low, high = score.scale
    scale = "" if score.scale == SHARE else f"{low:g} to {high:g}, "
    return f"{score.symbol} {score.name} ({scale}{score.better} is better)"


def _ranks(place: Place) -> str:
    """Returns the ranks that a system may hold, such as `1–3`."""
    same = place.rank_low == place.rank_high
    return str(place.rank_low) if same else f"{place.rank_low}–{place.rank_high}"


def _missing_note(contest: Contest, pairs: Iterable[tuple[str, Comparison]]) -> Iterator[str]:
    """Yields where A - B lies over all units, for comparisons that lack some."""
    pairs = list(pairs)
    yield from missing_side_note(pairs)
    unjudged = {name: n for name, n in contest.unjudged.items() if n}
    if unjudged:
        claims = ", ".join(f"{named(name)} {n:,}" for name, n in unjudged.items())
        yield f"Claims without a verdict: {claims}; the others of a cluster make its share."
    ranges = [
        f"{name} {extremes_text(pair.difference, ' to ')}"
        for name, pair in pairs
        if pair.difference.n_missing or {pair.a, pair.b} & {*unjudged}
        if extremes_text(pair.difference)
    ]
    if ranges:
        yield (
            f"A − B over all {contest.unit}, whatever the missing would have said: "
            f"{'; '.join(ranges)}."
        )


def _mcnemar_note(contest: Contest, rows: Iterable[ComparedRow]) -> Iterator[str]:
    """Yields McNemar's p of each score over all units, with what it takes for independent."""
    values = [
        f"{row.score.symbol} {probability(row.comparison.p_mcnemar)}"
        for row in rows
        if row.stratum == OVERALL and row.comparison.p_mcnemar is not None
    ]
    if values:
        grouped = f", which takes {contest.unit} of the same head for independent"
        yield (
            f"McNemar's exact p: {', '.join(values)}"
            f"{'' if contest.item == contest.unit else grouped}."
        )
