"""The tables of graphs that are used for answering: scores, strata, comparisons, published ones."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from factmark.graphrag.core.results import GraphRagResults
from factmark.graphrag.core.scores import GraphRagScore
from factmark.graphrag.report.records import LOST, RECORDS, record
from factmark.graphrag.report.strata import strata_table
from factmark.graphs.core.published import GRAPHRAG
from factmark.stats.comparison import Comparison
from factmark.stats.contest import Contest, Outcome, Score
from factmark.stats.leader_board import LeaderBoard
from factmark.tables.comparisons import (
    PAIR_RECORDS,
    compare_tables,
    pair_cells,
    pair_record,
    probability,
    slashed,
)
from factmark.tables.corrections import correction_table
from factmark.tables.layouts import (
    Cell,
    DataTable,
    Head,
    Line,
    estimate_cell,
    extremes,
    interval_note,
)
from factmark.tables.shown_text import named, number

_SCORE = Score(key="score", symbol="score", name="accuracy", per="unit")
_ALONE = (
    "Judge alone is the score above: answers without a verdict are not in it. Corrected, they are: "
    "they count as what people said of such answers."
)


def answer_tables(results: GraphRagResults) -> tuple[DataTable, ...]:
    """Every table: scores, context and abstention, comparisons, leader board, corrections, strata.

    Those that would be empty are left out. The published figures are `accuracy_table`.
    """
    return (
        scores_table(results),
        context_table(results),
        *([against_table(results)] if results.comparisons else []),
        *board_tables(results),
        *correction_tables(results),
        *([made] if (made := strata_table(results)) is not None else []),
    )


def scores_table(results: GraphRagResults) -> DataTable:
    """A line per system: how often it is right, and what it had to answer from."""
    found = [(name, scores.overall) for name, scores in results.scores.items()]
    return DataTable(
        title=f"Accuracy of {named(results.model)} with each graph, judged by "
        f"{named(results.judge)}",
        label_names=("system",),
        columns=tuple(
            Head(name=name)
            for name in ("score", "retrieval", "generation", "in graph", "correct", "missing")
        ),
        lines=tuple(
            Line(
                labels=(named(name),),
                cells=(
                    estimate_cell(score.estimate, bounds=True),
                    estimate_cell(score.retrieval),
                    estimate_cell(score.generation),
                    estimate_cell(score.in_graph),
                    slashed(score.correct_answers, score.total),
                    slashed(*(getattr(score.missing, key) for key in LOST)),
                ),
                starts_group=True,
            )
            for name, score in found
        ),
        notes=(*_score_notes(found), *_rules_note(results)),
        record_names=("system", *RECORDS),
        records=tuple((named(name), *record(score)) for name, score in found),
    )


def context_table(results: GraphRagResults) -> DataTable:
    """A line per system: answers without the context's help, and "I don't know"."""
    found = [(name, scores.overall) for name, scores in results.scores.items()]
    return DataTable(
        title="With and without the answer in the context",
        label_names=("system",),
        columns=tuple(
            Head(name=name)
            for name in ("answered", "without", "abstained", "rightly", "r/o/n/u")
        ),
        lines=tuple(
            Line(
                labels=(named(name),),
                cells=(
                    estimate_cell(score.answered),
                    estimate_cell(score.without),
                    estimate_cell(score.abstention),
                    estimate_cell(score.right_abstention),
                    _abstained(score),
                ),
                starts_group=True,
            )
            for name, score in found
        ),
        notes=(
            "Answered: correct among the answers that are no \"I don't know\". Without: correct "
            "although the context does not hold the reference answer, known or guessed. "
            "Abstained: says that it does not know; rightly, if the graph does not have the answer "
            "(of text: if the passages do not hold it; of none only the file can tell). R/o/n/u: "
            "right; overlooked, the context held it; not found, in the graph but not in the "
            "context; untold, or wrong but untold which.",
            *interval_note(
                one
                for _, score in found
                for one in (score.answered, score.without, score.abstention)
            ),
        ),
        record_names=("system", *RECORDS),
        records=tuple((named(name), *record(score)) for name, score in found),
    )  # fmt: skip


def against_table(results: GraphRagResults) -> DataTable:
    """A line per graph and control, on the same questions."""
    made = results.comparisons
    several = sum(one.p_adjusted is not None for one in made)
    return DataTable(
        title="Each graph against the controls, on the same questions",
        label_names=("A", "B"),
        columns=tuple(
            Head(name=name) for name in ("A − B", "p", "w/t/l", "McNemar", "n", "missing")
        ),
        lines=tuple(
            Line(
                labels=(named(one.a), named(one.b)),
                cells=(
                    *pair_cells(one),
                    Cell(value=probability(one.p_mcnemar)),
                    Cell(value=str(one.n_both)),
                    slashed(one.only_b, one.only_a, one.neither),
                ),
                starts_group=True,
            )
            for one in made
        ),
        notes=(
            "Above 0, the graph is better. W/t/l: questions where A wins, ties, loses. n: "
            "questions that both have a verdict on. Missing: without one in A/in B/in both.",
            "p: permutation test over questions"
            + (f", Holm's over the {several} pairs" if several > 1 else "")
            + ". McNemar: exact, by itself; none where repeats of a question differ.",
            *_over_all(made),
            *interval_note(one.difference for one in made),
        ),
        record_names=PAIR_RECORDS,
        records=tuple(map(pair_record, made)),
    )


def board_tables(results: GraphRagResults) -> tuple[DataTable, ...]:
    """The ranks of the graphs and their pairs; nothing for one graph."""
    if results.board is None:
        return ()
    contest = Contest(
        measure="graphrag", item="questions", unit="questions", scores=(_SCORE,),
        systems={}, stratum="", strata={},
    )  # fmt: skip
    board, pairs = compare_tables(
        Outcome(
            contest=contest,
            score=_SCORE,
            rows=(),
            boards={_SCORE.key: results.board},
            options=results.options,
        )
    )
    return _ranks_alone(board, results.board), pairs


def _ranks_alone(table: DataTable, board: LeaderBoard) -> DataTable:
    """The leader board without its score: that stands, with its interval, in the table of scores.

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
    """The score of each system as people's labels correct it."""
    tables = (
        (correction_table(f"Accuracy with {named(name)}", made, results.annotators), made)
        for name, made in results.corrections.items()
    )
    return tuple(
        replace(table, notes=(*table.notes, _ALONE)) if made.judge_only.n_missing else table
        for table, made in tables
    )


def accuracy_table() -> DataTable:
    """What was published for GraphMERT, in percent as printed; every doubt is a numbered note."""
    doubts = list(dict.fromkeys(doubt for one in GRAPHRAG for doubt in one.doubtful))
    return DataTable(
        title="Published accuracy for comparison, in % (GraphMERT, TMLR 2026, ICD-Bench); "
        "not measured here",
        label_names=("system",),
        columns=tuple(Head(name=name) for name in ("accuracy", "questions", "doubts")),
        lines=tuple(
            Line(
                labels=(one.name,),
                cells=(
                    Cell(value=f"{one.accuracy:.1f}"),
                    Cell(value=str(one.questions)),
                    Cell(value=", ".join(str(1 + doubts.index(d)) for d in one.doubtful)),
                ),
                starts_group=True,
            )
            for one in GRAPHRAG
        ),
        notes=tuple(f"Doubt {at}: {doubt}." for at, doubt in enumerate(doubts, 1)),
        record_names=("system", "accuracy", "questions", "doubts"),
        records=tuple(
            (one.name, one.accuracy, one.questions, "; ".join(one.doubtful)) for one in GRAPHRAG
        ),
    )


def _abstained(score: GraphRagScore) -> Cell:
    """How many answers are an "I don't know" that is right, overlooked, not found, untold."""
    told = (score.abstained_right, score.abstained_overlooked, score.abstained_not_found)
    every = score.abstained_right + score.abstained_wrong + score.abstained_untold
    return slashed(*told, every - sum(told))


def _over_all(made: Iterable[Comparison]) -> Iterator[str]:
    """Where A - B lies over all questions, for pairs that lack some."""
    found = [
        f"{named(one.a)} − {named(one.b)} {extremes(one.difference, ' to ')}"
        for one in made
        if one.difference.n_missing and extremes(one.difference)
    ]
    if found:
        yield (
            f"A − B over all questions, whatever the missing would have been: {'; '.join(found)}."
        )


def _rules_note(results: GraphRagResults) -> Iterator[str]:
    """That what is held is measured by two rules, where it is."""
    if any(one.question.triples for one in results.outcomes):
        yield (
            "Retrieval is by two rules: of questions that name their triples, a graph that has "
            "them must have found them all; text, and graphs that have others, are measured by "
            "the words of the reference. Between these, retrieval and generation do not compare."
        )


def _score_notes(found: list[tuple[str, GraphRagScore]]) -> Iterator[str]:
    yield (
        "Score: correct answers of those that have a verdict. Retrieval: questions whose context "
        "holds the reference answer. Generation: correct among these. In graph: questions whose "
        "answer the graph holds at all. Missing: answers without a verdict, "
        "unparsed/refused/failed/left."
    )
    yield from interval_note(
        one for _, score in found for one in (score.estimate, score.retrieval, score.generation)
    )
    lost = [
        f"{named(name)} {extremes(score.estimate)}, {score.missing.total} of {score.answers}"
        for name, score in found
        if score.missing.total and extremes(score.estimate)
    ]
    if lost:
        yield (
            "Where the score lies whatever the missing would be, and how many are missing: "
            f"{'; '.join(lost)}."
        )
    untold = [
        f"{named(name)} {extremes(score.retrieval)}, {score.retrieval.n_missing} of "
        f"{score.num_queries}"
        for name, score in found
        if score.retrieval.n_missing
    ]
    if untold:
        yield (
            "Where retrieval lies whatever is true of the questions of which it cannot be told, "
            f"and how many they are: {'; '.join(untold)}."
        )
    for name, score in found:
        if score.score is None:
            yield f"{named(name)}: no score, {score.reasons['score']} ({number(None)})."
