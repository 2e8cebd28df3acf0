"""The tables of graphs that are used for answering, and the columns of answers and contexts."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from factmark.files.flat_files import json_text, to_json_value
from factmark.graph_answers.comparison_tables import board_tables, controls_table, correction_tables
from factmark.graph_answers.core.records import NONE, TEXT, GraphAnswer, RetrievedTriple
from factmark.graph_answers.core.scores import VALUES, GraphRagScore, stratum_value
from factmark.graph_answers.results import GraphRagResults
from factmark.graphs.published import accuracy_table, is_medical
from factmark.model import Estimate
from factmark.report.columns import Column, table_of
from factmark.report.layouts import DataTable, extremes_text
from factmark.report.sentence import FirstSentence, aside, best_first, brackets, figures, lacking
from factmark.text.shown_text import NO_VALUE, count, named

SHOWN = 20
"""Values of a stratum that have lines, those with the most questions."""

_CONTROL_WORDS = {NONE: "without a graph", TEXT: "from passages alone"}
_LABEL = 60  # characters of a stratum's value


class ScoreRow(NamedTuple):
    """The scores of a system, over all questions or over those of one value of a stratum."""

    system: str
    score: GraphRagScore
    stratum: str = ""
    value: str = ""


_SYSTEM = Column[ScoreRow](name="system", label=True, value=lambda row: named(row.system))
_HEADS = {
    "path": "found on path",
    "judge": "found by judge",
    "mixed": "found by path or words",
    "words": "found by words",
}
_MEANINGS = {
    "path": "Found on path: questions of which all triples of a path from their entity to an "
    "answer are in the context.",
    "judge": "Found by judge: questions whose context holds the answer, says the judge.",
    "mixed": "Found by path or words: told on the path of some questions, by words of others; a "
    "note has counts.",
    "words": "Found by words: questions whose context has the words of the reference, which says "
    "less than the path to it.",
}


def _way_of_telling(score: GraphRagScore) -> str:
    """Returns the way in which it was told whether contexts hold the answers, as a key of `_HEADS`;
    `mixed` for several ways, empty where it was told for no question."""
    ways = list(score.retrieval_by)
    return "mixed" if len(ways) > 1 else "".join(ways)


def _shares(rows: Sequence[ScoreRow]) -> tuple[Column[ScoreRow], ...]:
    """Score, retrieval and generation; retrieval in a column for each way in which it was told."""
    ways = [way for way in _HEADS if any(_way_of_telling(row.score) == way for row in rows)]

    def retrieval_column(way: str) -> Column[ScoreRow]:
        return Column[ScoreRow](
            name=_HEADS[way],
            key="" if len(ways) > 1 else "retrieval",
            value=lambda row: (
                row.score.retrieval if len(ways) == 1 or _way_of_telling(row.score) == way else None
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
        Column[ScoreRow](
            name="right, if found",
            value=lambda row: row.score.generation,
            meaning="Right, if found: correct among those whose context holds the answer.",
        ),
    )


_COUNTS = (
    Column[ScoreRow](
        name="in graph",
        value=lambda row: row.score.in_graph,
        meaning="In graph: questions whose answer the graph holds at all.",
    ),
    Column[ScoreRow](name="correct", value=lambda row: row.score.correct_answers),
    Column[ScoreRow](
        name="n",
        value=lambda row: row.score.total,
        meaning="n: answers that have a verdict; the others are missing.",
    ),
    Column[ScoreRow](name="missing", value=lambda row: row.score.missing.total),
)
_MISSING = ("undecided", "unparsed", "refused", "failed", "left")
_CONTEXT = (
    _SYSTEM,
    Column[ScoreRow](
        name="right, if answered",
        value=lambda row: row.score.answered,
        meaning='Right, if answered: correct among the answers that are no "I don\'t know".',
    ),
    Column[ScoreRow](
        name="right without context",
        value=lambda row: row.score.without,
        meaning="Right without context: correct although the context does not hold the reference "
        "answer, known or guessed.",
    ),
    Column[ScoreRow](name='"don\'t know"', value=lambda row: row.score.abstention),
    Column[ScoreRow](
        name='"don\'t know" is right',
        value=lambda row: row.score.right_abstention,
        meaning='"Don\'t know" is right: the graph does not have the answer (of text: the passages '
        "do not hold it; of none only the file can tell). Then how many are right, how many had "
        "the answer in their context or only elsewhere in the graph, and of how many none of it "
        "can be told.",
    ),
    Column[ScoreRow](name="how many right", value=lambda row: row.score.abstained_right),
    Column[ScoreRow](name="had it in context", value=lambda row: row.score.abstained_overlooked),
    Column[ScoreRow](name="in graph only", value=lambda row: row.score.abstained_not_found),
    Column[ScoreRow](
        name="not known which",
        value=lambda row: (
            row.score.abstained_untold
            + row.score.abstained_wrong
            - row.score.abstained_overlooked
            - row.score.abstained_not_found
        ),
    ),
)
_OF = Column[ScoreRow](
    name="of", label=True, value=lambda row: f"{_short_name(row.stratum)}: {_short_name(row.value)}"
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


def graphrag_opening(results: GraphRagResults) -> FirstSentence:
    """Returns the report's first sentence: how many questions are answered correctly with each
    graph, the best first, and without one; as people would have judged, if they labelled answers of
    each system."""
    run, corrections = results.run, results.corrections
    overall = {name: scores.overall for name, scores in results.scores.items()}
    by_people = overall.keys() <= corrections.keys()
    systems: dict[str, list[tuple[str, Estimate]]] = {"graph": [], "control": []}
    for name, kind in results.kinds.items():
        estimate = corrections[name].corrected if by_people else overall[name].estimate
        called = f"with the graph {named(name)}" if kind == "graph" else _CONTROL_WORDS[name]
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
    return FirstSentence(sentence=f"{sentence}.", cautions=results.cautions)


def answer_tables(results: GraphRagResults) -> tuple[DataTable, ...]:
    """Returns every table: scores, context and abstention, comparisons, leader board, corrections,
    strata.

    Those that would be empty are left out.
    """
    strata = strata_table(results)
    return (
        scores_table(results),
        context_table(results),
        *([controls_table(results)] if results.comparisons else []),
        *board_tables(results),
        *correction_tables(results),
        *([strata] if strata is not None else []),
    )


def published_accuracy(results: GraphRagResults) -> DataTable | None:
    """Returns published accuracies where the triples that were found are of medicine, as those of
    the publication are; else None."""
    contexts = (answer.given.context for answer in results.run.answers)
    facts = (fact for context in contexts if context is not None for fact in context.facts)
    return accuracy_table() if is_medical(fact.triple.relation for fact in facts) else None


def _score_rows(results: GraphRagResults) -> list[ScoreRow]:
    """Returns the scores of each system over all questions."""
    return [ScoreRow(name, scores.overall) for name, scores in results.scores.items()]


def scores_table(results: GraphRagResults) -> DataTable:
    """Returns a table with a line per system: how often it is right, and what it had to answer
    from."""
    run, rows = results.run, _score_rows(results)
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
            'has none: what is told in two ways does not compare, nor does "right, if found"'
            + (f" ({'; '.join(mixed)})." if mixed else ".")
        )
    return table_of(title, (_SYSTEM, *_shares(rows), *_COUNTS), rows, notes=notes)


def context_table(results: GraphRagResults) -> DataTable:
    """Returns a table with a line per system: correct answers without the context's help, and "I
    don't know"."""
    return table_of("With and without the answer in the context", _CONTEXT, _score_rows(results))


def strata_table(results: GraphRagResults) -> DataTable | None:
    """Returns a table with a line per value of a stratum and system; None if no stratum has two
    values.

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
                f"{_short_name(name)} has {len(counts):,} values: {which} shown here, {kept} of "
                "them in graphrag.json."
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


def _short_name(text: str) -> str:
    """Returns a name in one line, cut if it is long."""
    whole = named(text)
    return whole if len(whole) <= _LABEL else f"{whole[: _LABEL - 1]}…"


def _score_notes(rows: Sequence[ScoreRow]) -> Iterator[str]:
    """Yields how far what is missing could move the scores, and why there are none."""
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
    yield from _bounds_note(
        "Where the score lies whatever the missing would be, and how many are missing", scores
    )
    yield from _bounds_note(
        "Where retrieval lies whatever is true of the questions of which it cannot be told, and "
        "how many they are",
        retrieval,
    )
    for reason, names in undefined.items():
        yield f"{NO_VALUE}: no score for {', '.join(names)}: {reason}."


def _bounds_note(what: str, rows: Iterable[tuple[str, Estimate, int, int]]) -> Iterator[str]:
    """Yields a note with the range of each estimate that lacks values; nothing if none does."""
    bounds = "; ".join(
        f"{named(system)} {extremes_text(estimate)}, {missing} of {total}"
        for system, estimate, missing, total in rows
        if missing and extremes_text(estimate)
    )
    if bounds:
        yield f"{what}: {bounds}."


class RetrievedText(NamedTuple):
    """A triple, or a passage by its id and text, at its place (from 0) in an answer's context."""

    place: int
    carries: bool
    fact: RetrievedTriple | None = None
    passage: tuple[str, str] | None = None

    @property
    def passage_id(self) -> str | None:
        """The passage's id, or that of the passage which the triple is from."""
        if self.passage is not None:
            return self.passage[0]
        return (self.fact.triple.passage_id or None) if self.fact else None


FACT_COLUMNS: Mapping[str, tuple[str, Callable[[RetrievedText], Any]]] = {
    "rank": ("BIGINT", lambda row: row.place + 1),
    "head": ("VARCHAR", lambda row: row.fact and row.fact.triple.head),
    "relation": ("VARCHAR", lambda row: row.fact and row.fact.triple.relation),
    "tail": ("VARCHAR", lambda row: row.fact and row.fact.triple.tail),
    "claim": ("VARCHAR", lambda row: row.fact and row.fact.text),
    "score": (
        "DOUBLE",
        lambda row: row.fact.score if row.fact and math.isfinite(row.fact.score) else None,
    ),
    "hops": ("BIGINT", lambda row: row.fact and row.fact.hops),
    "carries": ("BOOLEAN", lambda row: row.carries),
    "passage_id": ("VARCHAR", lambda row: row.passage_id),
    "passage": ("VARCHAR", lambda row: row.passage and row.passage[1]),
    "triple_id": ("VARCHAR", lambda row: (row.fact and row.fact.triple.id) or None),
}
"""Column of a triple or passage that was retrieved -> its type in SQL, its value."""


def facts_of(answer: GraphAnswer) -> list[dict[str, Any]]:
    """Returns the triples or passages of an answer's context by `FACT_COLUMNS`, without empty
    values."""
    given = answer.given
    facts = given.context.facts if given.context else ()
    rows = [
        RetrievedText(place, place in given.carriers, fact) for place, fact in enumerate(facts)
    ] or [
        RetrievedText(place, place in given.carriers, passage=passage)
        for place, passage in enumerate(given.passages)
    ]
    order = ("rank", "carries", *FACT_COLUMNS)
    values = [{name: FACT_COLUMNS[name][1](row) for name in order} for row in rows]
    return [{name: v for name, v in row.items() if v is not None} for row in values]


def _json(value: object) -> str:
    """Returns a record or list as JSON text."""
    return json_text(to_json_value(value))


ANSWER_COLUMNS: Mapping[str, tuple[str, Callable[[GraphAnswer], Any]]] = {
    "question": ("VARCHAR", lambda answer: answer.question.id),
    "system": ("VARCHAR", lambda answer: answer.system),
    "sample": ("BIGINT", lambda answer: answer.sample),
    "kind": ("VARCHAR", lambda answer: answer.question.kind),
    "text": ("VARCHAR", lambda answer: answer.question.text),
    "options": ("VARCHAR", lambda answer: _json(answer.question.options)),
    "references": ("VARCHAR", lambda answer: _json(answer.question.references)),
    "strata": ("VARCHAR", lambda answer: _json(answer.question.strata)),
    "status": ("VARCHAR", lambda answer: answer.status),
    "label": ("VARCHAR", lambda answer: answer.label),
    "value": ("DOUBLE", lambda answer: answer.value),
    "reason": ("VARCHAR", lambda answer: answer.reason),
    "reply": ("VARCHAR", lambda answer: answer.reply),
    "said": ("VARCHAR", lambda answer: answer.said),
    "abstained": ("BOOLEAN", lambda answer: answer.abstained),
    "held": ("BOOLEAN", lambda answer: answer.held),
    "held_by": ("VARCHAR", lambda answer: answer.held_by or None),
    "in_graph": ("BOOLEAN", lambda answer: answer.given.in_graph),
    "context": ("VARCHAR", lambda answer: _json(facts_of(answer))),
    "carriers": ("VARCHAR", lambda answer: _json(answer.given.carriers)),
    "linked": ("VARCHAR", lambda answer: _json(answer.given.linked)),
    "unit": ("VARCHAR", lambda answer: answer.unit),
}
"""Column of the files of answers -> its type in SQL, its value; lists are JSON text, `carriers` are
places in `context`."""


def answer_row(answer: GraphAnswer) -> dict[str, Any]:
    """Returns an answer as one flat row."""
    return {name: value(answer) for name, (_, value) in ANSWER_COLUMNS.items()}


_QUESTION_COLUMNS: Mapping[str, tuple[str, Callable[[GraphAnswer], Any]]] = {
    "question_id": ("VARCHAR", lambda answer: answer.question.id),
    "question": ("VARCHAR", lambda answer: answer.question.text),
    "kind": ("VARCHAR", lambda answer: answer.question.kind),
    "system": ("VARCHAR", lambda answer: answer.system),
}
_HOLDING_COLUMNS: Mapping[str, tuple[str, Callable[[GraphAnswer], Any]]] = {
    "held": ("BOOLEAN", lambda answer: answer.held),
    "held_by": ("VARCHAR", lambda answer: answer.held_by or None),
    "in_graph": ("BOOLEAN", lambda answer: answer.given.in_graph),
}
CONTEXT_COLUMNS: Mapping[str, str] = {
    name: kind
    for columns in (_QUESTION_COLUMNS, FACT_COLUMNS, _HOLDING_COLUMNS)
    for name, (kind, _) in columns.items()
}
"""Column of a table of contexts -> its type in SQL."""


def context_rows(answers: Iterable[GraphAnswer]) -> Iterator[dict[str, Any]]:
    """Yields a row for each question, system and rank; further samples of an answer add none.

    A question for which nothing was found has one row without a rank. What is unknown is None.
    """
    once: dict[tuple[str, str], GraphAnswer] = {}
    for answer in answers:
        once.setdefault((answer.question.id, answer.system), answer)
    for answer in once.values():
        columns = {**_QUESTION_COLUMNS, **_HOLDING_COLUMNS}
        about = {name: value(answer) for name, (_, value) in columns.items()}
        for fact in facts_of(answer) or [{}]:
            yield dict.fromkeys(CONTEXT_COLUMNS) | about | fact
