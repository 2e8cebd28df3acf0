"""Results as people read them: tables, marked answers, one HTML file. Pure: text in, text out."""

from factmark.report.highlights import highlight
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
    "ScoreRow",
    "ScoreTable",
    "csv_table",
    "highlight",
    "latex_table",
    "markdown_table",
    "render_html",
    "rich_table",
    "score_table",
    "visible",
]
