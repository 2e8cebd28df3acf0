"""The agreement of a ledger's judges: from the file to the numbers, and as JSON, CSV, tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from factmark import __version__
from factmark.analysis.agree_inputs import judge_list, read_panels
from factmark.analysis.agreement_tables import agree_records, agree_tables, reading
from factmark.analysis.compare_results import write_forms
from factmark.analysis.panels import Compared, How, PanelAgreement, Rater, compare_panel
from factmark.errors import InputError
from factmark.files.json_values import plain
from factmark.files.text_files import without_surrogates
from factmark.stats.agreement import Agreement

_COEFFICIENTS = (
    "alpha", "ac1", "ac2", "exact", "within_one", "fleiss", "cohen", "cohen_linear",
    "cohen_quadratic", "tau_b",
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerAgreement:
    """How far the judges of a ledger agree, and how that was computed."""

    ledger: str
    panels: tuple[PanelAgreement, ...]
    problems: tuple[str, ...]
    how: How


def agreement_of(
    path: Path,
    how: How,
    *,
    judges: Sequence[str] = (),
    revised: Sequence[str] = (),
    kind: str = "",
    by: str = "",
) -> LedgerAgreement:
    """Compares judges of a ledger; see `read_panels` and `compare_panel`.

    Raises:
        InputError: where no two of them have judged a unit, or one of the arguments does not fit.
    """
    read = read_panels(path, judges=judges, revised=revised, kind=kind, by=by)
    made, problems = [], list(read.problems)
    for panel in read.panels:
        found = compare_panel(panel, how, named=read.named, revised=read.revised)
        if found is not None:
            made.append(found)
    if not made:
        what = (
            "No judge that --first-final names judged a unit more than once"
            if revised
            else "No two judges to compare have judged the same units"
        )
        raise InputError(f"{path}: {what}. It has {judge_list(path)}.")
    compared = {one.kind for one in made}
    if left := [panel.kind for panel in read.panels if panel.kind not in compared]:
        problems.append(f"Nothing to compare on units of the kinds {', '.join(left)}.")
    return LedgerAgreement(
        ledger=without_surrogates(path.name),
        panels=tuple(made),
        problems=tuple(problems),
        how=how,
    )


def agree_json(found: LedgerAgreement) -> dict[str, Any]:
    """All of it as JSON values: each coefficient with its signature, each table of labels."""
    return {
        "ledger": found.ledger,
        "kinds": [
            {
                "kind": panel.kind,
                "scale": panel.metric,
                "why": panel.why,
                "comparisons": [_compared(one) for one in panel.compared],
                "notes": list(panel.notes),
            }
            for panel in found.panels
        ],
        "problems": list(found.problems),
        "signature": {"factmark": __version__, **plain(found.how)},
    }


def write_agreement(found: LedgerAgreement, folder: Path) -> list[Path]:
    """Writes agree.json, .csv (every comparison), .md and .tex (the tables)."""
    names, records = agree_records(found.panels)
    return write_forms(
        folder / "agree", agree_json(found), agree_tables(found.panels), names, records
    )


def _compared(one: Compared) -> dict[str, Any]:
    a, b = one.versus.names
    return {
        "comparison": one.versus.what,
        "a": a,
        "b": b,
        "ones": [_rater(rater) for rater in one.versus.ones],
        "others": [_rater(rater) for rater in one.versus.others],
        "stratum": one.stratum,
        "n_units": one.n_units,
        "n_unlabelled": one.n_unlabelled,
        "n_alone": one.n_alone,
        "n_again": one.n_again,
        "n_moved": one.n_moved,
        "labels": list(one.scale.labels),
        "values": list(one.scale.values),
        **{key: _estimate(one.agreement, key) for key in _COEFFICIENTS},
        "confusion": [list(row) for row in one.agreement.confusion],
        "shares": dict(one.agreement.shares),
        "reading": reading(one),
    }


def _rater(rater: Rater) -> dict[str, str]:
    return {"id": rater.id, "kind": rater.kind, "name": rater.name}


def _estimate(agreement: Agreement, key: str) -> dict[str, Any] | None:
    found: dict[str, Any] | None = plain(getattr(agreement, key))
    return found
