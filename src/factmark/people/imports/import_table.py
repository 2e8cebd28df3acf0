"""What was imported, as a table: a line per dimension, with how far people agree. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from operator import attrgetter

import numpy as np

from factmark.evaluated.agreement import RaterSides, ratings_of
from factmark.evaluated.table import table_of_rows
from factmark.model import Estimate
from factmark.people.imports.campaigns import ImportedCampaign
from factmark.people.ratings.agreement import form_scale
from factmark.report.columns import Column, table_of
from factmark.report.layouts import DataTable
from factmark.stats.agreement import estimate_agreement
from factmark.stats.coefficients import alpha


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedLine:
    """A dimension as it was imported."""

    name: str
    campaign: ImportedCampaign
    alpha: Estimate | None


def import_table(campaigns: Sequence[ImportedCampaign], names: Sequence[str]) -> DataTable:
    """How many ratings, units, documents, systems and people each campaign has, and alpha."""
    lines = []
    for name, campaign in zip(names, campaigns, strict=True):
        lines.append(ImportedLine(name=name, campaign=campaign, alpha=_alpha(campaign)))
    columns: list[Column[ImportedLine]] = [
        Column(name="campaign", key="campaign", value=lambda o: o.name, label=True),
        Column(name="ratings", key="ratings", value=lambda o: o.campaign.n_rated),
        Column(name="units", key="units", value=lambda o: len(o.campaign.units)),
        Column(
            name="documents",
            key="documents",
            value=lambda o: len({item.cluster for item in o.campaign.items.values()}),
        ),
        Column(
            name="systems",
            key="systems",
            value=lambda o: len({unit.data["system"] for unit in o.campaign.units.values()}),
        ),
        Column(name="people", key="people", value=lambda o: len(o.campaign.people)),
        Column(name="scale", key="scale", value=lambda o: _scale_text(o.campaign), label=True),
        Column(name="alpha", key="alpha", value=lambda o: o.alpha, estimate=True),
    ]
    return table_of(
        "Imported ratings",
        columns,
        lines,
        notes=("Alpha: Krippendorff's, on the scale beside it; of units that two or more rated.",),
    )


def _scale_text(campaign: ImportedCampaign) -> str:
    """Returns the scale of a campaign in words."""
    labels = campaign.form.labels
    if len(labels) > 2:
        shown = f"{labels[0]} to {labels[-1]}"
    else:
        shown = " / ".join(labels)
    return f"{shown}, {campaign.form.scale}"


def _alpha(campaign: ImportedCampaign) -> Estimate | None:
    """Returns Krippendorff's alpha of a campaign's ratings; None where there is one label only."""
    form = campaign.form
    if len(form.labels) < 2:
        return None
    rows: dict[str, dict[str, str | None]] = {}
    in_time = sorted(campaign.ratings, key=attrgetter("at"))  # of each person's the last counts
    for rating in in_time:
        rows.setdefault(rating.unit, {})[rating.annotator] = rating.response.label
    clusters = [campaign.items[campaign.units[unit].item].cluster for unit in rows]
    table = table_of_rows(rows, form.values, clusters=clusters)
    people = RaterSides(ones=list(table.people.values()))
    ratings = ratings_of(table, people, form_scale(form), np.arange(len(table)))
    return estimate_agreement(ratings, alpha(form.scale, ratings.worth))
