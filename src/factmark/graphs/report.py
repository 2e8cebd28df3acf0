"""A judged graph as files: JSON, rows, and the report as a page."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from factmark.ask.budget import Spend
from factmark.files.flat_files import csv_text, json_text, to_json_value, write_parquet
from factmark.files.text_files import write_text
from factmark.graphs.core.claims import relation_key
from factmark.graphs.published import published, published_table
from factmark.graphs.tables import (
    MEASURES,
    UNITS,
    graph_chart,
    graph_opening,
    graph_table,
    judged_units,
    verdict_of,
    verdicts_of,
)
from factmark.tables.shown_text import count

if TYPE_CHECKING:
    from factmark.graphs.results import GraphResults
    from factmark.tables.page import Filters

_COLUMNS = (
    "id",
    "head",
    "relation",
    "tail",
    "claim",
    "passage",
    "status",
    "label",
    "reason",
    "truth",
)


def render_graph_html(results: GraphResults, *, title: str = "A knowledge graph, judged") -> str:
    """The report of a judged graph as one HTML document, ready to be written as UTF-8.

    The same results give the same text. Works without JavaScript: then all cards are shown and
    there are no filters. Rows are shown one by one; scores, heading and chart are over all units.

    Raises:
        ValueError: a mark lies outside its passage.
    """
    from factmark.tables.correction_tables import correction_table
    from factmark.tables.page import render_page

    judged, measure = judged_units(results), MEASURES[results.measure]
    noun, nouns = UNITS[results.measure]
    corrected = results.correction
    return render_page(
        "graph.html",
        styles=("report.css", "graph.css"),
        signature=results.signature,
        title=title,
        subject=results.graph,
        opening=graph_opening(results),
        problems=results.problems,
        results=results,
        measure=measure,
        rows=[(row, verdict_of(row), relation_key(row.relation)) for row in results.rows],
        shown=len(results.rows),
        judged=count(judged, noun, nouns),
        partly=len(results.rows) < judged,
        spent=spent_words(results.spent),
        chart=graph_chart(results) if judged else None,
        graph_table=graph_table(results),
        correction_table=corrected and correction_table(measure, corrected, results.annotators),
        published_table=published_table(),
        filters=_filters(results),
    )


def _filters(results: GraphResults) -> Filters:
    from factmark.tables.page import Filters

    verdicts = {verdict_of(row) for row in results.rows}
    with_truth = any(row.truth is not None for row in results.rows)
    return Filters(
        singular="triple",
        many="triples",
        text="h3, .triple, .answer, .reason, dd",
        hint="in claim, passage or reason",
        choices={
            "verdict": [verdict for verdict in verdicts_of(results) if verdict in verdicts],
            "relation": sorted({relation_key(row.relation) for row in results.rows}),
            "status": list(dict.fromkeys(row.status for row in results.rows)),
        },
        flags=(("differs", "a verdict other than the known truth"),) if with_truth else (),
    )


def spent_words(spent: Spend, before: str = "Judged before") -> list[tuple[str, str]]:
    """What the judging took, as names and values; of rules, which call nobody, the time alone."""
    about = "about " if spent.estimated_usage else ""
    rows = [("Time", _duration(spent.seconds))]
    if spent.judged_before:
        rows.insert(0, (before, count(spent.judged_before, "unit", "units")))
    if spent.calls or spent.cached or spent.kept is not None or spent.cost is None:
        rows[:0] = [("Calls", f"{spent.calls:,}"), ("Replies read back", f"{spent.cached:,}")]
        rows[-1:-1] = [
            ("Tokens", f"{about}{spent.input_tokens:,} in, {spent.output_tokens:,} out"),
            ("Cost", _cost(spent.cost, about)),
        ]
    if spent.kept is not None:
        rows.append(("Kept in the ledger", kept_words(spent.kept)))
    return rows


def kept_words(kept: Spend) -> str:
    """What the replies in the ledger took, in one line."""
    about = "about " if kept.estimated_usage else ""
    return (
        f"{count(kept.replies, 'reply', 'replies')}, {about}{kept.input_tokens:,} tokens in, "
        f"{kept.output_tokens:,} out, cost {_cost(kept.cost, about)}"
    )


def _cost(cost: float | None, about: str) -> str:
    return "not known, for want of a price" if cost is None else f"{about}${cost:,.2f}"


def _duration(seconds: float) -> str:
    """Seconds as people read them.

    >>> _duration(0.25), _duration(75), _duration(7322)
    ('0.2 s', '1 min 15 s', '2 h 2 min')
    """
    whole = round(seconds)
    if seconds < 60 and whole < 60:
        return f"{seconds:.1f} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600:,} h {whole % 3600 // 60} min"


def graph_json(results: GraphResults) -> dict[str, Any]:
    """Results as JSON values: the scores, what was spent, the published figures, the signature."""
    return {
        "measure": results.measure,
        "graph": results.graph,
        "judge": results.judge,
        "scores": to_json_value(results.scores.as_json()),
        "whole": to_json_value(results.whole),
        "correction": to_json_value(results.correction),
        "annotators": list(results.annotators),
        "left": results.left,
        "agreement": results.agreement,
        "spent": results.spent.as_json(),
        "published": published("graphs"),
        "problems": list(results.problems),
        "signature": dict(results.signature),
    }


def write_graph_results(results: GraphResults, folder: Path) -> list[Path]:
    """Writes MEASURE.json, .csv and .parquet (the judged rows), and .html."""
    rows = [{name: getattr(row, name) for name in _COLUMNS} for row in results.rows]
    paths = {end: folder / f"{results.measure}.{end}" for end in ("json", "csv", "parquet", "html")}
    write_text(paths["json"], json_text(graph_json(results), indent=1) + "\n")
    write_text(paths["csv"], csv_text(rows, _COLUMNS))
    write_parquet(paths["parquet"], rows, dict.fromkeys(_COLUMNS, "VARCHAR"))
    write_text(paths["html"], render_graph_html(results))
    return list(paths.values())
