"""The tables of graphs that are used for answering: scores, strata, comparisons, published ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from factmark.graphrag.core.records import NONE, TEXT
from factmark.graphrag.core.results import GraphRagResults
from factmark.graphrag.core.scores import VALUES, GraphRagScore, stratum_value
from factmark.model import Estimate
from factmark.stats.comparison import Comparison
from factmark.stats.contest import Contest, LeaderBoard, Outcome, Score
from factmark.tables.columns import Column, table_of
from factmark.tables.comparisons import (
    compare_tables,
    difference_cell,
    missing_side_note,
    probability,
    win_and_loss_columns,
)
from factmark.tables.correction_tables import correction_table
from factmark.tables.layouts import DataTable, extremes_text, interval_note
from factmark.tables.opening import Opening, aside, best_first, brackets, figures, lacking
from factmark.tables.shown_text import NO_VALUE, count, named

SHOWN = 20
"""Values of a stratum that have lines, those with the most questions."""

_CONTROLS = {NONE: "without a graph", TEXT: "from passages alone"}
_LABEL = 60  # characters of a stratum's value
_SCORE = Score(key="score", symbol="score", name="accuracy", per="unit")
_ALONE = (
    "Judge alone is the score above: answers without a verdict are not in it. Corrected, they are: "
    "they count as what people said of such answers."
)


class ScoreRow(NamedTuple):
    """The scores of a system, over all questions or over those of one value of a stratum."""

    system: str
    score: GraphRagScore
    stratum: str = ""
    value: str = ""


_SYSTEM = Column[ScoreRow](name="system", label=True, value=lambda row: named(row.system))
_HEADS = {"path": "on path", "judge": "by judge", "mixed": "mixed", "words": "by words"}
_MEANINGS = {
    "path": "On path: questions of which all triples of a path from their entity to an answer are "
    "in the context.",
    "judge": "By judge: questions whose context holds the answer, says the judge.",
    "mixed": "Mixed: told on the path of some questions, by words of others; a note has counts.",
    "words": "By words: questions whose context has the words of the reference, which says less "
    "than the path to it.",
}


def _told_by(score: GraphRagScore) -> str:
    """How it was told whether contexts hold the answer; empty where it was of none."""
    ways = list(score.retrieval_by)
    return "mixed" if len(ways) > 1 else "".join(ways)


def _shares(rows: Sequence[ScoreRow]) -> tuple[Column[ScoreRow], ...]:
    """Score, retrieval and generation; retrieval in a column for each way in which it was told."""
    ways = [way for way in _HEADS if any(_told_by(row.score) == way for row in rows)]

    def retrieval_column(way: str) -> Column[ScoreRow]:
        return Column[ScoreRow](
            name=_HEADS[way],
            key="" if len(ways) > 1 else "retrieval",
            value=lambda row: (
                row.score.retrieval if len(ways) == 1 or _told_by(row.score) == way else None
            ),
            estimate=len(ways) == 1,
            meaning=_MEANINGS[way],
        )

    plain = Column[ScoreRow](
        name="" if ways else "retrieval",
        key="retrieval",
        value=lambda row: row.score.retrieval,
        estimate=True,
    )
    return (
        Column[ScoreRow](name="score", bounds=True, value=lambda row: row.score.estimate),
        *map(retrieval_column, ways),
        *([] if len(ways) == 1 else [plain]),
        Column[ScoreRow](
            key="retrieval_by",
            value=lambda row: ", ".join(
                f"{number} by {way}" for way, number in row.score.retrieval_by.items()
            ),
        ),
        Column[ScoreRow](name="generation", value=lambda row: row.score.generation),
    )


_COUNTS = (
    Column[ScoreRow](name="in graph", value=lambda row: row.score.in_graph),
    Column[ScoreRow](name="correct", value=lambda row: row.score.correct_answers),
    Column[ScoreRow](
        name="n",
        value=lambda row: row.score.total,
        meaning="Score: correct answers of the n that have a verdict. Generation: "
        "correct among those whose context holds the reference answer. In graph: questions "
        "whose answer the graph holds at all. Missing: answers without a verdict.",
    ),
    Column[ScoreRow](name="missing", value=lambda row: row.score.missing.total),
)
_MISSING = ("undecided", "unparsed", "refused", "failed", "left")
_CONTEXT = (
    _SYSTEM,
    Column[ScoreRow](name="answered", value=lambda row: row.score.answered),
    Column[ScoreRow](name="without", value=lambda row: row.score.without),
    Column[ScoreRow](name="abstained", value=lambda row: row.score.abstention),
    Column[ScoreRow](name="rightly", value=lambda row: row.score.right_abstention),
    Column[ScoreRow](name="right", value=lambda row: row.score.abstained_right),
    Column[ScoreRow](name="overlooked", value=lambda row: row.score.abstained_overlooked),
    Column[ScoreRow](name="not found", value=lambda row: row.score.abstained_not_found),
    Column[ScoreRow](
        name="untold",
        value=lambda row: (
            row.score.abstained_untold
            + row.score.abstained_wrong
            - row.score.abstained_overlooked
            - row.score.abstained_not_found
        ),
        meaning='Answered: correct among the answers that are no "I don\'t know". Without: correct '
        "although the context does not hold the reference answer, known or guessed. Abstained: "
        "says that it does not know; rightly, if the graph does not have the answer (of text: if "
        "the passages do not hold it; of none only the file can tell). Of those that abstained: "
        "right; overlooked, the context held it; not found, in the graph but not in the context; "
        "untold, or wrong but untold which.",
    ),
)
_OF = Column[ScoreRow](
    name="of", label=True, value=lambda row: f"{_label(row.stratum)}: {_label(row.value)}"
)
_OF_COUNTS = (
    Column[ScoreRow](name="n", value=lambda row: row.score.total),
    Column[ScoreRow](
        name="missing",
        value=lambda row: row.score.missing.total,
        meaning="n: answers with a verdict. Many strata make some differ by chance; no test is "
        "made.",
    ),
)
_AGAINST = (
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


def graphrag_opening(results: GraphRagResults) -> Opening:
    """How many questions are answered correctly with each graph, the best first, and without one;
    as people would have judged, where they labelled answers of each system."""
    run, corrections = results.run, results.corrections
    overall = {name: scores.overall for name, scores in results.scores.items()}
    by_people = overall.keys() <= corrections.keys()
    systems: dict[str, list[tuple[str, Estimate]]] = {"graph": [], "control": []}
    for name, kind in results.kinds.items():
        estimate = corrections[name].corrected if by_people else overall[name].estimate
        called = f"with the graph {named(name)}" if kind == "graph" else _CONTROLS[name]
        systems[kind].append((called, estimate))
    shown = [system for group in systems.values() for system in best_first(group)]
    estimates = [estimate for _, estimate in shown]
    asked = max((score.num_queries for score in overall.values()), default=0)
    sentence = f"Of {count(asked, 'question', 'questions')}, "
    if all(estimate.value is None for estimate in estimates):
        sentence += "none has an answer with a verdict, so there is no accuracy"
    else:
        sentence += (
            "a share of "
            + figures(shown, " is answered correctly")
            + aside(
                f"answered by {named(run.model)}, judged by {named(run.judge)}",
                "as people would judge, by their labels of some" * by_people,
                brackets(*estimates),
            )
        )
        missing = sum(score.missing.total for score in overall.values())
        sentence += lacking(
            missing, sum(score.answers for score in overall.values()), "answers without a verdict"
        )
    return Opening(sentence=f"{sentence}.", cautions=results.cautions)


def answer_tables(results: GraphRagResults) -> tuple[DataTable, ...]:
    """Every table: scores, context and abstention, comparisons, leader board, corrections, strata.

    Those that would be empty are left out.
    """
    strata = strata_table(results)
    return (
        scores_table(results),
        context_table(results),
        *([against_table(results)] if results.comparisons else []),
        *board_tables(results),
        *correction_tables(results),
        *([strata] if strata is not None else []),
    )


def _rows(results: GraphRagResults) -> list[ScoreRow]:
    return [ScoreRow(name, scores.overall) for name, scores in results.scores.items()]


def scores_table(results: GraphRagResults) -> DataTable:
    """A line per system: how often it is right, and what it had to answer from."""
    run, rows = results.run, _rows(results)
    title = f"Accuracy of {named(run.model)} with each graph, judged by {named(run.judge)}"
    notes = list(_score_notes(rows))
    ways = {way for row in rows for way in row.score.retrieval_by}
    if len(ways) > 1:
        mixed = [
            f"{named(row.system)} "
            + ", ".join(f"{number} by {way}" for way, number in row.score.retrieval_by.items())
            for row in rows
            if len(row.score.retrieval_by) > 1
        ]
        notes.append(
            "Retrieval is told by words where the file names no path to the answer, or a system "
            "has none: what is told in two ways does not compare, nor does its generation"
            + (f" ({'; '.join(mixed)})." if mixed else ".")
        )
    return table_of(title, (_SYSTEM, *_shares(rows), *_COUNTS), rows, notes=notes)


def context_table(results: GraphRagResults) -> DataTable:
    """A line per system: answers without the context's help, and "I don't know"."""
    return table_of("With and without the answer in the context", _CONTEXT, _rows(results))


def against_table(results: GraphRagResults) -> DataTable:
    """A line per graph and control, on the same questions."""
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
        (*_AGAINST, *win_and_loss_columns(lambda pair: pair)),
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


def strata_table(results: GraphRagResults) -> DataTable | None:
    """A line per value of a stratum and system; None where no stratum has two values.

    Of a stratum with more than `SHOWN` values some are left out, and a note says so: where each
    question has a value of its own, all of them.
    """
    once = {answer.question.id: answer for answer in results.run.answers}.values()
    rows: list[ScoreRow] = []
    notes = []
    for name in dict.fromkeys(name for each in results.scores.values() for name in each.strata):
        counts = Counter(stratum_value(answer, name) for answer in once)
        shown = sorted(counts, key=lambda value: (-counts[value], value))[:SHOWN]
        if len(counts) > SHOWN and max(counts.values()) == 1:
            shown = []
        if len(counts) > len(shown):
            which = f"the {SHOWN} with the most questions are" if shown else "none is"
            kept = "all" if len(counts) <= VALUES else f"{VALUES}"
            notes.append(
                f"{_label(name)} has {len(counts):,} values: {which} shown here, {kept} of them in "
                "graphrag.json."
            )
        rows += [
            ScoreRow(system, scores.strata[name][value], name, value)
            for value in (sorted(shown) if len(counts) > 1 else ())
            for system, scores in results.scores.items()
            if value in scores.strata.get(name, {})
        ]
    if not rows:
        return None
    return table_of(
        "Accuracy by stratum of the questions",
        (_OF, _SYSTEM, *_shares(rows), *_OF_COUNTS),
        rows,
        group=lambda row: (row.stratum, row.value),
        notes=notes,
    )


def _label(text: str) -> str:
    """A name in one line; a long one is cut."""
    whole = named(text)
    return whole if len(whole) <= _LABEL else f"{whole[: _LABEL - 1]}…"


def board_tables(results: GraphRagResults) -> tuple[DataTable, ...]:
    """The ranks of the graphs and their pairs; nothing for one graph."""
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
    board, pairs = compare_tables(
        Outcome(contest=contest, score=_SCORE, rows=(), boards=boards, options=results.options)
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
        (correction_table(f"Accuracy with {named(name)}", corrected, results.annotators), corrected)
        for name, corrected in results.corrections.items()
    )
    return tuple(
        replace(table, notes=(*table.notes, _ALONE)) if corrected.judge_only.n_missing else table
        for table, corrected in tables
    )


def _score_notes(rows: Sequence[ScoreRow]) -> Iterator[str]:
    """How far what is missing could move the scores, and why there is none."""
    scores, retrieval, missing = [], [], []
    undefined: dict[str, list[str]] = {}
    for row in rows:
        counts = {kind: getattr(row.score.missing, kind) for kind in _MISSING}
        if lacking := ", ".join(f"{n} {kind}" for kind, n in counts.items() if n):
            missing.append(f"{named(row.system)} {lacking}")
        score = row.score
        if score.score is None:
            undefined.setdefault(score.reasons["score"], []).append(named(row.system))
        scores.append((row.system, score.estimate, score.missing.total, score.answers))
        untold = score.retrieval.n_missing
        retrieval.append((row.system, score.retrieval, untold, score.num_queries))
    if missing:
        yield f"Missing: {'; '.join(missing)}."
    yield from _bounds(
        "Where the score lies whatever the missing would be, and how many are missing", scores
    )
    yield from _bounds(
        "Where retrieval lies whatever is true of the questions of which it cannot be told, and "
        "how many they are",
        retrieval,
    )
    for reason, names in undefined.items():
        yield f"{NO_VALUE}: no score for {', '.join(names)}: {reason}."


def _bounds(what: str, rows: Iterable[tuple[str, Estimate, int, int]]) -> Iterator[str]:
    bounds = "; ".join(
        f"{named(system)} {extremes_text(estimate)}, {missing} of {total}"
        for system, estimate, missing, total in rows
        if missing and extremes_text(estimate)
    )
    if bounds:
        yield f"{what}: {bounds}."
