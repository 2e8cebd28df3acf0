"""The page of a campaign, for its owner: cards of its documents, and its charts as data."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from factmark.people.core.forms import COARSE, FINE
from factmark.people.ratings.entries import BROUGHT_IN, RatedTask, answer_value, group_rows
from factmark.people.ratings.systems import SystemScore, system_name
from factmark.people.results import CampaignResults, subject_of
from factmark.people.tables.work_tables import blinding_table
from factmark.report.charts import BarChart, Dot, DotChart, DotPanel, dot_of, stacked_bar
from factmark.report.page import Filters, Page
from factmark.stats.scales import share_of_scale
from factmark.text.shown_text import count, interval, number

CARDS = 2_000
STEPS = 6  # colours from the least label to the greatest
_APART = 2.0  # from how many points on a difference of two ratings from 0 to 5 stands out
_LIMITS = (
    "Intervals tell how much a value would vary with other documents. They do not tell how it "
    "would vary with other annotators; leniency and agreement do.",
    "A first rating is known only where nothing had been changed before it was first seen.",
    "Finer ratings are read from comments, conservatively, and are in no other number.",
)
_IMPORT_LIMITS = _LIMITS[::2]  # where nobody was asked there is no first rating

Card = Mapping[str, Any]
Parts = Sequence[CampaignResults]


def ratings_page(parts: Parts, *, title: str = "", cards: int = CARDS) -> Page:
    """Returns what the page of a campaign shows, or of several dimensions of one study.

    Args:
        title: the campaign's name where empty.
        cards: of more documents the page shows so many, and says how many there are.
    """
    first = parts[0]
    documents = _document_cards(parts)
    imported = all(part.imported for part in parts)
    blinding: Any = first.settings.get("blinding")
    tells: Any = first.settings.get("tells") or ()
    form = first.form
    return Page(
        template="campaign.html",
        title=title or subject_of(parts),
        lead=(
            *(part.form.title for part in parts),
            count(len(documents), "document", "documents"),
            count(len(first.annotators), "annotator", "annotators"),
        ),
        charts=[*_measure_charts(parts), *_label_charts(parts)],
        # Comments stand beside what they are about.
        hidden_tables=["comments", *(f"comments {part.dimension}" for part in parts)],
        cards=documents[:cards],
        total=len(documents),
        filters=_filters(parts, documents[:cards]),
        limits=_IMPORT_LIMITS if imported else _LIMITS,
        styles=("graph.css", "campaign.css"),
        values={
            "results": first,
            "imported": imported,
            "form": form,
            "nouns": "clauses" if form == FINE else form.things,
            "blinding": None if blinding is None else blinding_table(blinding),
            "tells": [str(tell) for tell in tells],
        },
    )


def _filters(parts: Parts, documents: Sequence[Card]) -> Filters:
    """Returns what the page's cards can be filtered and sorted by."""
    cards = []
    for document in documents:
        cards.extend(document["parts"])
    apart = "annotators differ"
    if parts[0].form == COARSE:
        apart += " by 2 or more"
    flags = [("differs", apart), ("changed", "recalibrated"), ("comment", "with a comment")]
    flags.append(("missing", "not all rated"))
    if all(part.imported for part in parts):  # nobody was asked anything
        flags = flags[::2]
    systems = dict.fromkeys(card["system"] for card in cards)
    annotators = dict.fromkeys(rating["annotator"] for card in cards for rating in card["ratings"])
    return Filters(
        singular="document",
        many="documents",
        text="h3, .text, .comment, .source",
        hint="in source, text or comment",
        choices={"system": list(systems), "annotator": list(annotators)},
        orders=(("question", "document"), ("high", "disagreement, largest first")),
        flags=tuple(flags),
    )


def _document_cards(parts: Parts) -> list[Card]:
    """Returns a card for each document, in the order in which they were first asked about, with its
    units by every dimension."""
    cards: dict[tuple[str, str], list[Card]] = defaultdict(list)
    for results in parts:
        by = ""
        if len(parts) > 1:
            by = f" · {results.dimension}"
        documents = group_rows(results.entries, lambda e: (e.assignment.document, e.unit.evidence))
        for key, entries in documents.items():
            units = group_rows(entries, lambda entry: entry.assignment.unit).values()
            ordered = sorted(units, key=_place_of_unit)
            cards[key] += [_unit_card(results, rated, by) for rated in ordered]
    return [
        {
            "document": document,
            "evidence": evidence,
            "parts": shown,
            "apart": max(part["apart"] for part in shown),
        }
        for (document, evidence), shown in cards.items()
    ]


def _place_of_unit(entries: Sequence[RatedTask]) -> tuple[str, str, int]:
    """Returns where a unit stands in the card of its document."""
    unit = entries[0].unit
    return unit.system, unit.part, unit.order


def _unit_card(results: CampaignResults, entries: Sequence[RatedTask], by: str) -> Card:
    """Returns what the page shows of a unit: its text, what everybody gave it, and how far that
    lies apart; `by` follows the system's name."""
    decided = []
    for decision in results.decisions:
        if decision.assignment.unit == entries[0].assignment.unit and decision.final:
            decided.append(
                {**_rating_card(results, decision), "annotator": _decider(results, decision)}
            )
    finals = []
    for entry in entries:
        finals.append(answer_value(results.scorings[0], entry.final, entry.unit))
    values = []
    for value in finals:
        if value is not None:
            values.append(results.form.bounds.value(value))
    apart = 0.0
    if values:
        apart = max(values) - min(values)
    return {
        "system": system_name(entries[0].unit.system) + by,
        "text": entries[0].unit.text,
        "ratings": [*(_rating_card(results, entry) for entry in entries), *decided],
        "mean": number(sum(values) / len(values) if values else None),
        "apart": apart,
        "differs": apart >= _APART if results.form == COARSE else apart > 0,
        "commented": any(entry.comment for entry in entries),
        "changed": any(entry.recalibrated for entry in entries),
        "missing": any(not entry.revisions for entry in entries),
    }


def _decider(results: CampaignResults, decision: RatedTask) -> str:
    """Returns who decided, as the page calls them: their code, or their names."""
    code = decision.assignment.annotator
    called = results.called(code)
    if called == code:
        return f"{code} decides"
    return called


def _rating_card(results: CampaignResults, entry: RatedTask) -> Card:
    """Returns what the page shows of a rating: what counts, what came first where it differs, the
    comment."""
    final = entry.final
    first = ""
    if final is not None and entry.first is None and final.source not in BROUGHT_IN:
        first = "not known"
    elif entry.recalibrated:
        first = _answer_text(results, entry, 0)
    return {
        "annotator": results.called(entry.assignment.annotator),
        "first": first,
        "final": _answer_text(results, entry, -1) if final else "",
        "comment": entry.comment,
        "finer": results.finer(entry),
        "minutes": None if entry.seconds is None else f"{entry.seconds / 60:.1f}",
    }


def _answer_text(results: CampaignResults, entry: RatedTask, place: int) -> str:
    """Returns an answer to a task as the page shows it: its label, or the scores of its marks."""
    revision = entry.revisions[place]
    return revision.response.label or " ".join(
        f"{scoring.measure.symbol} {number(answer_value(scoring, revision, entry.unit))}"
        for scoring in results.scorings
    )


def _measure_charts(parts: Parts) -> Iterator[DotChart]:
    """Yields the chart with a panel for each measure; none where nothing is rated."""
    panels: list[DotPanel] = []
    for part in parts:
        panels.extend(_panels(part))
    if panels:
        yield DotChart(caption="Per system, with intervals", panels=tuple(panels))


def _panels(results: CampaignResults) -> Iterator[DotPanel]:
    """Yields the panel of each measure: a dot per system, and the numbers below its axis."""
    if not any(score.final.value is not None for score in results.scores):
        return
    for measure in results.form.measures:
        scores = []
        for score in results.scores:
            if score.measure == measure:
                scores.append(score)
        yield DotPanel(
            name=measure.name,
            better=measure.better,
            groups={"": {"": [_dot(score, series) for series, score in enumerate(scores)]}},
            ticks=tuple(f"{measure.scale.value(share):g}" for share in (0.0, 0.5, 1.0)),
        )


def _dot(score: SystemScore, series: int) -> Dot:
    """Returns a system's value and interval as a dot on a measure's chart."""
    dot = dot_of(share_of_scale(score.final), system_name(score.system), series)
    return replace(dot, value=number(score.final.value), interval=interval(score.final))


def _label_charts(parts: Parts) -> Iterator[BarChart]:
    """Yields how often each label was given, a bar per system, labels from the least to the
    greatest; nothing where people mark a text."""
    for results in parts:
        labels = results.form.ranked
        counts = defaultdict[str, Counter[str]](Counter)
        last = max(1, len(labels) - 1)
        tones = {label: f"step-{round(n * (STEPS - 1) / last)}" for n, label in enumerate(labels)}
        for share in results.shares:
            counts[share.system][share.label] = share.count
        if not counts:
            continue
        caption = "What was given, per system; at the right, how many ratings"
        yield BarChart(
            caption=f"{results.dimension}: {caption}" if len(parts) > 1 else caption,
            label="Labels, from the least to the greatest",
            tones=tones,
            meanings=results.form.meanings,
            bars=tuple(
                stacked_bar(system_name(name), given, tones) for name, given in counts.items()
            ),
            patterns=False,
        )
