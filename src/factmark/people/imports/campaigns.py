"""Ratings from files as campaigns: one for each dimension, all on one ledger's documents. Pure but
for the units that a ledger holds already, which are handed in."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from factmark.campaign_model import Assignment, PersonResponse, Rating, Shown
from factmark.errors import InputError
from factmark.model import Item, Unit, content_hash
from factmark.people.core.forms import COARSE, FINE, FORMS, Form
from factmark.people.core.scales import (
    RatingScale,
    imported_form,
    scale_given,
    scales_of,
    settings_of,
)
from factmark.people.core.summary_blinding import blind_summary
from factmark.people.imports.rating_rows import RatingRow
from factmark.text.blinding import blind

SOURCE = "import"  # of ratings that came from a file

Known = Mapping[tuple[str, str], Unit]
"""Item and system -> the summary that a ledger has of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedCampaign:
    """The ratings by one dimension, with all that they are about; nothing of it is written yet.

    Attributes:
        people: names, in the order in which they appear.
    """

    dimension: str
    form: Form
    items: Mapping[str, Item]
    units: Mapping[str, Unit]
    shown: Mapping[str, Shown]
    people: tuple[str, ...]
    ratings: tuple[Rating, ...]
    settings: Mapping[str, object]

    @property
    def n_rated(self) -> int:
        """How many ratings count: of a unit that somebody rated once more the last does."""
        return len({(rating.annotator, rating.unit) for rating in self.ratings})

    def assignments(self, codes: Mapping[str, str], first: Mapping[str, int]) -> list[Assignment]:
        """What each annotator rated, in the order of the file.

        Args:
            codes: name -> code.
            first: code -> the place of the first one on that annotator's list.
        """
        lists: defaultdict[str, dict[str, None]] = defaultdict(dict)
        for rating in self.ratings:
            lists[codes[rating.annotator]][rating.unit] = None
        return [
            Assignment(
                annotator=code,
                batch=1,
                position=first.get(code, 0) + place,
                unit=unit,
                document=self.items[self.units[unit].item].cluster,
            )
            for code, units in lists.items()
            for place, unit in enumerate(units)
        ]


def imported_campaigns(
    rows: Sequence[RatingRow],
    *,
    form: str = "",
    labels: str = "",
    metric: str = "",
    known: Known,
    forms: Mapping[str, Form],
) -> tuple[ImportedCampaign, ...]:
    """The ratings by dimension, in the order of the file.

    Args:
        form: `coarse` or `fine`, where the ratings are on one of our forms; empty where the file's
            layout or labels say.
        labels: the scale as its owner writes it, see `scale_given`; empty where labels say it.
        metric: how far apart labels are; empty where the scale says.
        forms: dimension -> the form that earlier ratings of that campaign are on.

    InputError, with the place: a label that is not on the scale, a document with two sources, a
    system with two summaries of one.
    """
    _check_texts(rows)
    dimensions: dict[str, list[RatingRow]] = {}
    for row in rows:
        dimensions.setdefault(row.form or row.dimension, []).append(row)
    given = None
    if labels:
        given = scale_given(labels)
    own = {
        name: {row.label: row.where for row in reversed(some)}
        for name, some in dimensions.items()
        if not (given or form or some[0].form or name in forms)
    }
    scales = scales_of(own)
    if given:
        scales = dict.fromkeys(dimensions, given)
    if metric:
        scales = {
            name: replace(scale, metric=metric)  # type: ignore[arg-type]  # the command checked it
            if len(scale.values) > 2
            else scale
            for name, scale in scales.items()
        }
    out = []
    for name, some in dimensions.items():
        wanted = form or some[0].form
        if not wanted and name in forms and not given:
            chosen = forms[name]
        else:
            ours = name not in forms or forms[name].name in FORMS
            chosen = _form(name, some, wanted, scales.get(name), known if ours else None)
        out.append(_campaign(name, some, chosen, known))
    return tuple(out)


def _form(
    name: str,
    rows: Sequence[RatingRow],
    wanted: str,
    scale: RatingScale | None,
    known: Known | None,
) -> Form:
    """Returns the form of a dimension's ratings: the one that is wanted, ours where it fits, else
    one made of its scale.

    Args:
        known: None where earlier ratings of that campaign are not on one of our forms.
    """
    parts = any(row.part or row.place for row in rows)
    if wanted == FINE.name and not parts:
        raise InputError(f"{rows[0].where}: --form fine is for clauses, and these are summaries.")
    if wanted:
        if wanted == FINE.name:
            return FINE
        return COARSE
    assert scale is not None  # noqa: S101  # what has no form has a scale
    if not name and not parts and known is not None:
        rated = {(_item_id(row), row.system) for row in rows}
        if tuple(scale.values) == COARSE.labels or (
            scale.values.keys() <= set(COARSE.labels) and rated & known.keys()
        ):
            return COARSE
    return imported_form(name, scale, parts=parts)


def _check_texts(rows: Sequence[RatingRow]) -> None:
    """Raises InputError where one document, or one summary, has two texts."""
    texts: dict[tuple[str, ...], tuple[str, str]] = {}
    for row in rows:
        for what, key, text in (
            ("source", (row.document,), row.source),
            ("summary", (row.document, row.item, row.system), row.summary if not row.part else ""),
        ):
            if not text:
                continue
            before, where = texts.setdefault((what, *key), (text, row.where))
            if before != text:
                owner = ""
                if what == "summary":
                    owner = f" by {row.system!r}"
                raise InputError(
                    f"{row.where}: {row.document!r} has another {what}{owner} in {where}. Say what "
                    "tells them apart: --column topic=NAME, or another --column document=NAME."
                )


def _campaign(
    dimension: str, rows: Sequence[RatingRow], form: Form, known: Known
) -> ImportedCampaign:
    """Returns the ratings of a dimension as a campaign. InputError: a label is not on its scale."""
    summaries = _assembled(rows)
    items: dict[str, Item] = {}
    units: dict[str, Unit] = {}
    shown: dict[str, Shown] = {}
    ratings: dict[tuple[str, str, str, str, str], Rating] = {}
    people: dict[str, None] = {}
    offered = {label.casefold(): label for label in form.labels}
    for row in rows:
        label = offered.get(row.label.casefold())
        if label is None:
            raise InputError(
                f"{row.where}: the label {row.label!r} is none of {', '.join(form.labels)}. Say "
                "the scale with --labels."
            )
        item = _item_id(row)
        if item not in items:
            items[item] = _item(item, row)
        unit, view = _unit(form, item, row, summaries, known)
        units.setdefault(unit.id, unit)
        shown.setdefault(unit.id, view)
        people[row.annotator] = None
        key = (row.annotator, unit.id, label, row.comment, row.at)
        ratings.pop(key, None)  # of 3, 4 and 3 again the last is 3
        ratings[key] = Rating(
            annotator=row.annotator,
            unit=unit.id,
            response=PersonResponse(label=label, comment=row.comment, row=row.row),
            seconds=row.seconds,
            at=row.at,
            source=SOURCE,
            first=False,  # whether it was changed before it was published is not known
        )
    parts = any(row.part or row.place for row in rows)
    return ImportedCampaign(
        dimension="" if form.name in (COARSE.name, FINE.name) else dimension,
        form=form,
        items=items,
        units=units,
        shown=shown,
        people=tuple(people),
        ratings=tuple(ratings.values()),
        settings=settings_of(form, dimension=dimension, parts=parts),
    )


@lru_cache(maxsize=4096)
def _blind(text: str, *, source: bool = False) -> str:
    """A text as campaigns show it; a summary stands in a file once for each of its ratings."""
    return (blind(text, paragraphs=True) if source else blind_summary(text)).text


def _item_id(row: RatingRow) -> str:
    """Returns the id of the item that a row is about: its document, with its topic where it has
    one."""
    if row.item:
        return f"{row.document}: {row.item}"
    return row.document


def _item(item: str, row: RatingRow) -> Item:
    """Returns the item that a row is about, its source as campaigns show it."""
    source = _blind(row.source, source=True)
    original = {}
    if source != row.source:
        original = {"original": row.source}
    return Item(id=item, cluster=row.document, data={"source": source, **original})


SummaryKey = tuple[str, str, str]


def _assembled(rows: Sequence[RatingRow]) -> dict[SummaryKey, tuple[str, dict[str, int]]]:
    """Document, item and system -> the summary that its rated sentences make, where the file has
    no summary of its own, and where each begins."""
    parts: defaultdict[SummaryKey, dict[str, str]] = defaultdict(dict)
    for row in rows:
        if row.part and row.start is None:
            parts[row.document, row.item, row.system].setdefault(row.place or row.part, row.part)
    out = {}
    for key, sentences in parts.items():
        places = list(sentences)
        if all(place.isdecimal() for place in places):
            places.sort(key=int)
        text = ""
        starts = dict[str, int]()
        for place in places:
            starts[place] = len(text) + bool(text)
            if text:
                text += f" {sentences[place]}"
            else:
                text += sentences[place]
        out[key] = (text, starts)
    return out


def _unit(
    form: Form,
    item: str,
    row: RatingRow,
    summaries: Mapping[SummaryKey, tuple[str, dict[str, int]]],
    known: Known,
) -> tuple[Unit, Shown]:
    """What was rated, and what is known of what the annotator saw."""
    is_part = bool(row.part or row.place)
    summary_id = _summary_id(item, row)
    if not is_part:
        text = _blind(row.summary)
        kept = None
        if form == COARSE:
            kept = known.get((item, row.system))
        unit = kept or Unit(
            id=summary_id if form == COARSE else content_hash(form.kind, item, row.system),
            item=item,
            kind=form.kind,
            text=text,
            data={"system": row.system}
            | ({"original": row.summary} if text != row.summary else {}),
        )
        return unit, Shown(evidence=row.source, text=unit.text)
    text = row.summary
    start = row.start
    if start is None:
        text, starts = summaries.get((row.document, row.item, row.system), ("", {}))
        start = starts.get(row.place or row.part, 0)
    unit = Unit(
        id=content_hash(form.kind, summary_id, row.place or row.part),
        item=item,
        kind=form.kind,
        text=row.part,
        data={"system": row.system, "summary": summary_id, "span": [start, start + len(row.part)]},
    )
    return unit, Shown(evidence=row.source, text=text, clause=(start, start + len(row.part)))


def _summary_id(item: str, row: RatingRow) -> str:
    """The id that a campaign of ours gives the same summary; without a text that of its place."""
    if row.part or row.place:
        text = ""
    else:
        text = _blind(row.summary)
    return content_hash("summary", item, row.system, text)
