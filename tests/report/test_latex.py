"""Tables in LaTeX: compiled by a real TeX, no wider than the text, no longer than a page."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest
from factmark.graphs.tables import graph_table

from factmark.answers.run_tables import run_tables
from factmark.answers.tables import score_table
from factmark.graph_answers.tables import answer_tables
from factmark.graphs.core.scores import MEASURES
from factmark.graphs.published import published_table
from factmark.people.tables import campaign_tables
from factmark.report.comparisons import compare_tables
from factmark.report.latex import latex, latex_table
from factmark.report.layouts import Cell, DataTable, Head, TableLine
from factmark.stats.comparison import Options
from factmark.stats.contest import Contest, compare_systems
from factmark.text.shown_text import visible
from hostile import HOSTILE
from sample_campaign import sample_campaign
from sample_graph import sample_graph
from sample_graphrag import sample_graphrag
from sample_results import sample_results
from traced import traced_results

HEAD = r"""\documentclass{article}
\usepackage[T1]{fontenc}
\usepackage{array,booktabs,graphicx}
\begin{document}
"""


@pytest.fixture
def tex() -> str:
    """pdfLaTeX; without it the test is skipped, or fails if FACTMARK_REQUIRE_TEX=1."""
    found = shutil.which("pdflatex")
    if found is None:
        message = "no pdflatex found; install Debian's packages texlive-latex-recommended"
        if os.environ.get("FACTMARK_REQUIRE_TEX") == "1":
            pytest.fail(message)
        pytest.skip(message)
    return found


def compiled(tex: str, folder: Path, tables: Sequence[str]) -> str:
    """The log of a document with these tables; it must compile and leave nothing out."""
    pages = "\\clearpage\n".join(tables)
    (folder / "a.tex").write_text(f"{HEAD}{pages}\\end{{document}}\n", encoding="utf-8")
    done = subprocess.run(
        [tex, "-interaction=nonstopmode", "-halt-on-error", "a.tex"],
        cwd=folder,
        capture_output=True,
        timeout=120,
        stdin=subprocess.DEVNULL,
    )
    log = (folder / "a.log").read_text("utf-8", "replace")
    assert done.returncode == 0, log[-2_000:]
    return log


def misfits(log: str) -> list[str]:
    return re.findall(
        r"^(?:Overfull \\[hv]box|LaTeX Warning: Float too large|Missing char).*", log, re.MULTILINE
    )


def made(
    labels: Sequence[str], cells: Sequence[str], notes: Sequence[str] = (), lines: int = 1
) -> DataTable:
    return DataTable(
        title=labels[0][:200],
        label_names=tuple(f"label {place}" for place, _ in enumerate(labels)),
        columns=tuple(Head(name=f"column {n}", better="lower") for n, _ in enumerate(cells)),
        lines=tuple(
            TableLine(
                labels=tuple(labels),
                cells=tuple(Cell(value=cell) for cell in cells),
                starts_group=at % 3 == 0,
            )
            for at in range(lines)
        ),
        notes=tuple(notes),
        record_names=(),
        records=(),
    )


def board() -> tuple[DataTable, ...]:
    """Seven systems with long names in one comparison."""
    score = MEASURES["factscore"]
    systems = {
        f"a_system-with-a-long-name, condition number {at}": {
            "score": {f"h{h}": {f"h{h}t": (float((h + at) % 3 > 0),)} for h in range(9)}
        }
        for at in range(7)
    }
    contest = Contest(
        measure="factscore",
        item="heads",
        unit="triples",
        scores=(score,),
        systems=systems,
        stratum="relation",
        per={score.key: "unit"},
        strata={f"h{h}t": "r" for h in range(9)},
    )
    return compare_tables(compare_systems(contest, score, Options(resamples=200, draws=500)))


def every_table() -> list[DataTable]:
    """Those of all commands that write .tex files."""
    return [
        score_table(sample_results(models=("a model with a name of some length", "other"))),
        *run_tables(traced_results()),
        *answer_tables(sample_graphrag()),
        graph_table(sample_graph()),
        published_table(),
        *(t for name, t in campaign_tables(sample_campaign()).items() if name != "comments"),
        *board(),
    ]


def test_the_tables_of_all_commands_compile_and_fit(tex: str, tmp_path: Path) -> None:
    assert misfits(compiled(tex, tmp_path, [latex_table(table) for table in every_table()])) == []


def test_long_and_wide_tables_compile_and_fit(tex: str, tmp_path: Path) -> None:
    tables = [
        made(["name", "x" * 90], ["0.12 [0.10–0.33]"] * 12, ["word " * 900, "y" * 3_000], 70),
        made(["http://example.org/a/very/long/path_with_underscores#" * 3], ["1"], lines=60),
        made(["word" * 800], ["1"], ["word" * 1_000]),
        made(["name"], ["1"], lines=300),
    ]
    log = compiled(tex, tmp_path, [latex_table(table) for table in tables])
    assert misfits(log) == []


def test_all_characters_and_hostile_texts_compile(tex: str, tmp_path: Path) -> None:
    letters = "".join(map(chr, range(0x20, 0x250)))
    texts = [
        *(letters[at : at + 40] for at in range(0, len(letters), 40)),
        "αβω ΓΩ ≥ ≤ ≠ − – — … ½ ² µ κ² ✓ \U0001f9a0 糖尿病 дом a\u200bb e\u0301 "
        "\u2009 -- --- ?` <<x>> ``q'' ,,",
        *HOSTILE.values(),
    ]
    tables = [latex_table(made([visible(t)], [visible(t)[:40]], [visible(t)])) for t in texts]
    compiled(tex, tmp_path, tables)


def test_what_is_special_is_written_out() -> None:
    assert latex("<0.001 − 5 % ≥ α & _") == (
        r"\textless{}0.001 \ensuremath{-} 5 \% \ensuremath{\geq} \ensuremath{\alpha} \& \_"
    )
    assert latex("a--b") == "a-{}-b"
    assert "\n{}[m]* & 1" in latex_table(made(["[m]*"], ["1"]))
    assert r"\ifdefined\Uchar 糖\else [U+7CD6]\fi" in latex("糖")


def test_a_long_table_is_one_table_a_page_and_loses_nothing() -> None:
    text = latex_table(made(["name"], ["1"], ["A note."], lines=100))
    parts = text.count(r"\begin{table}")
    assert parts > 1
    assert f"({parts} of {parts})" in text
    assert len(re.findall(r"& 1 \\\\", text)) == 100
    assert text.count("A note.") == 1
