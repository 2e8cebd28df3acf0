"""The tables of scores of graphs that are used for answering: over all questions, with and without
the answer in the context, by stratum."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from operator import attrgetter
from typing import NamedTuple

from factmark.graph_answers.core.scores import VALUES, GraphRagScore, stratum_value
from factmark.graph_answers.results import GraphRagResults
from factmark.model import Estimate
from factmark.report.columns import Column, attribute_column, table_of
from factmark.report.layouts import DataTable, extremes_text
from factmark.text.shown_text import NO_VALUE, named

SHOWN = 20
"""Values of a stratum that have lines, those with the most questions."""

_LABEL = 60  # characters of a stratum's value
_WITHOUT_VERDICT = ("undecided", "unparsed", "refused", "failed", "left")


class ScoreRow(NamedTuple):
    """The scores of a system, over all questions or over those of one value of a stratum."""

    system: str
    score: GraphRagScore
    stratum: str = ""
    value: str = ""


_SYSTEM = Column[ScoreRow](
    name="system", key="system", label=True, value=lambda row: named(row.system)
)
_RETRIEVAL = {
    "path": (
        "found on path",
        "Found on path: questions of which all triples of a path from their entity to an answer "
        "are in the context.",
    ),
    "judge": (
        "found by judge",
        "Found by judge: questions whose context holds the answer, says the judge.",
    ),
    "mixed": (
        "found by path or words",
        "Found by path or words: on the path of some questions, by words of others; a note has "
        "counts.",
    ),
    "words": (
        "found by words",
        "Found by words: questions whose context has the words of the reference, which says less "
        "than the path to it.",
    ),
}
"""How factmark finds out whether contexts hold the answers -> name and meaning of the column."""


def _estimate_column(name: str, part: str, meaning: str = "") -> Column[ScoreRow]:
    """Returns the column of a part of the score that is an estimate."""
    return attribute_column(f"score.{part}", name, estimate=True, meaning=meaning)


_N = Column[ScoreRow](
    name="n",
    key="n",
    value=attrgetter("score.total"),
    meaning="n: answers that have a verdict; the others are missing.",
)
_MISSING = Column[ScoreRow](name="missing", key="missing", value=attrgetter("score.missing.total"))
_COUNTS = (
    attribute_column("score.correct_answers", ""),
    _N,
    _MISSING,
)
_OF = (
    Column[ScoreRow](
        name="of",
        label=True,
        value=lambda row: f"{_short_name(row.stratum)}: {_short_name(row.value)}",
    ),
    attribute_column("stratum", ""),
    attribute_column("value", ""),
)
_CONTEXT = (
    _SYSTEM,
    _estimate_column(
        "named in graph",
        "named",
        "Named in graph: questions whose answer is a node or literal of the graph, by a name or an "
        "alias.",
    ),
    _estimate_column(
        "reachable",
        "reachable",
        "Reachable: questions that have such a node within as many hops of their entities as are "
        "looked up.",
    ),
    _estimate_column(
        "right, if answered",
        "answered",
        'Right, if answered: correct among the answers that are no "I don\'t know".',
    ),
    _estimate_column(
        "right without context",
        "without",
        "Right without context: correct although the context does not hold the reference answer, "
        "known or guessed.",
    ),
    _estimate_column('"don\'t know"', "abstention"),
    _estimate_column(
        '"don\'t know" is right',
        "right_abstention",
        "\"Don't know\" is right: nothing in the graph bears the answer's name (of text: the "
        "passages do not hold it; of none only the file can tell). Then how many are right, how "
        "many had the answer in their context or only elsewhere in the graph, and of how many none "
        "of it is known.",
    ),
    attribute_column("score.abstained_right", "how many right"),
    attribute_column("score.abstained_overlooked", "had it in context"),
    attribute_column("score.abstained_not_found", "in graph only"),
    Column[ScoreRow](
        name="not known which",
        key="abstained_not_known",
        value=lambda row: _abstained_not_known(row.score),
    ),
)


_PASSAGE_RECALL = (
    _SYSTEM,
    _estimate_column("recall@2", "recall_2"),
    _estimate_column("recall@5", "recall_5"),
    _estimate_column(
        "recall@k",
        "recall",
        "Recall@k: share of the passages that support the answer among all that are given, or that "
        "the triples are from; @2 and @5: among the first of them.",
    ),
    _estimate_column("all supports", "supported", "All supports: questions with all of them."),
    _estimate_column(
        "answer recall",
        "answer_recall",
        "Answer recall: of these questions those whose context has the words of a reference.",
    ),
)


def _abstained_not_known(score: GraphRagScore) -> int:
    """Returns of how many abstentions nobody knows where the answer was."""
    placed = score.abstained_overlooked + score.abstained_not_found
    return score.abstained_untold + score.abstained_wrong - placed


def scores_table(results: GraphRagResults) -> DataTable:
    """Returns a table with a line per system: how often it is right, and what it had to answer
    from."""
    run = results.run
    rows = _score_rows(results)
    return table_of(
        f"Accuracy of {named(run.model)} with each graph, judged by {named(run.judge)}",
        (_SYSTEM, *_shares(rows), *_COUNTS),
        rows,
        notes=[*_missing_notes(rows), *_ways_note(rows)],
    )


def context_table(results: GraphRagResults) -> DataTable:
    """Returns a table with a line per system: correct answers without the context's help, and "I
    don't know"."""
    return table_of("With and without the answer in the context", _CONTEXT, _score_rows(results))


def passages_table(results: GraphRagResults) -> DataTable | None:
    """Returns a table with a line per system: how many of the passages that support the answers are
    given; None where the file names none."""
    rows = []
    for row in _score_rows(results):
        if row.score.recall.n_items:
            rows.append(row)
    if not rows:
        return None
    return table_of("Passages that support the answers", _PASSAGE_RECALL, rows)


def strata_table(results: GraphRagResults) -> DataTable | None:
    """Returns a table with a line per value of a stratum and system; None if no stratum has two
    values.

    Of a stratum with more than `SHOWN` values some are left out, and a note says so: where each
    question has a value of its own, all of them.
    """
    answers = {answer.question.id: answer for answer in results.run.answers}.values()
    rows: list[ScoreRow] = []
    notes: list[str] = []
    for name in dict.fromkeys(name for each in results.scores.values() for name in each.strata):
        counts = Counter(stratum_value(answer, name) for answer in answers)
        shown = _shown_values(counts)
        if len(counts) > len(shown):
            notes.append(_left_out_note(name, len(counts), shown))
        if len(counts) > 1:
            rows += _rows_of_stratum(results, name, shown)
    if not rows:
        return None
    return table_of(
        "Accuracy by stratum of the questions",
        (*_OF, _SYSTEM, *_shares(rows), _N, _MISSING),
        rows,
        group=lambda row: (row.stratum, row.value),
        notes=["Many strata make some differ by chance; no test is made.", *notes],
    )


def _shown_values(counts: Counter[str]) -> list[str]:
    """Returns the values of a stratum that have lines, sorted; none where each question has a value
    of its own."""
    if len(counts) > SHOWN and max(counts.values()) == 1:
        return []
    most = sorted(counts, key=lambda value: (-counts[value], value))
    return sorted(most[:SHOWN])


def _rows_of_stratum(
    results: GraphRagResults, name: str, values: Sequence[str]
) -> Iterator[ScoreRow]:
    """Yields the scores of each system over each of these values of a stratum."""
    for value in values:
        for system, scores in results.scores.items():
            score = scores.strata.get(name, {}).get(value)
            if score is not None:
                yield ScoreRow(system, score, name, value)


def _left_out_note(name: str, total: int, shown: Sequence[str]) -> str:
    """Returns how many values of a stratum have no line, and where they are."""
    which = "none is"
    if shown:
        which = f"the {SHOWN} with the most questions are"
    if total <= VALUES:
        kept = "all"
    else:
        kept = f"{VALUES}"
    return (
        f"{_short_name(name)} has {total:,} values: {which} shown here, {kept} of them in "
        "results.json."
    )


def _short_name(text: str) -> str:
    """Returns a name in one line, cut if it is long."""
    whole = named(text)
    if len(whole) <= _LABEL:
        return whole
    return f"{whole[: _LABEL - 1]}…"


def _score_rows(results: GraphRagResults) -> list[ScoreRow]:
    """Returns the scores of each system over all questions."""
    score_rows = []
    for name, scores in results.scores.items():
        score_rows.append(ScoreRow(name, scores.overall))
    return score_rows


def _way_of(score: GraphRagScore) -> str:
    """Returns how factmark found out whether contexts hold the answers, as a key of `_RETRIEVAL`;
    empty where no question has a path or a reference."""
    ways = list(score.retrieval_by)
    if len(ways) > 1:
        return "mixed"
    return "".join(ways)


def _shares(rows: Sequence[ScoreRow]) -> Iterator[Column[ScoreRow]]:
    """Yields the columns of score, retrieval and generation; for people retrieval has a column for
    each way in which factmark found it out."""
    yield Column(
        name="score",
        key="score",
        value=lambda row: row.score.estimate,
        estimate=True,
        bounds=True,
    )
    present = {_way_of(row.score) for row in rows}
    ways = [way for way in _RETRIEVAL if way in present]
    if len(ways) == 1:
        yield _estimate_column(_RETRIEVAL[ways[0]][0], "retrieval", _RETRIEVAL[ways[0]][1])
    else:
        for way in ways:
            yield _retrieval_column(way)
        yield _estimate_column("" if ways else "retrieval", "retrieval")
    yield Column(key="retrieval_by", value=lambda row: _ways_in_words(row.score))
    yield _estimate_column(
        "right, if found",
        "generation",
        "Right, if found: correct among those whose context holds the answer.",
    )


def _retrieval_column(way: str) -> Column[ScoreRow]:
    """Returns the column, for people alone, of retrieval found out in this way."""
    name, meaning = _RETRIEVAL[way]

    def value(row: ScoreRow) -> Estimate | None:
        if _way_of(row.score) == way:
            return row.score.retrieval
        return None

    return Column(name=name, value=value, meaning=meaning)


def _ways_in_words(score: GraphRagScore) -> str:
    """Returns of how many questions retrieval is known in which way, as `3 by path, 2 by words`."""
    return ", ".join(f"{number} by {way}" for way, number in score.retrieval_by.items())


def _ways_note(rows: Sequence[ScoreRow]) -> Iterator[str]:
    """Yields that retrieval does not compare where systems have it in different ways."""
    ways: set[str] = set()
    for row in rows:
        ways.update(row.score.retrieval_by)
    if len(ways) < 2:
        return
    mixed = []
    for row in rows:
        if len(row.score.retrieval_by) > 1:
            mixed.append(f"{named(row.system)} {_ways_in_words(row.score)}")
    which = ""
    if mixed:
        which = f" ({'; '.join(mixed)})"
    yield (
        "Retrieval goes by words where the file names no path to the answer, or a system has none: "
        f'the two ways do not compare, nor does "right, if found"{which}.'
    )


def _missing_notes(rows: Sequence[ScoreRow]) -> Iterator[str]:
    """Yields how far what is missing could move the scores, and why there are none."""
    missing = [f"{named(row.system)} {why}" for row in rows if (why := _missing_words(row.score))]
    if missing:
        yield f"Missing: {'; '.join(missing)}."
    yield from _bounds_note(
        "Where the score lies whatever the missing would be, and how many are missing",
        [
            (row.system, row.score.estimate, row.score.missing.total, row.score.answers)
            for row in rows
        ],
    )
    yield from _bounds_note(
        "Where retrieval lies whatever is true of the questions of which it is not known, and how "
        "many they are",
        [
            (row.system, row.score.retrieval, row.score.retrieval.n_missing, row.score.num_queries)
            for row in rows
        ],
    )
    undefined: dict[str, list[str]] = {}
    for row in rows:
        if row.score.score is None:
            undefined.setdefault(row.score.reasons["score"], []).append(named(row.system))
    for reason, names in undefined.items():
        yield f"{NO_VALUE}: no score for {', '.join(names)}: {reason}."


def _missing_words(score: GraphRagScore) -> str:
    """Returns how many answers have no verdict and why, as `2 unparsed, 1 failed`."""
    counts = {kind: getattr(score.missing, kind) for kind in _WITHOUT_VERDICT}
    return ", ".join(f"{n} {kind}" for kind, n in counts.items() if n)


def _bounds_note(what: str, rows: Iterable[tuple[str, Estimate, int, int]]) -> Iterator[str]:
    """Yields a note with the range of each estimate that lacks values; nothing if none does."""
    bounds = "; ".join(
        f"{named(system)} {extremes_text(estimate)}, {missing} of {total}"
        for system, estimate, missing, total in rows
        if missing and extremes_text(estimate)
    )
    if bounds:
        yield f"{what}: {bounds}."
