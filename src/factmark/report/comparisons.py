"""The tables of a comparison: two systems by stratum; a leader board and its pairs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from operator import attrgetter
from typing import TypeVar

from factmark.model import SHARE, Estimate, Measure
from factmark.report.columns import Column, table_of
from factmark.report.corrected_comparisons import (
    CORRECTED_COLUMNS,
    columns_of_corrected_places,
    columns_of_labels,
    corrected_by,
    count_of,
    difference_cell,
    test_in_words,
)
from factmark.report.file_columns import FileColumn, attributes, prefixed_columns
from factmark.report.layouts import Cell, DataTable, extremes_text
from factmark.report.sentence import FirstSentence, aside, brackets, figure
from factmark.stats.comparison import Comparison
from factmark.stats.contest import OVERALL, ComparedRow, Contest, Outcome, Place
from factmark.text.shown_text import NO_VALUE, count, named, some

Row = TypeVar("Row")

_TITLES = {
    "answers": "Answers",
    "factscore": "FActScore*",
    "validity": "ValidityScore",
    "ratings": "Ratings",
    "claims": "Claims",
}


def compare_tables(outcome: Outcome) -> tuple[DataTable, ...]:
    """Returns the tables of `named_tables`, without their names."""
    return tuple(named_tables(outcome).values())


def named_tables(outcome: Outcome) -> dict[str, DataTable]:
    """Returns the tables of a comparison by their names, the one for the first screen first.

    Of two systems `scores`, and `strata` where there are several. Of more the leader `board` by the
    score to go by, unless there is nothing that all systems have, and `pairs`, unless no two have
    anything in common.
    """
    tables = {}
    if outcome.rows:
        tables["scores"] = _scores_table(outcome)
        if any(row.stratum != OVERALL for row in outcome.rows):
            tables["strata"] = _strata_table(outcome)
        return tables
    board = outcome.boards[outcome.score.key]
    if board.places:
        tables["board"] = _board_table(outcome)
    if any(pair.n_both for pair in board.comparisons):
        tables["pairs"] = _pairs_table(outcome)
    return tables


def comparison_sentence(outcome: Outcome) -> FirstSentence:
    """Returns which system is better by the score to go by, and whether that can be told."""
    if outcome.rows:
        words = _two_in_words(outcome)
    else:
        words = _board_in_words(outcome)
    return FirstSentence(sentence=f"By {outcome.score.name}, {words}.")


def _two_in_words(outcome: Outcome) -> str:
    """Which of two systems is better, by how much, or why that cannot be told."""
    contest = outcome.contest
    pair = next(r.comparison for r in outcome.rows if r.score.key == outcome.score.key)
    gap, value_a, value_b = pair.decisive
    value = gap.value
    a = named(pair.a)
    b = named(pair.b)
    if value is None:
        return f"{a} and {b} {_nothing_in_common(contest, outcome.score, (pair.a, pair.b))}"
    on = f"on {pair.n_both:,} {contest.unit}"
    sides = ((a, value_a), (b, value_b))  # two systems may look the same when shown
    if (value < 0) != pair.lower_is_better:
        sides = sides[::-1]
        gap = _turned(gap)
    (ahead, figure_ahead), (behind, figure_behind) = sides
    if pair.told_apart:
        which = f"{ahead} is better than {behind} {on}"
    elif pair.too_few_differ and pair.n_differ:
        few = f"too few {contest.item} differ for this test to tell"
        which = f"{few} whether {ahead} is better than {behind} {on}"
    else:
        which = f"{ahead} and {behind} cannot be told apart {on}"
    shown = f"{ahead} − {behind} is {difference_cell(gap).text}, p {p_of_pair(pair)}"
    return (
        f"{which}: {figure(figure_ahead)} against {figure(figure_behind)}"
        f"{corrected_by(pair, contest)}"
        f"{aside(shown + _about_p(contest, pair), brackets(gap, value_a, value_b))}"
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
        values: list[float | None] = []
        for of_unit in units.values():
            values.extend(of_unit)
        known = sum(value is not None for value in values)
        least = contest.least.get(name, 0.0)
        if not known or known < least * len(values):
            enough = ""
            if known:
                enough = f", fewer than {least:.0%}"
            few.append(f"{named(name)} has a value for {known:,} of {len(values):,}{enough}")
    why = "none has a value of each"
    if few:
        why = some(few)
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
    low = pair.decisive[0].low
    high = pair.decisive[0].high
    if pair.too_few_differ and pair.n_differ:
        items = f"of {pair.difference.n_items} {contest.item}"
        of = count(pair.n_differ, f"{items} differs", f"{items} differ")
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
    equal = set()
    for place in others:
        if {*place.letters} & {*first.letters}:
            equal.add(place.name)
    few = set()
    for pair in board.comparisons:
        if pair.too_few_differ and first.name in (pair.a, pair.b):
            few.update(equal & {pair.a, pair.b})
    shown = []
    for place in others:
        if place.name in equal - few:
            shown.append(named(place.name))
    untold = []
    for place in others:
        if place.name in few:
            untold.append(named(place.name))
    apart = []
    if shown:
        apart = [f"cannot be told apart from {some(shown)}"]
    if untold:
        item = outcome.contest.item
        apart.append(f"too few {item} differ for this test to tell it from {some(untold)}")
    return (
        f"{named(first.name)} is first of {len(board.places)} systems with "
        f"{figure(first.decisive)} on {board.n_units:,} {outcome.contest.unit}"
        f"{corrected_by(board.comparisons[0], outcome.contest)}, and "
        f"{'; '.join(apart) or 'is better than each of the others'}"
        f"{aside(brackets(first.decisive))}"
    )


def _without_ranking(outcome: Outcome) -> str:
    """That there is nothing that all systems have, and whether some of them have anything."""
    contest = outcome.contest
    pairs = outcome.boards[outcome.score.key].comparisons
    keys = tuple(dict.fromkeys(x for row in pairs for x in (row.a, row.b)))
    names = [named(name) for name in keys]
    none = (
        f"these {len(names)} systems ({some(names)}) "
        f"{_nothing_in_common(contest, outcome.score, keys)}"
    )
    if not any(pair.n_both for pair in pairs):
        return f"{none}, nor do any two of them, so nothing can be compared"
    return f"{none}, so there is no ranking; the pairs that have some are compared"


def probability(p: float | None) -> str:
    """Returns a p-value with three decimals, `<0.001` below them, `–` for None.

    >>> probability(0.0312), probability(1e-9), probability(None)
    ('0.031', '<0.001', '–')
    """
    if p is None:
        return NO_VALUE
    if p < 0.0005:
        return "<0.001"
    return f"{p:.3f}"


def p_of_pair(pair: Comparison) -> str:
    """Returns the p-value of a pair, after ≤ where it is the least that so many draws can show.

    A bound that rounds to 0 says `<0.001` as it is.
    """
    shown = probability(pair.p)
    if pair.p_at_most and not shown.startswith("<"):
        return f"≤{shown}"
    return shown


def win_and_loss_columns(of: Callable[[Row], Comparison]) -> Iterator[Column[Row]]:
    """Yields the columns that count where A wins, ties and loses, and how many units lack a value
    in either.
    """
    for name in ("wins", "ties", "losses"):
        yield Column(name=name, value=partial(count_of, of, name))
    yield Column(name="missing", value=lambda row: of(row).difference.n_missing)


def missing_side_note(pairs: Iterable[tuple[str, Comparison]]) -> Iterator[str]:
    """Yields one sentence on which side lacks the missing values; nothing where none is missing."""
    lacking = []
    for name, pair in pairs:
        sides = ((pair.only_b, "in A"), (pair.only_a, "in B"), (pair.neither, "in both"))
        where = ", ".join(f"{n} {side}" for n, side in sides if n)
        if where:
            lacking.append(f"{name} {where}")
    if lacking:
        yield f"Missing, and so in no value: {'; '.join(lacking)}."


ROW_COLUMNS: tuple[FileColumn[ComparedRow], ...] = (
    FileColumn(name="score", value=attrgetter("score.key")),
    *attributes("stratum"),
    FileColumn(name="a", value=lambda row: named(row.comparison.a)),
    FileColumn(name="b", value=lambda row: named(row.comparison.b)),
    *prefixed_columns("difference", attrgetter("comparison.difference")),
    *CORRECTED_COLUMNS,
    *prefixed_columns("value_a", attrgetter("comparison.value_a")),
    *prefixed_columns("value_b", attrgetter("comparison.value_b")),
    *attributes(
        "p_permutation", "p_at_most", "p_adjusted", "p_mcnemar", of="comparison", type="DOUBLE"
    ),
    *attributes("told_apart", of="comparison", type="BOOLEAN"),
    *attributes("wins", "ties", "losses", "n_both", of="comparison", type="BIGINT"),
    *attributes("n_items", of="comparison.difference", type="BIGINT"),
    *attributes("only_a", "only_b", "neither", of="comparison", type="BIGINT"),
    *attributes("method", of="comparison.difference"),
)
"""A comparison in files: all scores, all strata, all pairs."""

_RECORD = tuple(Column(key=column.name, value=column.value) for column in ROW_COLUMNS)


def _pair_columns(outcome: Outcome, rows: Sequence[ComparedRow]) -> Iterator[Column[ComparedRow]]:
    """Yields the columns that people are shown of a pair: the difference, its test, and over how
    many units.
    """
    contest = outcome.contest
    tested = sum(row.comparison.p_adjusted is not None for row in rows)
    over = "pairs"
    if outcome.rows:
        over = "strata"
    holm = ""
    if tested > 1:
        holm = f"; Holm's over the {tested} {over}"
    yield Column(
        name="A − B",
        value=lambda row: row.comparison.decisive[0],
        show=difference_cell,
        meaning=f"{', '.join(map(_meaning, contest.scores))}.",
    )
    yield Column(
        name="p",
        value=lambda row: p_of_pair(row.comparison),
        meaning=f"p: {test_in_words(contest, rows)}{holm}.",
    )
    yield from columns_of_labels(contest, rows)
    yield Column(
        name="n",
        value=lambda row: row.comparison.n_both,
        meaning=f"n: {contest.unit} that both have.",
    )
    if contest.item != contest.unit:
        yield Column(name=contest.item, value=lambda row: row.comparison.difference.n_items)
    yield from win_and_loss_columns(lambda row: row.comparison)


def _scores_table(outcome: Outcome) -> DataTable:
    """Returns the table of two systems over all units: a row for each score."""
    contest = outcome.contest
    rows = []
    for row in outcome.rows:
        if row.stratum == OVERALL:
            rows.append(row)
    a, b = (named(name) for name in contest.systems)
    pairs = [(row.score.symbol, row.comparison) for row in rows]
    return table_of(
        f"{_TITLES[contest.measure]} on the same {contest.unit}: A is {a}, B is {b}",
        (
            Column(name="by", value=lambda row: row.score.symbol, label=True),
            *_columns_of_two(outcome, rows),
        ),
        rows,
        overall=lambda row: row.score.key == outcome.score.key,
        notes=(*_missing_note(contest, pairs), *_mcnemar_note(contest, rows)),
    )


def _strata_table(outcome: Outcome) -> DataTable:
    """Returns the table of two systems in each stratum, by the score to go by."""
    contest = outcome.contest
    rows = []
    for row in outcome.rows:
        if row.stratum != OVERALL:
            rows.append(row)
    return table_of(
        f"The same by {outcome.score.name}, in each {contest.stratum}",
        (
            Column(name=contest.stratum, value=lambda row: row.stratum, label=True),
            *_columns_of_two(outcome, rows),
        ),
        rows,
    )


def _columns_of_two(outcome: Outcome, rows: Sequence[ComparedRow]) -> Iterator[Column[ComparedRow]]:
    """Yields the values of two systems, then the columns of a pair."""
    yield Column(name="A", value=lambda row: row.comparison.decisive[1])
    yield Column(name="B", value=lambda row: row.comparison.decisive[2])
    yield from _pair_columns(outcome, rows)
    yield from _RECORD


def _pairs_table(outcome: Outcome) -> DataTable:
    """Returns the table of every pair of systems by the score to go by."""
    contest = outcome.contest
    score = outcome.score
    rows = []
    for row in outcome.comparisons:
        if row.score.key == score.key:
            rows.append(row)
    every = [row.comparison for row in rows]
    rows = [row for row in rows if row.comparison.n_both]
    notes = []
    apart = "; ".join(f"{named(c.a)} and {named(c.b)}" for c in every if not c.n_both)
    if apart:
        notes.append(f"No {contest.unit} with a value of both, and so not compared: {apart}.")
    pairs = []
    for c in every:
        if c.n_both:
            pairs.append((f"{named(c.a)} − {named(c.b)}", c))
    return table_of(
        f"Every pair by {score.name}, on the {contest.unit} that both have",
        (
            Column(name="A", value=lambda row: row.comparison.a, label=True),
            Column(name="B", value=lambda row: row.comparison.b, label=True),
            *_pair_columns(outcome, rows),
            *_RECORD,
        ),
        rows,
        notes=(*notes, *_missing_note(contest, pairs)),
        records=outcome.comparisons,
    )


def _board_table(outcome: Outcome) -> DataTable:
    """Returns the leader board: a row for each system, with all scores, its group and its ranks."""
    contest = outcome.contest
    board = outcome.boards[outcome.score.key]
    scores = (outcome.score, *(s for s in contest.scores if s.key != outcome.score.key))
    values = {
        (score.key, place.name): place.decisive
        for score in scores
        for place in outcome.boards[score.key].places
    }

    def value(score: Measure, place: Place) -> Estimate:
        return values[score.key, place.name]

    level = f"{outcome.options.level * 100:g} %"
    pairs = count(len(board.comparisons), "pair", "pairs")
    lost = ""
    if board.n_left_out:
        lost = f"; {board.n_left_out} that some system lacks are left out"
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
        *columns_of_corrected_places(board, outcome.score),
        Column(
            name="n",
            key="n_units",
            value=lambda place: place.value.n_units,
            meaning=f"Values are over the {board.n_units} {contest.unit} that all systems "
            f"have{lost}.",
        ),
        Column(name="missing", key="n_missing", value=partial(_n_missing, contest)),
    ]
    return table_of(
        f"Leader board by {outcome.score.name}, on the same {contest.unit}",
        columns,
        board.places,
    )


def _n_missing(contest: Contest, place: Place) -> int:
    """Returns how many of a system's units, or of their claims, have no value."""
    return contest.unjudged.get(place.name, place.value.n_missing)


def _meaning(score: Measure) -> str:
    """Returns a score in words: its name, its scale where it is no share, and what is good."""
    low, high = score.scale
    scale = ""
    if score.scale != SHARE:
        scale = f"{low:g} to {high:g}, "
    return f"{score.symbol} {score.name} ({scale}{score.better} is better)"


def _ranks(place: Place) -> str:
    """Returns the ranks that a system may hold, such as `1–3`."""
    same = place.rank_low == place.rank_high
    if same:
        return str(place.rank_low)
    return f"{place.rank_low}–{place.rank_high}"


def _missing_note(contest: Contest, pairs: Iterable[tuple[str, Comparison]]) -> Iterator[str]:
    """Yields where A - B lies over all units, for comparisons that lack some."""
    pairs = list(pairs)
    yield from missing_side_note(pairs)
    unjudged = {name: n for name, n in contest.unjudged.items() if n}
    if unjudged:
        claims = ", ".join(f"{named(name)} {n:,}" for name, n in unjudged.items())
        yield f"Claims without a verdict: {claims}; the others of a cluster make its share."
    ranges = []
    for name, pair in pairs:
        if (pair.difference.n_missing or {pair.a, pair.b} & {*unjudged}) and extremes_text(
            pair.difference
        ):
            ranges.append(f"{name} {extremes_text(pair.difference, ' to ')}")
    if ranges:
        yield (
            f"A − B over all {contest.unit}, whatever the missing would have said: "
            f"{'; '.join(ranges)}."
        )


def _mcnemar_note(contest: Contest, rows: Iterable[ComparedRow]) -> Iterator[str]:
    """Yields McNemar's p of each score over all units, with what it takes for independent."""
    values = []
    for row in rows:
        if row.stratum == OVERALL and row.comparison.p_mcnemar is not None:
            values.append(f"{row.score.symbol} {probability(row.comparison.p_mcnemar)}")
    if values:
        grouped = f", which takes {contest.unit} of the same head for independent"
        yield (
            f"McNemar's exact p: {', '.join(values)}"
            f"{'' if contest.item == contest.unit else grouped}."
        )
