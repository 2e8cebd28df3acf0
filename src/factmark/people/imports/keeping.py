"""Ratings from files into a ledger: read, checked as a whole, then kept in one transaction.

Each is known by its content, so the same file a second time adds nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from factmark.campaign_model import Annotator, Campaign, Rating
from factmark.errors import InputError
from factmark.intake.mapping import TableMapping
from factmark.ledger.campaigns import (
    campaigns_of,
    change_settings,
    close_campaign,
    create_campaign,
    extend_campaign,
    pairs_of_kind,
    task_keys,
    tasks_of,
    timestamp,
)
from factmark.ledger.ledger import Ledger
from factmark.ledger.ratings import add_labels, rating_ids
from factmark.model import Unit, content_hash
from factmark.people.core.forms import COARSE, FORMS, Form
from factmark.people.core.scales import form_of, is_wider, scale_doubt, scale_given
from factmark.people.create import name_and_hash
from factmark.people.imports.campaigns import SOURCE, ImportedCampaign, imported_campaigns
from factmark.people.imports.rating_rows import Note, RatingRow, with_plain_labels
from factmark.people.imports.rating_tables import files_in
from factmark.version import __version__

IMPORTED = "imported"  # under which a campaign's settings keep the files
MAPPINGS = "mappings"  # and how they were read


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
        if dimension:
            return f"{self.name}: {dimension}"
        return self.name


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
            known = {}
            for item, unit in pairs_of_kind(ledger, COARSE.kind):
                known[(item.id, str(unit.data.get("system") or ""))] = unit
    prefix = f"{target.name}: "
    earlier = {}
    for name, form in forms.items():
        if name == target.name or name.startswith(prefix):
            earlier[name.removeprefix(prefix) if name.startswith(prefix) else ""] = form
    scales = [scale_given(target.labels)] if target.labels else earlier.values()
    keep: set[str] = set()
    for scale in scales:
        keep.update(scale.values)
    campaigns = imported_campaigns(
        with_plain_labels(rows, keep, note),
        form=target.form,
        labels=target.labels,
        metric=target.metric,
        known=known,
        forms=earlier,
    )
    for campaign in campaigns:
        kept = forms.get(target.campaign_name(campaign.dimension), campaign.form)
        if kept != campaign.form and not is_wider(campaign.form, kept):
            raise InputError(
                f"{target.ledger}: rates {target.campaign_name(campaign.dimension)!r} on "
                f"{', '.join(kept.labels)}, and these ratings are on "
                f"{', '.join(campaign.form.labels)}. Name them otherwise (--name)."
            )
        again = len(campaign.ratings) - campaign.n_rated
        if again:
            what = campaign.dimension or "ratings"
            note(f"{what}: {again} rate a unit once more; each person's last counts")
    if not target.labels and not target.form:
        doubts = {}
        for c in campaigns:
            if c.form.name not in FORMS:
                doubts[scale_doubt(c.form.labels)] = c
        for doubt in filter(None, doubts):
            note(f"{doubt}, with the same files once more")
    return campaigns


def keep_imports(
    campaigns: Sequence[ImportedCampaign],
    target: ImportTarget,
    files: Sequence[Path],
    mappings: Sequence[TableMapping],
) -> int:
    """Writes the campaigns, each closed, since nobody is asked any more; returns how many of their
    ratings the ledger did not have.

    Args:
        mappings: how the files were read, which the campaigns keep.
    """
    source = {IMPORTED: [name_and_hash(file) for file in files_in(files)]}
    source[MAPPINGS] = [mapping.as_record() for mapping in mappings]
    new = 0
    with Ledger(target.ledger) as ledger, ledger.writing():
        present = {campaign.name: campaign for campaign in campaigns_of(ledger)}
        names = {target.campaign_name(imported.dimension) for imported in campaigns}
        of_study = [campaign for name, campaign in present.items() if name in names]
        codes = {}
        for c in of_study:
            for person in c.annotators:
                codes[person.name] = person.code
        for imported in campaigns:
            name = target.campaign_name(imported.dimension)
            campaign = present.get(name) or _new_campaign(ledger, imported, name, source)
            if imported.form != form_of(campaign):  # checked before: it has more labels
                campaign = change_settings(ledger, campaign, imported.settings)
            if IMPORTED not in campaign.settings:
                raise InputError(
                    f"{target.ledger}: asks people in a campaign {name!r}. Name the ratings "
                    "otherwise (--name); its results count them all the same."
                )
            new += _keep_ratings(ledger, campaign, imported, codes)
            close_campaign(ledger, campaign)
    return new


def _new_campaign(
    ledger: Ledger, imported: ImportedCampaign, name: str, source: Mapping[str, object]
) -> Campaign:
    """Returns a new campaign of such ratings, without any yet; it keeps which files they were in,
    and how those were read."""
    drafted = Campaign(
        id="",
        name=name,
        form=imported.form.name,
        annotators=(),
        guidelines="Imported: what annotators read is not known.\n",
        settings={
            **imported.settings,
            **source,
            "factmark": __version__,
        },
    )
    return create_campaign(ledger, drafted, items=(), units=(), shown={}, assignments=())


def _keep_ratings(
    ledger: Ledger, campaign: Campaign, imported: ImportedCampaign, study: dict[str, str]
) -> int:
    """Adds the ratings that a campaign does not have, with who gave them and tasks for them;
    returns how many. Whose ratings are there already is nobody new, also if forgotten since.

    Args:
        study: name -> code of who rated by another dimension; it gets those who are new.
    """
    kept = rating_ids(ledger, campaign)
    ratings = {_rating_id(campaign, rating): rating for rating in imported.ratings}
    new = {name: rating for name, rating in ratings.items() if name not in kept}
    known = {person.name for person in campaign.annotators}
    names = dict.fromkeys(r.annotator for r in new.values() if r.annotator not in known)
    people = [*campaign.annotators]
    for name in names:
        here = {person.code for person in people}
        free = (f"A{number}" for number in range(1, len(here) + len(study) + 2))
        code = study.get(name, "")
        if not code or code in here:
            code = next(code for code in free if code not in here.union(study.values()))
        study[name] = code
        people.append(Annotator(code=code, name=name))
    people.sort(key=lambda person: int(person.code[1:]))
    campaign = replace(campaign, annotators=tuple(people))
    codes = {person.name: person.code for person in campaign.annotators}
    present = [task.assignment for task in tasks_of(ledger, campaign)]
    listed = {(task.annotator, task.unit) for task in present}
    first = Counter(task.annotator for task in present)
    tasks = replace(imported, ratings=tuple(new.values())).assignments(codes, first)
    extend_campaign(
        ledger,
        campaign,
        items=imported.items.values(),
        units=imported.units.values(),
        shown=imported.shown,
        assignments=[task for task in tasks if (task.annotator, task.unit) not in listed],
    )
    keys = task_keys(ledger, campaign)
    now = timestamp()
    revisions = []
    for name, rating in new.items():
        key = keys[codes[rating.annotator], rating.unit]
        revisions.append(replace(rating, id=name, key=key, at=rating.at or now))
    # Rows of files arrive at once: of what they tell, only their times say which came later.
    revisions.sort(key=lambda revision: revision.at)
    return add_labels(ledger, campaign, revisions, imported.form.values)


def _rating_id(campaign: Campaign, rating: Rating) -> str:
    """The id of a rating, the same each time that it is imported."""
    response = rating.response
    about = (rating.annotator, rating.unit, response.label, response.comment, rating.at)
    return content_hash(SOURCE, campaign.id, *about)
