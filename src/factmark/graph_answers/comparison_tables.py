"""The tables that set graphs against controls, each other and people's labels."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from factmark.graph_answers.results import GraphRagResults
from factmark.model import Measure
from factmark.report.columns import Column, table_of
from factmark.report.comparisons import (
    missing_side_note,
    named_tables,
    p_of_pair,
    probability,
    win_and_loss_columns,
)
from factmark.report.corrected_comparisons import difference_cell
from factmark.report.correction_tables import correction_table
from factmark.report.layouts import DataTable, extremes_text, interval_note
from factmark.stats.comparison import Comparison
from factmark.stats.contest import Contest, LeaderBoard, Outcome
from factmark.text.shown_text import named

_SCORE = Measure(key="score", symbol="score", name="accuracy")
_ALONE = (
    "Judge alone is the score above: answers without a verdict are not in it. Corrected, they are: "
    "they count as what people said of such answers."
)
_CONTROL_COLUMNS = (
    Column[Comparison](name="A", key="a", label=True, value=lambda pair: named(pair.a)),
    Column[Comparison](name="B", key="b", label=True, value=lambda pair: named(pair.b)),
    Column[Comparison](name="A − B", value=lambda pair: difference_cell(pair.difference)),
    Column[Comparison](key="difference", value=lambda pair: pair.difference, estimate=True),
    Column[Comparison](name="p", value=p_of_pair),
    Column[Comparison](key="p", value=lambda pair: pair.p),
    Column[Comparison](
        name="McNemar", key="p_mcnemar", value=lambda pair: pair.p_mcnemar, show=probability
    ),
    Column[Comparison](
        name="n",
        key="n",
        value=lambda pair: pair.n_both,
        meaning="Above 0, the graph is better. n: questions that both have a verdict on.",
    ),
)


def controls_table(results: GraphRagResults) -> DataTable:
    """Returns a table with a line per graph and control, compared on the same questions."""
    pairs = results.comparisons
    return table_of(
        "Each graph against the controls, on the same questions",
        (*_CONTROL_COLUMNS, *win_and_loss_columns(lambda pair: pair)),
        pairs,
        notes=tuple(_control_notes(pairs)),
    )


def _control_notes(pairs: Sequence[Comparison]) -> Iterator[str]:
    """Yields how p is made, what a side lacks, and how far that could move the differences."""
    several = sum(pair.p_adjusted is not None for pair in pairs)
    holm = ""
    if several > 1:
        holm = f", Holm's over the {several} pairs"
    yield (
        f"p: permutation test over questions{holm}. McNemar: exact, by itself; none where repeats "
        "of a question differ."
    )
    yield from missing_side_note((f"{named(pair.a)} − {named(pair.b)}", pair) for pair in pairs)
    bounds = []
    for pair in pairs:
        if pair.difference.n_missing and extremes_text(pair.difference):
            bounds.append(
                f"{named(pair.a)} − {named(pair.b)} {extremes_text(pair.difference, ' to ')}"
            )
    if bounds:
        yield (
            f"A − B over all questions, whatever the missing would have been: {'; '.join(bounds)}."
        )
    yield from interval_note(pair.difference for pair in pairs)


def board_tables(results: GraphRagResults) -> dict[str, DataTable]:
    """Returns the leader board of the graphs and the table of their pairs, by name; nothing for one
    graph."""
    if results.board is None:
        return {}
    contest = Contest(
        measure="graphrag",
        item="questions",
        unit="questions",
        scores=(_SCORE,),
        systems={},
        stratum="",
        strata={},
    )
    boards = {_SCORE.key: results.board}
    tables = named_tables(
        Outcome(contest=contest, score=_SCORE, rows=(), boards=boards, options=results.options)
    )
    if "board" in tables:  # not where no question has a verdict on all graphs
        tables["board"] = _without_scores(tables["board"], results.board)
    return tables


def _without_scores(table: DataTable, board: LeaderBoard) -> DataTable:
    """Returns the leader board without its score, which stands with its interval in the table of
    scores.

    For machines it stays: it is over the questions that all have, and its interval is another.
    """
    left = ""
    if board.n_left_out:
        left = f"; {board.n_left_out} that some graph lacks are left out"
    return replace(
        table,
        columns=table.columns[1:],
        lines=tuple(replace(line, cells=line.cells[1:]) for line in table.lines),
        notes=(
            table.notes[0],
            f"Ranks are by the score over the {board.n_units} questions that all graphs have a "
            f"verdict on{left}. Scores and their intervals stand above.",
        ),
    )


def correction_tables(results: GraphRagResults) -> dict[str, DataTable]:
    """Returns a table per system that people labelled answers of: its score as their labels correct
    it."""
    tables = {}
    for name, corrected in results.corrections.items():
        title = f"Accuracy with {named(name)}"
        table = correction_table(title, corrected, results.annotators)
        if corrected.judge_only.n_missing:
            table = replace(table, notes=(*table.notes, _ALONE))
        tables[name] = table
    return tables
