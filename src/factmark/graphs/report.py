"""The report on a judged graph, declared: first sentence, tables, columns, figures, cards."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from operator import attrgetter
from typing import Any

from factmark.graphs.core.claims import relation_key
from factmark.graphs.core.scores import LEAST_DECIDED, MEASURES
from factmark.graphs.published import is_medical, published_figures, published_table
from factmark.graphs.results import SHOWN, GraphResults, GraphRow, RowsOnDemand
from factmark.graphs.score_tables import (
    OVERALL,
    ScoreLine,
    count_figures,
    score_chart,
    score_columns,
    stopped_words,
    verdicts_of,
)
from factmark.model import Estimate, Measure
from factmark.report.charts import NO_VERDICT, BarChart, DotChart
from factmark.report.columns import Column, table_of
from factmark.report.correction_tables import CORRECTED, by_people, correction_table
from factmark.report.file_columns import FileColumn, attributes, with_given_columns
from factmark.report.layouts import DataTable
from factmark.report.page import Figure, Filters, Page, spent_figures
from factmark.report.result import Result
from factmark.report.sentence import FirstSentence, aside, brackets, figure, lacking
from factmark.text.shown_text import NO_VALUE, count, listed, named

UNITS = {"factscore": ("pair", "pairs"), "validity": ("triple", "triples")}
PAIRS = "pairs"
UNIQUE = "unique triples"
_REASONED = {"f1": "F1", "strict_score": "strict score"}
_LIMITS = {
    "factscore": (
        "Contradicted pairs count in the score and not in the recall, as in the published "
        "definition.",
        "A triple can be true and not supported: the passage is all that counts, unless the judge "
        "was told to accept general truth.",
    ),
    "validity": (
        "Validity asks whether a relation may join such things, not whether the triple is true.",
        "The score counts a maybe as half; the paper's figure is the strict score, the share of "
        "yes.",
    ),
}

ROW_COLUMNS: tuple[FileColumn[GraphRow], ...] = (
    *attributes("id", "place", "head", "relation", "tail", "claim", "passage_id"),
    *attributes("passage", long=True),
    *attributes("status", "label", "reason", "truth", "repeats", "unit"),
)


def graph_report(results: GraphResults) -> Result:
    """Returns the result of a judged graph in all its forms."""
    measure = MEASURES[results.measure]
    corrected = results.correction
    averages = {measure.name: results.scores.pairs.estimate}
    if results.whole is not None:
        averages[f"{measure.name} of the whole graph"] = results.whole
    tables = {"scores": graph_table(results)}
    if results.profile is not None:
        tables = {**results.profile.tables, **tables}
    if corrected is not None:
        averages[CORRECTED] = corrected.corrected
        table = correction_table(measure.name, corrected, results.annotators)
        tables = {"corrected": table, **tables}
    return Result(
        measure=replace(measure, key=results.measure),
        subject=results.graph,
        judge=results.judge,
        averages=averages,
        tables=tables,
        rows=results.rows,
        columns=row_columns(results),
        page=lambda: _page(results),
        sentence=first_sentence(results),
        next_step=_next_step(results),
        spent={"judging": results.spent.as_json()},
        problems=results.problems,
        signature=results.signature,
        figures=_figures(results),
        published=_published_names(results),
        details=results,
        mapping=results.mapping,
    )


def row_columns(results: GraphResults) -> tuple[FileColumn[GraphRow], ...]:
    """Returns the columns of the rows: ours, then those of the input that were not read."""
    rows = results.rows
    if isinstance(rows, RowsOnDemand) and not rows.have_more:
        return ROW_COLUMNS
    return with_given_columns(ROW_COLUMNS, rows, attrgetter("given"))


def first_sentence(results: GraphResults) -> FirstSentence:
    """Returns the score in a sentence, as people would have given it if they labelled units."""
    scores = results.scores
    corrected = results.correction
    judge = named(results.judge)
    measure = MEASURES[results.measure]
    units = scores.main.n_units
    best = scores.main.estimate
    of_what = ""
    how = f"judged by {judge}"
    if corrected is not None:
        best = corrected.corrected
        how = by_people(corrected, judge)
    elif results.whole is not None:
        best = results.whole
        of_what = " of the whole graph"
        how += f", of whose triples {units:,} were drawn"
    if best.value is None:
        sentence = f"There is no {measure.name} by {judge}: {scores.main.reasons['score']}"
        if results.profile is not None:
            sentence += f". {results.profile.sentence.sentence.removesuffix('.')}"
    else:
        triples = "its triples"
        if not of_what:
            triples = _triples_scored(results, best)
        sentence = (
            f"{measure.name}{of_what} is {figure(best)}: that share of {triples} "
            f"{_predicate(results)}, {how}{aside(brackets(best))}"
            f"{lacking(results.left, units + results.left, 'not judged yet')}"
        )
    return FirstSentence(sentence=f"{sentence}.", cautions=results.cautions)


def _triples_scored(results: GraphResults, best: Estimate) -> str:
    """Returns how many triples a score is over, and of how many where some have no verdict."""
    main = results.scores.main
    if results.correction is not None or not main.n_missing:
        return count(best.n_units, "triple", "triples")
    return f"the {main.n_labelled:,} of {count(main.n_units, 'triple', 'triples')} with a verdict"


def _predicate(results: GraphResults) -> str:
    """Returns what the score is the share of triples that does, and whether none has a passage."""
    if results.measure == "validity":
        return "uses its relation as the ontology allows, a maybe counted half"
    if not results.with_passages:
        return "is supported (none comes with a passage)"
    if results.by_basis:
        return "is supported by its passage or by general truth"
    return "is supported by its passage"


def _next_step(results: GraphResults) -> str:
    """Returns what makes the figure worth more: the rest judged, or labels by people."""
    if results.left:
        return "The same command judges the rest."
    if results.profile is not None:
        return _to_judge(results)
    if results.correction is None and results.scores.main.estimate.value is not None:
        return (
            "How far the judge can be trusted, labels by people tell: `factmark plan --ledger "
            "LEDGER --half-width 0.05 --sheet next.csv`."
        )
    return ""


def _to_judge(results: GraphResults) -> str:
    """Returns what would judge a graph of which nothing is decided, and how often it asks."""
    units = results.scores.main.n_units
    calls = f"asks up to {units:,} times, or less often with `--batch 10`"
    if results.measure == "factscore" and not results.with_passages:
        return (
            "No triple comes with a passage: name a file of them with `--passages`. `--judge "
            f"openai:MODEL --mode general` {calls}, about what is generally true."
        )
    asks = f"`--judge openai:MODEL` {calls}; with `--dry-run` it says what that costs."
    if results.measure == "factscore":
        return f"`--judge local` judges without a server, once its weights are fetched. {asks}"
    return asks


def graph_table(results: GraphResults) -> DataTable:
    """Returns the scores over pairs and unique triples, then per relation, the most frequent first,
    then per type of head where one is known."""
    lines = list(_score_lines(results))
    return table_of(
        f"{MEASURES[results.measure].name} of {named(results.graph)}, judged by "
        f"{named(results.judge)}",
        tuple(_columns(results)),
        lines,
        group=lambda line: line.part,
        overall=lambda line: line.part == OVERALL,
        notes=tuple(_notes(lines, results)),
    )


def _score_lines(results: GraphResults) -> Iterator[ScoreLine]:
    """Yields a line for each score, in the order in which they are shown."""
    scores = results.scores
    yield ScoreLine(OVERALL, PAIRS, scores.pairs)
    yield ScoreLine(OVERALL, UNIQUE, scores.unique)
    for name, score in results.by_basis.items():
        yield ScoreLine("judged", name, score)
    for name, score in sorted(scores.by_relation.items(), key=lambda part: -part[1].n_units):
        yield ScoreLine("relation", named(name), score)
    if any(scores.by_head_type):
        for name, score in scores.by_head_type.items():
            yield ScoreLine("head type", named(name) if name else "unknown", score)


def _columns(results: GraphResults) -> Iterator[Column[ScoreLine]]:
    """Yields the table's columns; which there are depends on the measure and on what is missing."""
    if results.measure == "factscore":
        units = "pairs that have a verdict; relations and head types go over pairs"
        beside = _recall_columns()
    else:
        units = "triples that have a verdict; relations and head types go over unique triples"
        beside = _strict_columns()
    return score_columns(results.scores.pairs, units, beside)


def _recall_columns() -> Iterator[Column[ScoreLine]]:
    """Yields what stands beside FActScore*: recall and F1."""
    yield Column(
        name="recall",
        key="recall",
        value=lambda line: line.score.second,
        estimate=True,
        meaning="Recall: supported / (supported + not supported).",
    )
    yield Column(
        name="F1",
        key="f1",
        value=lambda line: line.score.f1,
        meaning="F1: their harmonic mean.",
    )


def _strict_columns() -> Iterator[Column[ScoreLine]]:
    """Yields what stands beside ValidityScore: the strict score."""
    yield Column(
        name="strict score",
        key="strict_score",
        value=lambda line: line.score.second,
        estimate=True,
        meaning="Strict score: yes / n.",
    )


def _notes(lines: Sequence[ScoreLine], results: GraphResults) -> Iterator[str]:
    """Yields why there are fewer triples than pairs, why values are undefined, each reason once,
    and how many units are in no score."""
    pairs = results.scores.pairs.n_units
    triples = results.scores.unique.n_units
    if pairs != triples:
        yield (
            f"{count(pairs, 'pair', 'pairs')} of triple and passage are {triples:,} unique "
            "triples: the same triple stands with several passages."
        )
    without_score = [line for line in lines if "score" in line.score.reasons]
    if without_score:
        few = any("fewer" in line.score.reasons["score"] for line in without_score)
        share = "no unit has"
        if few:
            share = f"fewer than {LEAST_DECIDED:.0%} of the units have"
        yield f"{NO_VALUE}: no score where {share} a verdict."
    undefined: dict[tuple[str, str], list[str]] = {}
    for line in lines:
        if "score" not in line.score.reasons:
            for key, reason in line.score.reasons.items():
                undefined.setdefault((_REASONED.get(key, key), reason), []).append(line.name)
    for (key, reason), names in undefined.items():
        if len(names) > 4:
            shown = [*names[:4], f"{len(names) - 4:,} more"]
        else:
            shown = names
        yield f"{NO_VALUE}: no {key} for {listed(shown)}: {reason}."
    if results.left:
        yield f"{count(results.left, 'unit is', 'units are')} not judged yet and in no score."


def _figures(results: GraphResults) -> dict[str, Any]:
    """Returns what results.json holds beside tables and rows."""
    return {
        "scores": results.scores.as_json(),
        "by_basis": {name: score.as_json() for name, score in results.by_basis.items()},
        "whole": results.whole,
        "correction": results.correction,
        "annotators": list(results.annotators),
        "left": results.left,
        "agreement": results.agreement,
        "published": published_figures("graphs"),
    }


def _published_names(results: GraphResults) -> dict[str, Any]:
    """Returns the values that the published code gives, by its names."""
    score = results.scores.pairs
    labels = {}
    for label, n in score.by_label.items():
        labels[label.lower()] = n
    names = {"score": score.estimate.value, "triples": results.rows}
    if results.measure == "validity":
        total = sum(labels.values())
        counts = {f"{label}_count": n for label, n in labels.items()}
        return {**names, **counts, "total_count": total, "valid_relations": labels["yes"]}
    supported = labels["supported"]
    return {
        **names,
        "precision": score.estimate.value,
        "recall": None if score.second is None else score.second.value,
        "f1": score.f1,
        "total_facts": sum(labels.values()),
        "correct_facts": supported,
        "incorrect_facts": sum(labels.values()) - supported,
    }


def _page(results: GraphResults) -> Page:
    """Returns what the page shows: scores, chart, and a card for each of the first units.

    Rows are shown one by one; scores, heading and chart are over all units.
    """
    judged = results.scores.main.n_units
    measure = MEASURES[results.measure]
    units = list(islice(results.units, SHOWN))
    noun, nouns = UNITS[results.measure]
    charts: Sequence[BarChart | DotChart] = ()
    figures = [*_large_figures(results, measure)]
    if results.profile is not None and results.profile.page is not None:
        profile = results.profile.page()
        charts = profile.charts
        figures = [*profile.figures, *count_figures(results.scores.pairs)]
    elif judged:
        charts = [verdict_chart(results)]
    folded = {}
    if is_medical(row.relation for row in results.rows):
        folded["Published figures of GraphMERT, for comparison"] = published_table()
    return Page(
        template="graph.html",
        title="A knowledge graph, judged",
        lead=(
            f"{measure.name} of {results.graph}",
            f"{count(judged, noun, nouns)} judged by {results.judge}",
        ),
        figures=figures,
        stopped=stopped_words(results.spent, results.left, "unit stays", "units stay"),
        spent=[spent_figures("Judging", results.spent)],
        charts=charts,
        folded=folded,
        cards=units,
        total=judged,
        filters=_filters(results, units),
        limits=(
            "The interval tells how much the score would vary with other heads in the graph. It "
            "does not tell how often the judge is wrong; the correction by labels of people does.",
            *_LIMITS[results.measure],
        ),
        styles=("graph.css",),
        values={
            "results": results,
            "repeats": _ids_of_repeats(results),
            "relation_of": relation_key,
        },
    )


def verdict_chart(results: GraphResults) -> Any:
    """Returns the chart of verdicts per relation, the most frequent first, over all units."""
    return score_chart(
        results.scores.main,
        results.scores.by_relation,
        caption=f"Verdicts per relation, as shares of its {UNITS[results.measure][1]}; at the "
        "right, how many",
        whole="all relations",
        more=("rarer relation is in the table alone", "rarer relations are in the table alone"),
    )


def _large_figures(results: GraphResults, measure: Measure) -> Iterator[Figure]:
    """Yields the numbers at the head of the page, the one to quote first."""
    corrected = results.correction
    pairs = results.scores.pairs
    alone = ""
    if corrected is not None:
        alone = ", by the judge alone"
        labels = count(corrected.labels, "label", "labels")
        name = f"{measure.name}, corrected by {labels} of people"
        yield Figure(name=name, value=corrected.corrected, main=True)
    yield Figure(
        name=f"{measure.name} over pairs{alone}",
        value=pairs.estimate,
        note=pairs.reasons.get("score", ""),
        main=corrected is None,
    )
    yield Figure(name=f"Over unique triples{alone}", value=results.scores.unique.estimate)
    if results.whole is not None:
        name = f"Over the whole graph{alone}"
        yield Figure(name=name, value=results.whole, note="by the sample's design")
    yield from count_figures(pairs)
    if results.agreement is not None:
        yield Figure(
            name="Agrees with the known truth",
            value=f"{results.agreement * 100:.0f} %",
            note="of the rows whose truth is known",
        )


def _ids_of_repeats(results: GraphResults) -> dict[str, list[str]]:
    """Returns unit -> the ids of the later rows that share it."""
    ids: dict[str, list[str]] = {}
    for row in results.rows:
        if row.repeats:
            ids.setdefault(row.unit, []).append(row.id)
    return ids


def _filters(results: GraphResults, units: Sequence[GraphRow]) -> Filters:
    """Returns by what the cards of judged units can be filtered."""
    verdicts = {verdict_of(row) for row in units}
    flags: tuple[tuple[str, str], ...] = ()
    if any(row.truth is not None for row in units):
        flags = (("differs", "a verdict other than the known truth"),)
    return Filters(
        singular="triple",
        many="triples",
        text="h3, .triple, .answer, .reason, dd",
        hint="in claim, passage or reason",
        choices={
            "verdict": [
                verdict for verdict in verdicts_of(results.scores.main) if verdict in verdicts
            ],
            "relation": sorted({relation_key(row.relation) for row in units}),
            "status": list(dict.fromkeys(row.status for row in units)),
        },
        flags=flags,
    )


def verdict_of(row: GraphRow) -> str:
    """Returns the row's label, or `no verdict`."""
    return row.label or NO_VERDICT
