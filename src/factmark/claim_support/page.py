"""The report on judged claims as a page: scores, judges beside people, a card for each claim."""

from __future__ import annotations

from factmark.claim_support.results import ClaimResults
from factmark.claim_support.tables import claims_chart, claims_opening, claims_tables
from factmark.graphs.page import spent_words
from factmark.graphs.results import SHOWN
from factmark.graphs.score_tables import verdicts_of
from factmark.report.charts import NO_VERDICT
from factmark.report.page import Filters, render_page
from factmark.report.shown_text import count


def render_claims_html(results: ClaimResults, *, title: str = "Claims, judged") -> str:
    """Returns the report of judged claims as one HTML document, ready to be written as UTF-8.

    The same results give the same text. It works without JavaScript.
    """
    shown = [(claim, claim.verdict.label or NO_VERDICT) for claim in results.rows[:SHOWN]]
    return render_page(
        "claims.html",
        styles=("report.css", "graph.css"),
        signature=results.signature,
        title=title,
        subject=results.table,
        opening=claims_opening(results),
        problems=results.problems,
        results=results,
        rows=shown,
        shown=len(shown),
        judged=count(len(results.rows), "claim", "claims"),
        partly=len(shown) < len(results.rows),
        spent=spent_words(results.spent),
        chart=claims_chart(results) if results.rows else None,
        score_tables=claims_tables(results),
        filters=_filters(results),
    )


def _filters(results: ClaimResults) -> Filters:
    """Returns by what the cards of claims can be filtered."""
    verdicts = [claim.verdict for claim in results.rows]
    given = {verdict.label or NO_VERDICT for verdict in verdicts}
    labelled = any(claim.people_label for claim in results.rows)
    return Filters(
        singular="claim",
        many="claims",
        text="h3, .answer, .reason, dd",
        hint="in claim, evidence or reason",
        choices={
            "verdict": [label for label in verdicts_of(results.score) if label in given],
            "status": list(dict.fromkeys(verdict.status for verdict in verdicts)),
        },
        flags=(("differs", "a verdict other than people's"),) if labelled else (),
    )
