"""Results as people read them: tables, marked answers, one HTML file. Pure: text in, text out.

Each part is imported when a name of it is first asked for, so that a command that only wants
`visible` starts in a fraction of the time. No part may bear the name of what is in it.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from factmark.report.agreement_tables import agree_tables
    from factmark.report.campaign_html import render_campaign_html
    from factmark.report.comparison_tables import compare_tables
    from factmark.report.corrected_answers import corrected_table
    from factmark.report.correction_tables import correction_table
    from factmark.report.graph_html import render_graph_html
    from factmark.report.graph_tables import graph_table, published_table
    from factmark.report.graphrag_html import render_graphrag_html
    from factmark.report.graphrag_tables import accuracy_table, answer_tables
    from factmark.report.highlights import highlight, highlight_evidence
    from factmark.report.html import render_html
    from factmark.report.latex import latex_table
    from factmark.report.layouts import DataTable, Tabular, csv_table, markdown_table, rich_table
    from factmark.report.rating_tables import campaign_tables
    from factmark.report.tables import ScoreRow, ScoreTable, score_table
    from factmark.report.tables_of_runs import run_tables
    from factmark.report.text import visible

__all__ = [
    "DataTable",
    "ScoreRow",
    "ScoreTable",
    "Tabular",
    "accuracy_table",
    "agree_tables",
    "answer_tables",
    "campaign_tables",
    "compare_tables",
    "corrected_table",
    "correction_table",
    "csv_table",
    "graph_table",
    "highlight",
    "highlight_evidence",
    "latex_table",
    "markdown_table",
    "published_table",
    "render_campaign_html",
    "render_graph_html",
    "render_graphrag_html",
    "render_html",
    "rich_table",
    "run_tables",
    "score_table",
    "visible",
]

_PARTS = {
    "agreement_tables": "agree_tables",
    "campaign_html": "render_campaign_html",
    "rating_tables": "campaign_tables",
    "comparison_tables": "compare_tables",
    "corrected_answers": "corrected_table",
    "correction_tables": "correction_table",
    "graph_html": "render_graph_html",
    "graph_tables": "graph_table published_table",
    "graphrag_html": "render_graphrag_html",
    "graphrag_tables": "accuracy_table answer_tables",
    "highlights": "highlight highlight_evidence",
    "html": "render_html",
    "latex": "latex_table",
    "layouts": "DataTable Tabular csv_table markdown_table rich_table",
    "tables_of_runs": "run_tables",
    "tables": "ScoreRow ScoreTable score_table",
    "text": "visible",
}

if not TYPE_CHECKING:  # else a name that is not there would pass for one that is

    def __getattr__(name: str) -> object:
        for part, names in _PARTS.items():
            if name in names.split():
                return getattr(import_module(f"{__name__}.{part}"), name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
