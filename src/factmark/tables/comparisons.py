"""The tables of a comparison: two systems by stratum; a leader board and its pairs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

from factmark.model import Estimate
from factmark.stats.comparison import Comparison
from factmark.stats.contest import OVERALL, ComparedRow, Contest, LeaderBoard, Outcome, Place, Score
from factmark.tables.layouts import (
    Cell,
    DataTable,
    Head,
    Line,
    Value,
    estimate_cell,
    extremes,
    interval_note,
    part_names,
    parts,
    slashed,
)
from factmark.tables.shown_text import NO_VALUE, count, number, one_line

_TITLES = {"answers": "Answers", "factscore": "FActScore*", "validity": "ValidityScore"}
PAIR_RECORDS = (
    "a", "b", *part_names("difference"), *part_names("value_a"),
    *part_names("value_b"), "p_permutation", "p_adjusted", "p_mcnemar", "wins", "ties", "losses",
    "n_both", "n_items", "only_a", "only_b", "neither", "method",
)  # fmt: skip
"""The names of `pair_record`."""


def compare_tables(outcome: Outcome) -> tuple[DataTable, ...]:
    """The table of two systems; of more, the leader board by one score and the table of pairs."""
    if outcome.rows:
        return (_two_table(outcome),)
    return _board_table(outcome), _pairs_table(outcome)


def compare_records(outcome: Outcome) -> tuple[tuple[str, ...], tuple[tuple[Value, ...], ...]]:
    """Names and values of every comparison, for machines: all scores, all pairs."""
    return ("score", "stratum", *PAIR_RECORDS), tuple(
        (score.key, one_line(stratum), *pair_record(made)) for score, stratum, made in _all(outcome)
    )


def probability(p: float | None) -> str:
    """Three decimals, `<0.001` below them.

    >>> probability(0.0312), probability(1e-9), probability(None)
    ('0.031', '<0.001', '–')
    """
    if p is None:
        return NO_VALUE
    return "<0.001" if p < 0.0005 else f"{p:.3f}"


def _two_table(outcome: Outcome) -> DataTable:
    contest, rows = outcome.contest, outcome.rows
    made = [row.comparison for row in rows]
    names, values = compare_records(outcome)
    a, b = (_name(name) for name in contest.systems)
    return DataTable(
        title=f"{_TITLES[contest.measure]} on the same {contest.unit}: A is {a}, B is {b}",
        label_names=("by", "over"),
        columns=(
            *(Head(name=name) for name in ("A", "B", "A − B", "p", "w/t/l")),
            *_count_columns(contest),
        ),
        lines=tuple(
            Line(
                labels=(row.score.symbol, one_line(row.stratum) or NO_VALUE),
                cells=(
                    estimate_cell(row.comparison.value_a),
                    estimate_cell(row.comparison.value_b),
                    *pair_cells(row.comparison),
                    *_count_cells(contest, row.comparison),
                ),
                starts_group=row.stratum == OVERALL or rows[at - 1].stratum == OVERALL,
                overall=row.stratum == OVERALL,
            )
            for at, row in enumerate(rows)
        ),
        notes=(
            _verdict(outcome, a, b),
            _legend(contest),
            *_tests(outcome, [one.p_adjusted for one in made]),
            *_missing_note(
                contest, ((r.score.symbol, r.comparison) for r in rows if r.stratum == OVERALL)
            ),
            *_mcnemar_note(contest, rows),
            *interval_note(one.difference for one in made),
            *contest.problems,
        ),
        record_names=names,
        records=values,
    )


def _board_table(outcome: Outcome) -> DataTable:
    contest, board = outcome.contest, outcome.boards[outcome.score.key]
    scores = (outcome.score, *(s for s in contest.scores if s.key != outcome.score.key))
    values = {
        score.key: {place.name: place.value for place in outcome.boards[score.key].places}
        for score in scores
    }
    return DataTable(
        title=f"Leader board by {outcome.score.name}, on the same {contest.unit}",
        label_names=("rank", "system"),
        columns=(
            *(Head(name=s.symbol, better=_better(s)) for s in scores),
            *(Head(name=name) for name in ("group", "ranks", "n", "missing")),
        ),
        lines=tuple(
            Line(
                labels=(str(place.rank), _name(place.name)),
                cells=(
                    *(estimate_cell(values[score.key][place.name]) for score in scores),
                    Cell(value=" ".join(place.letters)),
                    Cell(value=_ranks(place)),
                    Cell(value=str(place.value.n_units)),
                    Cell(value=str(place.value.n_missing)),
                ),
                starts_group=True,
            )
            for place in board.places
        ),
        notes=tuple(_board_notes(outcome, board, [values[s.key] for s in scores])),
        record_names=(
            "rank", "system", "rank_low", "rank_high", "letters",
            *(name for score in scores for name in part_names(score.key)),
            "n_units", "n_missing",
        ),
        records=tuple(
            (
                place.rank, _name(place.name), place.rank_low, place.rank_high,
                " ".join(place.letters),
                *(value for s in scores for value in parts(values[s.key][place.name])),
                place.value.n_units, place.value.n_missing,
            )
            for place in board.places
        ),
    )  # fmt: skip


def _pairs_table(outcome: Outcome) -> DataTable:
    contest, made = outcome.contest, outcome.boards[outcome.score.key].comparisons
    names, values = compare_records(outcome)
    return DataTable(
        title=f"Every pair by {outcome.score.name}, on the {contest.unit} that both have",
        label_names=("A", "B"),
        columns=(
            *(Head(name=name) for name in ("A − B", "p", "w/t/l")),
            *_count_columns(contest),
        ),
        lines=tuple(
            Line(
                labels=(_name(one.a), _name(one.b)),
                cells=(*pair_cells(one), *_count_cells(contest, one)),
                starts_group=True,
            )
            for one in made
        ),
        notes=(
            _legend(contest),
            *_tests(outcome, [one.p_adjusted for one in made]),
            *_missing_note(contest, ((f"{_name(o.a)} − {_name(o.b)}", o) for o in made)),
            *interval_note(one.difference for one in made),
        ),
        record_names=names,
        records=values,
    )


def _all(outcome: Outcome) -> Iterator[tuple[Score, str, Comparison]]:
    for row in outcome.rows:
        yield row.score, row.stratum, row.comparison
    for score in outcome.contest.scores:
        if score.key in outcome.boards:
            for made in outcome.boards[score.key].comparisons:
                yield score, OVERALL, made


def pair_record(made: Comparison) -> tuple[Value, ...]:
    """A comparison for machines."""
    return (
        _name(made.a), _name(made.b), *parts(made.difference), *parts(made.value_a),
        *parts(made.value_b), made.p_permutation, made.p_adjusted, made.p_mcnemar, made.wins,
        made.ties, made.losses, made.n_both, made.difference.n_items, made.only_a, made.only_b,
        made.neither, made.difference.method,
    )  # fmt: skip


def pair_cells(made: Comparison) -> tuple[Cell, ...]:
    """The difference, its p, and how often A wins, ties, loses."""
    low, high = number(made.difference.low), number(made.difference.high)
    bounds = "" if made.difference.low is None else f"[{low}, {high}]"  # a dash would be a minus
    return (
        Cell(value=number(made.difference.value), interval=bounds),
        Cell(value=probability(made.p)),
        slashed(made.wins, made.ties, made.losses),
    )


def _count_columns(contest: Contest) -> tuple[Head, ...]:
    names = ("n",) if contest.item == contest.unit else ("n", contest.item)
    return tuple(Head(name=name) for name in (*names, "missing"))


def _count_cells(contest: Contest, made: Comparison) -> tuple[Cell, ...]:
    counts = [Cell(value=str(made.n_both))]
    if contest.item != contest.unit:
        counts.append(Cell(value=str(made.difference.n_items)))
    return (*counts, slashed(made.only_b, made.only_a, made.neither))


def _name(name: str) -> str:
    return one_line(name) or NO_VALUE


def _better(score: Score) -> Literal["higher", "lower"]:
    return "lower" if score.lower_is_better else "higher"


def _ranks(place: Place) -> str:
    same = place.rank_low == place.rank_high
    return str(place.rank_low) if same else f"{place.rank_low}–{place.rank_high}"


def _verdict(outcome: Outcome, a: str, b: str) -> str:
    """What the score to go by says, in one sentence."""
    made = next(r.comparison for r in outcome.rows if r.score.key == outcome.score.key)
    share = f"{made.difference.level * 100:g} %"
    if made.difference.value is None:
        return f"By {outcome.score.name}: the systems have no {outcome.contest.unit} in common."
    if not made.told_apart:
        return f"By {outcome.score.name}, {a} and {b} cannot be told apart at {share}."
    ahead = (made.difference.value > 0) != made.lower_is_better
    return f"By {outcome.score.name}, {a if ahead else b} is better at {share}."


def _legend(contest: Contest) -> str:
    scores = ", ".join(f"{s.symbol} {s.name} ({_better(s)} is better)" for s in contest.scores)
    return (
        f"{scores}. n: {contest.unit} that both have. W/t/l: where A wins, ties, loses. Missing: "
        "without a value in A/in B/in both; they are in no value."
    )


def _missing_note(contest: Contest, named: Iterable[tuple[str, Comparison]]) -> Iterator[str]:
    """Where A - B lies over all units, for comparisons that lack some."""
    found = [
        f"{name} {extremes(made.difference, ' to ')}"
        for name, made in named
        if made.difference.n_missing and extremes(made.difference)
    ]
    if found:
        yield (
            f"A − B over all {contest.unit}, whatever the missing would have said: "
            f"{'; '.join(found)}."
        )


def _tests(outcome: Outcome, adjusted: Sequence[float | None]) -> Iterator[str]:
    held = f"p: permutation test, {outcome.contest.item} change sign as a whole"
    several = sum(p is not None for p in adjusted)
    over = "strata" if outcome.rows else "pairs"
    yield f"{held}; Holm's over the {several} {over}." if several > 1 else f"{held}."


def _mcnemar_note(contest: Contest, rows: Iterable[ComparedRow]) -> Iterator[str]:
    found = [
        f"{row.score.symbol} {probability(row.comparison.p_mcnemar)}"
        for row in rows
        if row.stratum == OVERALL and row.comparison.p_mcnemar is not None
    ]
    if found:
        caveat = (
            "" if contest.item == contest.unit
            else f", which takes {contest.unit} of the same head for independent"
        )  # fmt: skip
        yield f"McNemar's exact p: {', '.join(found)}{caveat}."


def _board_notes(
    outcome: Outcome, board: LeaderBoard, values: Sequence[dict[str, Estimate]]
) -> Iterator[str]:
    unit = outcome.contest.unit
    yield (
        "Systems that share a letter cannot be told apart. Ranks: those that a system may "
        f"hold, given those that can ({outcome.options.level * 100:g} %, Holm over "
        f"{count(len(board.comparisons), 'pair', 'pairs')})."
    )
    left = f"; {board.n_left_out} that some system lacks are left out" if board.n_left_out else ""
    yield f"Values are over the {board.n_units} {unit} that all systems have{left}."
    yield from interval_note(one for some in values for one in some.values())
    yield from outcome.contest.problems
