"""Results as people read them: tables, marked answers, one HTML file. Pure: text in, text out."""

from factmark.report.agree_tables import agree_tables
from factmark.report.campaign_html import render_campaign_html
from factmark.report.campaign_tables import campaign_tables
from factmark.report.compare_tables import compare_tables
from factmark.report.corrected_answers import corrected_table
from factmark.report.correction_tables import correction_table
from factmark.report.graph_html import render_graph_html
from factmark.report.graph_tables import graph_table, published_table
from factmark.report.highlights import highlight, highlight_evidence
from factmark.report.html import render_html
from factmark.report.layouts import (
    DataTable,
    Tabular,
    csv_table,
    latex_table,
    markdown_table,
    rich_table,
)
from factmark.report.pictures import coverage_plot, curve_plot, interval_plot
from factmark.report.tables import ScoreRow, ScoreTable, score_table
from factmark.report.text import visible

__all__ = [
    "DataTable",
    "ScoreRow",
    "ScoreTable",
    "Tabular",
    "agree_tables",
    "campaign_tables",
    "compare_tables",
    "corrected_table",
    "correction_table",
    "coverage_plot",
    "csv_table",
    "curve_plot",
    "graph_table",
    "highlight",
    "highlight_evidence",
    "interval_plot",
    "latex_table",
    "markdown_table",
    "published_table",
    "render_campaign_html",
    "render_graph_html",
    "render_html",
    "rich_table",
    "score_table",
    "visible",
]
