"""The tables that set graphs against controls, each other and people's labels."""

from __future__ import annotations

from dataclasses import replace

from factmark.graph_answers.results import GraphRagResults
from factmark.model import Measure
from factmark.report.columns import Column, table_of
from factmark.report.comparisons import (
    compare_tables,
    difference_cell,
    missing_side_note,
    probability,
    win_and_loss_columns,
)
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
    Column[Comparison](name="A", label=True, value=lambda pair: named(pair.a)),
    Column[Comparison](name="B", label=True, value=lambda pair: named(pair.b)),
    Column[Comparison](name="A − B", value=lambda pair: difference_cell(pair.difference)),
    Column[Comparison](name="p", value=lambda pair: probability(pair.p)),
    Column[Comparison](name="McNemar", value=lambda pair: probability(pair.p_mcnemar)),
    Column[Comparison](
        name="n",
        value=lambda pair: pair.n_both,
        meaning="Above 0, the graph is better. n: questions that both have a verdict on.",
    ),
)


def controls_table(results: GraphRagResults) -> DataTable:
    """Returns a table with a line per graph and control, compared on the same questions."""
    pairs = results.comparisons
    several = sum(pair.p_adjusted is not None for pair in pairs)
    holm = f", Holm's over the {several} pairs" if several > 1 else ""
    lacking = [
        f"{named(pair.a)} − {named(pair.b)} {extremes_text(pair.difference, ' to ')}"
        for pair in pairs
        if pair.difference.n_missing and extremes_text(pair.difference)
    ]
    bounds = "; ".join(lacking)
    return table_of(
        "Each graph against the controls, on the same questions",
        (*_CONTROL_COLUMNS, *win_and_loss_columns(lambda pair: pair)),
        pairs,
        notes=(
            f"p: permutation test over questions{holm}. McNemar: exact, by itself; none where "
            "repeats of a question differ.",
            *missing_side_note((f"{named(pair.a)} − {named(pair.b)}", pair) for pair in pairs),
            *(
                [f"A − B over all questions, whatever the missing would have been: {bounds}."]
                if bounds
                else []
            ),
            *interval_note(pair.difference for pair in pairs),
        ),
    )


def board_tables(results: GraphRagResults) -> tuple[DataTable, ...]:
    """Returns the leader board of the graphs and the table of their pairs; nothing for one
    graph."""
    if results.board is None:
        return ()
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
    tables = compare_tables(
        Outcome(contest=contest, score=_SCORE, rows=(), boards=boards, options=results.options)
    )
    if not results.board.places:  # no question that all graphs have a verdict on
        return tables
    board, *pairs = tables
    return (_without_scores(board, results.board), *pairs)


def _without_scores(table: DataTable, board: LeaderBoard) -> DataTable:
    """Returns the leader board without its score, which stands with its interval in the table of
    scores.

    For machines it stays: it is over the questions that all have, and its interval is another.
    """
    left = f"; {board.n_left_out} that some graph lacks are left out" if board.n_left_out else ""
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


def correction_tables(results: GraphRagResults) -> tuple[DataTable, ...]:
    """Returns a table per system that people labelled answers of: its score as their labels correct
    it."""
    tables = (
        (correction_table(f"Accuracy with {named(name)}", corrected, results.annotators), corrected)
        for name, corrected in results.corrections.items()
    )
    return tuple(
        replace(table, notes=(*table.notes, _ALONE)) if corrected.judge_only.n_missing else table
        for table, corrected in tables
    )
