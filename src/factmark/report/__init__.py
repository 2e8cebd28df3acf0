"""Results as people read them: tables, marked answers, one HTML file. Pure: text in, text out."""

from factmark.report.agree_tables import AgreeTable, agree_tables
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
from factmark.report.tables import ScoreRow, ScoreTable, score_table
from factmark.report.text import visible

__all__ = [
    "AgreeTable",
    "CompareTable",
    "GraphTable",
    "ScoreRow",
    "ScoreTable",
    "Tabular",
    "agree_tables",
    "compare_tables",
    "csv_table",
    "graph_table",
    "highlight",
    "highlight_evidence",
    "latex_table",
    "markdown_table",
    "published_table",
    "render_graph_html",
    "render_html",
    "rich_table",
    "score_table",
    "visible",
]
