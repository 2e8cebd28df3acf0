"""Results of `agree`, `compare` and `plan` as JSON values, and the files of --out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from factmark.analysis.options import AgreeOptions, PlanOptions
from factmark.analysis.results import LabelPlan, PanelAgreement, SideAgreement
from factmark.analysis.tables import COEFFICIENTS, gap_note
from factmark.files.flat_files import csv_text, json_text, to_json_value
from factmark.files.overwriting import check_files
from factmark.files.text_files import without_surrogates, write_text
from factmark.report.latex import latex_table
from factmark.report.layouts import DataTable, markdown_report
from factmark.report.sentence import FirstSentence
from factmark.stats.contest import Outcome
from factmark.version import __version__

_COUNTS = ("n_units", "n_unlabelled", "n_alone", "n_again", "n_moved")


def write_files(
    out: Path,
    stem: str,
    inputs: Sequence[tuple[str, Path]],
    value: Mapping[str, Any],
    report: tuple[FirstSentence | None, Sequence[DataTable]],
    rows: Sequence[Mapping[str, Any]],
) -> str:
    """Writes a result as OUT/STEM.json (the value), .csv (the rows), .md and .tex; returns their
    paths as text.

    Args:
        report: what it begins with, if anything, and its tables.
    """

    opening, tables = report
    texts = {
        f"{stem}.json": json_text(value, indent=1) + "\n",
        f"{stem}.csv": csv_text(rows, list(rows[0])),
        f"{stem}.md": markdown_report(opening, tables),
        f"{stem}.tex": "\n".join(map(latex_table, tables)),
    }
    check_files(out, list(texts), inputs)
    for name, text in texts.items():
        write_text(out / name, text)
    return ", ".join(str(out / name) for name in texts)


def agree_json(
    options: AgreeOptions, agreements: Iterable[PanelAgreement], problems: Sequence[str]
) -> dict[str, Any]:
    """Returns all of it as JSON values: each coefficient with its signature, each
    table of labels.
    """
    return {
        "ledger": without_surrogates(options.ledger.name),
        "kinds": [
            {
                "kind": panel.kind,
                "scale": panel.scale.metric,
                "why": panel.scale.why,
                "comparisons": [_sides_json(compared) for compared in panel.compared],
                "notes": list(panel.notes),
            }
            for panel in agreements
        ],
        "problems": list(problems),
        "signature": {
            "factmark": __version__,
            "scale": options.scale,
            "level": options.level,
            "resamples": options.resamples,
            "seed": options.seed,
        },
    }


def _sides_json(compared: SideAgreement) -> dict[str, Any]:
    """Returns how far two sides agree as JSON values, with what each said."""
    versus, agreement = compared.versus, compared.agreement
    return {
        "comparison": versus.what,
        **dict(zip("ab", versus.names, strict=True)),
        **{
            side: [{"id": rater.id, "kind": rater.kind, "name": rater.name} for rater in raters]
            for side, raters in (("ones", versus.ones), ("others", versus.others))
        },
        "stratum": compared.stratum,
        **{name: getattr(compared, name) for name in _COUNTS},
        "labels": list(compared.scale.labels),
        "values": list(compared.scale.values),
        **{name: to_json_value(getattr(agreement, name)) for name in COEFFICIENTS},
        "confusion": to_json_value(agreement.confusion),
        "shares": dict(agreement.shares),
        "reading": gap_note(compared),
    }


def compare_json(outcome: Outcome) -> dict[str, Any]:
    """Returns an outcome as JSON values: every comparison by every score, the leader boards, how
    made.
    """
    options = outcome.options
    return {
        "measure": outcome.contest.measure,
        "score": outcome.score.key,
        "systems": list(outcome.contest.systems),
        "comparisons": [
            {
                "score": row.score.key,
                "stratum": row.stratum,
                **to_json_value(row.comparison),
                "told_apart": row.comparison.told_apart,
            }
            for row in outcome.comparisons
        ],
        "leader_boards": {
            key: {
                "places": to_json_value(board.places),
                "n_units": board.n_units,
                "n_left_out": board.n_left_out,
            }
            for key, board in outcome.boards.items()
        },
        "problems": list(outcome.contest.problems),
        "signature": {
            **outcome.contest.signature,
            **{name: getattr(options, name) for name in ("level", "resamples", "draws", "seed")},
        },
    }


def plan_json(planned: LabelPlan, options: PlanOptions) -> dict[str, object]:
    """Returns a plan as JSON values."""
    now = {} if planned.standing is None else {"standing": to_json_value(planned.standing)}
    now |= {"advice": planned.advice} if planned.advice else {}
    asked = {"half_width": options.half_width, "share": planned.share, "level": options.level}
    return {**asked, "designs": to_json_value(planned.needs), **now}
