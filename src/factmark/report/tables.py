"""The score table: category × condition (× model), once as data and then in each format.

score_table(results) ──► ScoreTable ──► rich_table · markdown_table · latex_table · csv_table
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from io import StringIO
from itertools import groupby

from rich import box
from rich.table import Table
from rich.text import Text

from factmark.answers.records import Results, Summary
from factmark.model import Estimate
from factmark.report.metrics import METRICS
from factmark.report.text import NO_VALUE, interval, number, one_line

OVERALL = "overall"

_MARKDOWN = str.maketrans({c: f"\\{c}" for c in "\\`*_[]#|~$"} | {"&": "&amp;", "<": "&lt;"})
_LATEX = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "{": r"\{",
        "}": r"\}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "|": r"\textbar{}",
        # After a line break `[` starts an argument and `*` is a variant.
        "[": "{[}",
        "]": "{]}",
        "*": "{*}",
        "–": "--",
    }
    | {c: f"\\{c}" for c in "$&#_%"}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreRow:
    """One line: a model and condition in a category.

    Attributes:
        labels: as many as the table's `label_names`: category, then model and condition if shown.
        estimates: C, H, S.
        starts_group: whether the category differs from the line before.
        overall: whether it is over all categories.
        summary: what the line was made from.
    """

    labels: tuple[str, ...]
    estimates: tuple[Estimate, ...]
    starts_group: bool
    overall: bool
    summary: Summary


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreTable:
    """The scores of a study, ready to be laid out.

    Attributes:
        title: one line that names the benchmark, and the model where there is only one.
        label_names: the heads of the leading columns.
        rows: by category (`overall` last), then model and condition, in the order of the results.
        notes: what a reader must know: the meaning of C, H, S, the intervals, what is missing.
    """

    title: str
    label_names: tuple[str, ...]
    rows: tuple[ScoreRow, ...]
    notes: tuple[str, ...]

    @property
    def headers(self) -> tuple[str, ...]:
        """The heads of all columns."""
        scores = (
            metric.symbol if metric.better == "higher" else f"{metric.symbol} (lower is better)"
            for metric in METRICS
        )
        return (*self.label_names, *scores, "answers", "missing")

    @property
    def groups(self) -> tuple[tuple[ScoreRow, ...], ...]:
        """The rows, category by category."""
        by_category = groupby(self.rows, key=lambda row: row.summary.category)
        return tuple(tuple(rows) for _, rows in by_category)


def score_table(results: Results) -> ScoreTable:
    """The table of all summaries; columns that would say the same in every line are left out."""
    models = _distinct(summary.model for summary in results.summaries)
    conditions = _distinct(summary.condition for summary in results.summaries)
    with_model = len(models) > 1
    with_condition = len(conditions) > 1 or any(conditions)
    names = ["category", *["model"] * with_model, *["condition"] * with_condition]
    rows: list[ScoreRow] = []
    for summary in in_order(results.summaries):
        labels = (
            summary.category,
            *[summary.model] * with_model,
            *[summary.condition] * with_condition,
        )
        rows.append(
            ScoreRow(
                labels=tuple(one_line(label) or NO_VALUE for label in labels),
                estimates=tuple(metric.of(summary) for metric in METRICS),
                starts_group=not rows or rows[-1].summary.category != summary.category,
                overall=summary.category == OVERALL,
                summary=summary,
            )
        )
    title = f"{one_line(results.benchmark)}: completeness, hallucination, combined score"
    if len(models) == 1 and models[0]:
        title += f" of {one_line(models[0])}"
    return ScoreTable(
        title=title, label_names=tuple(names), rows=tuple(rows), notes=_notes(results.summaries)
    )


def in_order(summaries: Sequence[Summary]) -> list[Summary]:
    """By category (`overall` last), then model, then condition, each as first seen."""
    categories = _distinct(summary.category for summary in summaries)
    models = _distinct(summary.model for summary in summaries)
    conditions = _distinct(summary.condition for summary in summaries)

    def key(summary: Summary) -> tuple[bool, int, int, int]:
        return (
            summary.category == OVERALL,
            categories.index(summary.category),
            models.index(summary.model),
            conditions.index(summary.condition),
        )

    return sorted(summaries, key=key)


def rich_table(table: ScoreTable) -> Table:
    """For the terminal. When there is little room, an interval moves below its value."""
    made = Table(
        title=Text(table.title, style="bold"),
        caption=Text("\n".join(table.notes)),
        title_justify="left",
        caption_justify="left",
        box=box.SIMPLE_HEAD,
        pad_edge=False,
        padding=(0, 1 if len(table.label_names) < 3 else 0, 0, 0),
    )
    for name in table.label_names:
        made.add_column(name, overflow="fold", min_width=min(len(name), 8))
    for header in table.headers[len(table.label_names) : -2]:
        made.add_column(header, justify="right", min_width=len("[0.00–0.00]"))
    for header in table.headers[-2:]:
        made.add_column(header, justify="right", min_width=len(header))
    for row in table.rows:
        if row.starts_group and made.row_count:
            made.add_section()
        cells = [Text(text) for text in (*_labels(row), *_numbers(row))]
        made.add_row(*cells, style="bold" if row.overall else None)
    return made


def markdown_table(table: ScoreTable) -> str:
    """A GitHub-flavoured table with its title above and its notes below."""
    marks = ["---"] * len(table.label_names) + ["---:"] * (len(METRICS) + 2)
    lines = [_markdown_row(map(_markdown, table.headers)), _markdown_row(marks)]
    for row in table.rows:
        texts = [*map(_markdown, _labels(row)), *_numbers(row)]
        lines.append(
            _markdown_row(f"**{text}**" if row.overall and text else text for text in texts)
        )
    notes = "".join(f"- {_markdown(note)}\n" for note in table.notes)
    return f"**{_markdown(table.title)}**\n\n" + "\n".join(lines) + f"\n\n{notes}"


def latex_table(table: ScoreTable) -> str:
    """A `table` environment in the style of the booktabs package, ready for \\input."""
    columns = "l" * len(table.label_names) + "r" * (len(METRICS) + 2)
    lines = [
        r"% needs \usepackage{booktabs}",
        r"\begin{table}",
        r"\centering",
        rf"\caption{{{' '.join(_latex(text) for text in (table.title + '.', *table.notes))}}}",
        rf"\begin{{tabular}}{{{columns}}}",
        r"\toprule",
        _latex_row(map(_latex, table.headers)),
    ]
    for row in table.rows:
        if row.starts_group:
            lines.append(r"\midrule")
        numbers = [text.replace("–", "--") for text in _numbers(row)]
        lines.append(_latex_row([*map(_latex, _labels(row)), *numbers]))
    lines += [r"\bottomrule", r"\end{tabular}", r"\end{table}", ""]
    return "\n".join(lines)


def csv_table(table: ScoreTable) -> str:
    """One line per row, for machines: unrounded numbers, empty where there is no value."""
    parts = ("", "_low", "_high", "_worst", "_best")
    out = StringIO()
    writer = csv.writer(out, lineterminator="\n")
    counts = ("n_questions", "n_answers", "n_missing")
    scores = [metric.key + part for metric in METRICS for part in parts]
    writer.writerow(["category", "model", "condition", *scores, *counts])
    for row in table.rows:
        made = row.summary
        values = [
            "" if value is None else value
            for e in row.estimates
            for value in (e.value, e.low, e.high, e.worst, e.best)
        ]
        labels = [one_line(label) for label in (made.category, made.model, made.condition)]
        writer.writerow([*labels, *values, made.n_questions, made.n_answers, made.n_missing])
    return out.getvalue()


def _distinct(values: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(values))


def _labels(row: ScoreRow) -> list[str]:
    """The leading cells of a row; a category is named once per group."""
    return list(row.labels) if row.starts_group else ["", *row.labels[1:]]


def _numbers(row: ScoreRow) -> list[str]:
    """The other cells of a row."""
    scores = [f"{number(e.value)} {interval(e)}".strip() for e in row.estimates]
    return [*scores, str(row.summary.n_answers), str(row.summary.n_missing)]


def _notes(summaries: Sequence[Summary]) -> tuple[str, ...]:
    """The legend, how the intervals were made, and what is missing."""
    legend = ", ".join(f"{m.symbol} {m.name} ({m.better} is better)" for m in METRICS)
    estimates = [metric.of(summary) for summary in summaries for metric in METRICS]
    made = _distinct(
        f"{e.level * 100:g} % interval ({one_line(e.method)})" for e in estimates if interval(e)
    )
    notes = [f"{legend}."]
    if made:
        notes.append(f"In brackets: {'; '.join(made)}.")
    if any(e.value is None for e in estimates):
        notes.append(f"{NO_VALUE}: no value, because nothing was observed.")
    notes += [note for summary in in_order(summaries) if (note := _missing_note(summary))]
    return tuple(notes)


def _missing_note(summary: Summary) -> str:
    """For an overall line with missing answers: how far they could move S; else empty."""
    score = summary.combined_score
    if summary.category != OVERALL or not summary.n_missing:
        return ""
    name = " ".join(filter(None, (one_line(summary.model), one_line(summary.condition)))) or OVERALL
    expected = summary.n_answers + summary.n_missing
    note = f"{name}: {summary.n_missing} of {expected} answers missing"
    if score.worst is None or score.best is None:
        return f"{note}."
    return f"{note}; whatever they say, S lies in {number(score.worst)}–{number(score.best)}."


def _markdown(text: str) -> str:
    return text.translate(_MARKDOWN)


def _markdown_row(texts: Iterable[str]) -> str:
    return f"| {' | '.join(texts)} |"


def _latex(text: str) -> str:
    return text.translate(_LATEX)


def _latex_row(texts: Iterable[str]) -> str:
    return f"{' & '.join(texts)} \\\\"
