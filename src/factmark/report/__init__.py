"""Results as people read them: tables, marked answers, one HTML file. Pure: text in, text out."""

from factmark.report.compare_tables import CompareTable, compare_tables
from factmark.report.graph_html import render_graph_html
from factmark.report.graph_tables import GraphTable, graph_table, published_table
from factmark.report.highlights import highlight, highlight_evidence
from factmark.report.html import render_html
from factmark.report.layouts import (
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
    "CompareTable",
    "GraphTable",
    "ScoreRow",
    "ScoreTable",
    "Tabular",
    "compare_tables",
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
    "render_graph_html",
    "render_html",
    "rich_table",
    "score_table",
    "visible",
]
