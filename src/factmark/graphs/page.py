"""The report on a judged graph as a page: scores, chart, and a card for each judged unit."""

from __future__ import annotations

from collections.abc import Sequence

from factmark.ask.budget import Spend
from factmark.graphs.core.claims import relation_key
from factmark.graphs.published import is_medical, published_table
from factmark.graphs.results import SHOWN, GraphResults, GraphRow
from factmark.graphs.score_tables import verdicts_of
from factmark.graphs.tables import (
    MEASURES,
    UNITS,
    graph_chart,
    graph_opening,
    graph_table,
    verdict_of,
)
from factmark.report.correction_tables import correction_table
from factmark.report.page import Filters, render_page
from factmark.report.shown_text import count


def render_graph_html(results: GraphResults, *, title: str = "A knowledge graph, judged") -> str:
    """Returns the report of a judged graph as one HTML document, ready to be written as UTF-8.

    The same results give the same text. Works without JavaScript: then all cards are shown and
    there are no filters. Rows are shown one by one; scores, heading and chart are over all units.

    Raises:
        ValueError: a mark lies outside its passage.
    """
    judged, measure = results.scores.main.n_units, MEASURES[results.measure]
    noun, nouns = UNITS[results.measure]
    corrected, units = results.correction, results.units[:SHOWN]
    repeats = _ids_of_repeats(results)
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
        rows=[
            (row, verdict_of(row), relation_key(row.relation), repeats.get(row.unit, ()))
            for row in units
        ],
        shown=len(units),
        judged=count(judged, noun, nouns),
        partly=len(units) < judged,
        spent=spent_words(results.spent),
        chart=graph_chart(results) if judged else None,
        graph_table=graph_table(results),
        correction_table=corrected and correction_table(measure, corrected, results.annotators),
        published_table=published_table()
        if is_medical(row.relation for row in results.rows)
        else None,
        filters=_filters(results, units),
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
    with_truth = any(row.truth is not None for row in units)
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
        flags=(("differs", "a verdict other than the known truth"),) if with_truth else (),
    )


def spent_words(spent: Spend, before: str = "Judged before") -> list[tuple[str, str]]:
    """Returns what the judging took, as pairs of a name and a value; of rules, which call nobody,
    the time alone."""
    about = "about " if spent.estimated_usage else ""
    rows = [("Time", _duration_words(spent.seconds))]
    if spent.judged_before:
        rows.insert(0, (before, count(spent.judged_before, "unit", "units")))
    if spent.calls or spent.cached or spent.kept is not None or spent.cost is None:
        rows[:0] = [("Calls", f"{spent.calls:,}"), ("Replies read back", f"{spent.cached:,}")]
        rows[-1:-1] = [
            ("Tokens", f"{about}{spent.input_tokens:,} in, {spent.output_tokens:,} out"),
            ("Cost", _cost_words(spent.cost, about)),
        ]
    if spent.kept is not None:
        rows.append(("Kept in the ledger", ledger_spend_words(spent.kept)))
    return rows


def ledger_spend_words(kept: Spend) -> str:
    """Returns in one line what all replies in the ledger took."""
    about = "about " if kept.estimated_usage else ""
    return (
        f"{count(kept.replies, 'reply', 'replies')}, {about}{kept.input_tokens:,} tokens in, "
        f"{kept.output_tokens:,} out, cost {_cost_words(kept.cost, about)}"
    )


def _cost_words(cost: float | None, about: str) -> str:
    """Returns US dollars for people, with `about` before them; it says so if no price is known."""
    return "not known, for want of a price" if cost is None else f"{about}${cost:,.2f}"


def _duration_words(seconds: float) -> str:
    """Returns seconds as people read them.

    >>> _duration_words(0.25), _duration_words(75), _duration_words(7322)
    ('0.2 s', '1 min 15 s', '2 h 2 min')
    """
    whole = round(seconds)
    if seconds < 60 and whole < 60:
        return f"{seconds:.1f} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600:,} h {whole % 3600 // 60} min"
