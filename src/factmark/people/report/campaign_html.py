"""The report on a campaign, for its owner: cards of its documents, and its charts as data.

`templates/campaign-chart.html` draws the charts: a dot with its interval per system, and how often
each label was given. Positions are percentages, so that a drawing is as wide as the screen.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from factmark.people.core.forms import form_named
from factmark.people.ratings.annotators import finer_of, labels_of
from factmark.people.ratings.entries import Measure, RatedTask, worth
from factmark.people.ratings.results import CampaignResults
from factmark.people.ratings.systems import SystemScore, scaled
from factmark.people.report.rating_tables import THINGS, campaign_tables, system_name
from factmark.tables.charts import Bar, BarSegment, Dot
from factmark.tables.page import Filters, render_page
from factmark.tables.shown_text import NO_VALUE, interval, number

CARDS = 2_000
_APART = 2.0  # from how many points on a difference of two ratings from 0 to 5 stands out


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenRating:
    """What an annotator gave a unit: what came first, what counts, and what stands beside it."""

    annotator: str
    first: str
    final: str
    changed: bool
    comment: str
    finer: str
    minutes: str


@dataclass(frozen=True, slots=True, kw_only=True)
class UnitCard:
    """A unit of a document."""

    system: str
    text: str
    said: tuple[GivenRating, ...]
    mean: str
    differs: bool
    commented: bool
    changed: bool
    missing: bool

    @property
    def annotators(self) -> str:
        """Who was asked, as filters look for them."""
        return "\n".join(f"={one.annotator}" for one in self.said)


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentCard:
    """A document with its units; `apart` is how far the most disputed one's values lie apart."""

    document: str
    evidence: str
    parts: tuple[UnitCard, ...]
    apart: float


def render_campaign_html(results: CampaignResults, *, title: str = "", cards: int = CARDS) -> str:
    """The report of a campaign as one HTML document, ready to be written as UTF-8.

    The same results give the same text. Works without JavaScript: then all cards are shown and
    there are no filters.

    Args:
        title: the campaign's name where empty.
        cards: how many documents are shown one by one; the page says how many are not.
    """
    made = _cards(results)
    shown = made[:cards]
    tables = campaign_tables(results)
    tables.pop("comments", None)  # they stand beside what they are about
    return render_page(
        "campaign.html",
        styles=("report.css", "graph.css", "campaign.css"),
        signature=results.signature,
        title=title or results.campaign,
        subject=results.campaign,
        problems=results.problems,
        results=results,
        form=form_named(results.form),
        nouns="clauses" if results.form == "fine" else THINGS[results.form],
        tables=tables,
        dots=dots(results),
        bars=bars(results),
        tones=tones(results),
        progress=_progress(results),
        blinding=_blinding(results.settings.get("blinding")),
        blinded="blinding" in results.settings,
        tells=_texts(results.settings.get("tells")),
        cards=shown,
        shown=len(shown),
        n_cards=len(made),
        filters=_filters(results, shown),
    )


def _filters(results: CampaignResults, cards: Sequence[DocumentCard]) -> Filters:
    apart = "annotators differ by 2 or more" if results.form == "coarse" else "annotators differ"
    parts = [part for card in cards for part in card.parts]
    return Filters(
        one="document",
        many="documents",
        text="h3, .text, .comment, .source",
        hint="in source, text or comment",
        choices={
            "system": list(dict.fromkeys(part.system for part in parts)),
            "annotator": list(dict.fromkeys(one.annotator for part in parts for one in part.said)),
        },
        orders=(("question", "document"), ("high", "disagreement, largest first")),
        flags=(
            ("differs", apart),
            ("changed", "recalibrated"),
            ("comment", "with a comment"),
            ("missing", "not all rated"),
        ),
    )


def _progress(results: CampaignResults) -> list[tuple[str, int, int, str]]:
    """Of each annotator: name, tasks answered, tasks asked, and the share as a percentage."""
    return [
        (
            results.called(one.code),
            one.n_answered,
            one.n_asked,
            f"{100 * one.n_answered / one.n_asked if one.n_asked else 0:.1f}%",
        )
        for one in results.annotators
    ]


def _cards(results: CampaignResults) -> list[DocumentCard]:
    """The documents in the order in which they were first asked about."""
    units: dict[tuple[str, str], dict[str, list[RatedTask]]] = {}
    for entry in results.entries:
        key = (entry.assignment.document, entry.unit.evidence)
        units.setdefault(key, {}).setdefault(entry.assignment.unit, []).append(entry)
    out = []
    for (document, evidence), found in units.items():
        groups = sorted(
            found.values(),
            key=lambda some: (some[0].unit.system, some[0].unit.part, some[0].unit.order),
        )
        out.append(
            DocumentCard(
                document=document,
                evidence=evidence,
                parts=tuple(_part(results, some) for some in groups),
                apart=max(_apart(results, some) for some in groups),
            )
        )
    return out


def _part(results: CampaignResults, entries: Sequence[RatedTask]) -> UnitCard:
    values, said = _values(results, entries), [_said(results, one) for one in entries]
    apart = _apart(results, entries)
    return UnitCard(
        system=system_name(entries[0].unit.system),
        text=entries[0].unit.text,
        said=tuple(said),
        mean=number(sum(values) / len(values)) if values else NO_VALUE,
        differs=apart >= _APART if results.form == "coarse" else apart > 0,
        commented=any(one.comment for one in said),
        changed=any(one.changed for one in said),
        missing=any(one.final is None for one in entries),
    )


def _apart(results: CampaignResults, entries: Sequence[RatedTask]) -> float:
    values = _values(results, entries)
    return max(values) - min(values) if values else 0.0


def _values(results: CampaignResults, entries: Sequence[RatedTask]) -> list[float]:
    """What counts of a unit, as its labels are worth; of marks the score to go by."""
    measure = results.measures[0]
    found = [worth(one.final, one.unit, measure, 1.0) for one in entries]
    return [value for value in found if value is not None]


def _said(results: CampaignResults, entry: RatedTask) -> GivenRating:
    final, seconds = entry.final, entry.seconds
    known = entry.first
    first = ""
    if final is not None and known is None:
        first = "not known"
    elif known is not None and entry.recalibrated:
        first = _told(results, entry, 0)
    finer = (
        None
        if final is None
        else finer_of(form_named(results.form), final.response.label, final.response.comment)
    )
    return GivenRating(
        annotator=results.called(entry.assignment.annotator),
        first=first,
        final=_told(results, entry, -1) if final is not None else "",
        changed=entry.recalibrated,
        comment=final.response.comment.strip() if final is not None else "",
        finer="" if finer is None else f"{finer:g}",
        minutes="" if seconds is None else f"{seconds / 60:.1f}",
    )


def _told(results: CampaignResults, entry: RatedTask, at: int) -> str:
    one = entry.revisions[at]
    if one.response.label is not None:
        return one.response.label
    return " ".join(
        f"{measure.symbol} {number(worth(one, entry.unit, measure, 1.0))}"
        for measure in results.measures
    )


def _blinding(found: object) -> list[tuple[str, str, int, str]]:
    """Whose texts, what was changed, how often, and the first example of it."""
    if not isinstance(found, Mapping):
        return []
    out = []
    for name, changes in found.items():
        for change in changes if isinstance(changes, list) else ():
            if isinstance(change, Mapping):
                n = change.get("count")
                count = n if isinstance(n, int) else 0
                example = _example(change.get("examples"))
                out.append((str(name), str(change.get("rule", "")), count, example))
    return out


def _example(found: object) -> str:
    if not isinstance(found, list) or not found:
        return ""
    first = found[0]
    return " → ".join(map(str, first)) if isinstance(first, list) else str(first)


def _texts(found: object) -> list[str]:
    if not isinstance(found, list):
        return []
    return [one if isinstance(one, str) else json.dumps(one, ensure_ascii=False) for one in found]


STEPS = 6  # colours from the least label to the greatest
_DIGIT = 0.025  # the share of a narrow bar that a digit takes


@dataclass(frozen=True, slots=True, kw_only=True)
class Dots:
    """One measure: a line per system, and the numbers below its axis."""

    measure: Measure
    lines: tuple[Dot, ...]
    ticks: tuple[str, ...]


def dots(results: CampaignResults) -> tuple[Dots, ...]:
    """Every measure over all systems; nothing where nothing is rated."""
    if not any(one.final.value is not None for one in results.scores):
        return ()
    return tuple(
        Dots(
            measure=measure,
            lines=tuple(
                _line(one, at)
                for at, one in enumerate(s for s in results.scores if s.measure == measure)
            ),
            ticks=("0", f"{measure.top / 2:g}", f"{measure.top:g}"),
        )
        for measure in results.measures
    )


def tones(results: CampaignResults) -> dict[str, str]:
    """Label -> the class of its colour, from the least to the greatest."""
    labels = labels_of(form_named(results.form))
    last = max(1, len(labels) - 1)
    return {label: f"step-{round(at * (STEPS - 1) / last)}" for at, label in enumerate(labels)}


def bars(results: CampaignResults) -> tuple[Bar, ...]:
    """How often each label was given, a bar per system; none where people mark a text."""
    tone = tones(results)
    counts: dict[str, dict[str, int]] = {}
    for one in results.shares:
        counts.setdefault(one.system, {})[one.label] = one.count
    return tuple(_bar(system_name(name), found, tone) for name, found in counts.items())


def _line(one: SystemScore, at: int) -> Dot:
    part = scaled(one.final, 1 / one.measure.top)
    bounds = interval(one.final)
    return Dot(
        label=system_name(one.system),
        series=at,
        value=number(one.final.value),
        interval=bounds,
        at=_percent(part.value),
        low=_percent(part.low) if bounds else "",
        high=_percent(part.high) if bounds else "",
    )


def _percent(value: float | None) -> str:
    return "" if value is None else f"{min(max(value, 0.0), 1.0) * 100:.1f}%"


def _bar(name: str, counts: dict[str, int], tone: dict[str, str]) -> Bar:
    total, before, segments = sum(counts.values()), 0, []
    for label, step in tone.items():
        if n := counts.get(label, 0):
            room = n / total >= _DIGIT * (len(str(n)) + 1)
            segments.append(
                BarSegment(
                    verdict=label, tone=step, count=n,
                    start=f"{100 * before / total:.2f}%",
                    width=f"{100 * n / total:.2f}%",
                    middle=f"{100 * (before + n / 2) / total:.2f}%" if room else "",
                )
            )  # fmt: skip
            before += n
    return Bar(name=name, total=total, segments=tuple(segments))
