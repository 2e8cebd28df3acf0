"""Ratings from files into a ledger: read, checked as a whole, then kept campaign by campaign.

Each is known by its content, so the same file a second time, or after a kill, adds what is missing
and nothing twice.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from factmark.campaign_model import Annotator, Campaign, Revision
from factmark.errors import InputError
from factmark.ledger.campaigns import (
    campaigns_of,
    close_campaign,
    create_campaign,
    extend_campaign,
    pairs_of_kind,
    secret_of,
    task_key,
    tasks_of,
    timestamp,
)
from factmark.ledger.ledger import Ledger
from factmark.ledger.ratings import add_labels
from factmark.model import Unit, content_hash
from factmark.people.core.forms import COARSE, Form
from factmark.people.core.scales import form_of
from factmark.people.create import name_and_hash
from factmark.people.imports.campaigns import ImportedCampaign, ImportedRating, imported_campaigns
from factmark.people.imports.rating_rows import Note, RatingRow
from factmark.version import __version__

IMPORTED = "imported"  # under which a campaign's settings keep the files
SOURCE = "import"  # of revisions


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportTarget:
    """Where ratings go, and on which scale.

    Attributes:
        name: of the campaign; for several dimensions `name: dimension`.
        form, labels, metric: see `imported_campaigns`.
    """

    ledger: Path
    name: str
    form: str = ""
    labels: str = ""
    metric: str = ""

    def campaign_name(self, dimension: str) -> str:
        """The name of the campaign of a dimension."""
        return f"{self.name}: {dimension}" if dimension else self.name


def draft_imports(
    rows: Sequence[RatingRow], target: ImportTarget, note: Note
) -> tuple[ImportedCampaign, ...]:
    """The campaigns that rows make; nothing is written.

    Summaries of 0-to-5 ratings that the ledger has already are the same units there.

    InputError: as `imported_campaigns`; or the ledger has a campaign of that name on another scale.
    """
    known: dict[tuple[str, str], Unit] = {}
    forms: dict[str, Form] = {}
    if target.ledger.is_file():
        with Ledger(target.ledger, read_only=True) as ledger:
            forms = {campaign.name: form_of(campaign) for campaign in campaigns_of(ledger)}
            known = {
                (item.id, str(unit.data.get("system") or "")): unit
                for item, unit in pairs_of_kind(ledger, COARSE.kind)
            }
    prefix = f"{target.name}: "
    campaigns = imported_campaigns(
        rows,
        form=target.form,
        labels=target.labels,
        metric=target.metric,
        known=known,
        forms={
            name.removeprefix(prefix) if name.startswith(prefix) else "": form
            for name, form in forms.items()
            if name == target.name or name.startswith(prefix)
        },
    )
    for campaign in campaigns:
        kept = forms.get(target.campaign_name(campaign.dimension), campaign.form)
        if kept != campaign.form:
            raise InputError(
                f"{target.ledger}: rates {target.campaign_name(campaign.dimension)!r} on "
                f"{', '.join(kept.labels)}, and these ratings are on "
                f"{', '.join(campaign.form.labels)}. Name them otherwise (--name)."
            )
        if campaign.again:
            what = campaign.dimension or "ratings"
            note(f"{what}: {campaign.again} rate a unit once more; each person's last counts")
    return campaigns


def keep_imports(
    campaigns: Sequence[ImportedCampaign], target: ImportTarget, files: Sequence[Path]
) -> int:
    """Writes the campaigns, each closed, since nobody is asked any more; returns how many of their
    ratings the ledger did not have."""
    new = 0
    with Ledger(target.ledger) as ledger:
        present = {campaign.name: campaign for campaign in campaigns_of(ledger)}
        for imported in campaigns:
            name = target.campaign_name(imported.dimension)
            campaign = present.get(name)
            if campaign is not None and IMPORTED not in campaign.settings:
                raise InputError(
                    f"{target.ledger}: asks people in a campaign {name!r}. Name the ratings "
                    "otherwise (--name); its results count them all the same."
                )
            campaign = _keep_tasks(ledger, campaign, imported, name, files)
            revisions = _revisions(ledger, campaign, imported)
            new += add_labels(ledger, campaign, revisions, imported.form.values)
            close_campaign(ledger, campaign)
    return new


def _keep_tasks(
    ledger: Ledger,
    campaign: Campaign | None,
    imported: ImportedCampaign,
    name: str,
    files: Sequence[Path],
) -> Campaign:
    """The campaign with everybody who rated, and with a task for each unit that they did."""
    annotators = _people(campaign.annotators if campaign else (), imported.people)
    codes = {person.name: person.code for person in annotators}
    if campaign is None:
        drafted = Campaign(
            id="",
            name=name,
            form=imported.form.name,
            annotators=annotators,
            guidelines="Imported: what annotators read is not known.\n",
            settings={
                **imported.settings,
                IMPORTED: [name_and_hash(path) for path in files],
                "factmark": __version__,
            },
        )
        return create_campaign(
            ledger,
            drafted,
            items=imported.items.values(),
            units=imported.units.values(),
            shown=imported.shown,
            assignments=imported.assignments(codes, {}),
        )
    present = tasks_of(ledger, campaign)
    listed = {(task.assignment.annotator, task.assignment.unit) for task in present}
    first = Counter(task.assignment.annotator for task in present)
    campaign = replace(campaign, annotators=annotators)
    tasks = imported.assignments(codes, first)
    extend_campaign(
        ledger,
        campaign,
        items=imported.items.values(),
        units=imported.units.values(),
        shown=imported.shown,
        assignments=[task for task in tasks if (task.annotator, task.unit) not in listed],
    )
    return campaign


def _people(known: Sequence[Annotator], names: Sequence[str]) -> tuple[Annotator, ...]:
    """Those that a campaign has, then the new ones with the next codes."""
    new = [name for name in names if name not in {person.name for person in known}]
    return (
        *known,
        *(
            Annotator(code=f"A{number}", name=name)
            for number, name in enumerate(new, len(known) + 1)
        ),
    )


def _revisions(ledger: Ledger, campaign: Campaign, imported: ImportedCampaign) -> list[Revision]:
    """Returns ratings as the answers of a campaign; a rating imported again has the id
    that it had."""
    codes = {person.name: person.code for person in campaign.annotators}
    secret, now = secret_of(ledger, campaign), timestamp()

    def revision(rating: ImportedRating) -> Revision:
        response = rating.response
        about = (rating.annotator, rating.unit, response.label, response.comment, rating.at)
        return Revision(
            id=content_hash(SOURCE, campaign.id, *about),
            key=task_key(secret, codes[rating.annotator], rating.unit),
            response=response,
            seconds=rating.seconds,
            at=rating.at or now,
            source=SOURCE,
            first=False,  # whether it was changed before it was published is not known
        )

    return [revision(rating) for rating in imported.ratings]
