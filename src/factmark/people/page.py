"""The report on a campaign, for its owner: cards of its documents, and its charts as data.

`templates/campaign-chart.html` draws the charts: a dot with its interval per system, and how often
each label was given. Positions are percentages, so that a drawing is as wide as the screen.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from factmark.people.core.forms import COARSE, FINE
from factmark.people.opening import campaign_opening
from factmark.people.progress_tables import blinding_table
from factmark.people.ratings.entries import BROUGHT_IN, RatedTask, answer_value, group_rows
from factmark.people.ratings.systems import SystemScore, system_name
from factmark.people.results import CampaignResults
from factmark.people.tables import campaign_tables
from factmark.report.charts import BarChart, Dot, dot_of, stacked_bar
from factmark.report.page import Filters, render_page
from factmark.stats.scales import share_of_scale
from factmark.text.shown_text import interval, number

CARDS = 2_000
STEPS = 6  # colours from the least label to the greatest
_APART = 2.0  # from how many points on a difference of two ratings from 0 to 5 stands out

Card = Mapping[str, Any]


def render_campaign_html(results: CampaignResults, *, title: str = "", cards: int = CARDS) -> str:
    """Returns the report of a campaign as one HTML document, ready to be written as UTF-8.

    The same results give the same text. Works without JavaScript: then all cards are shown and
    there are no filters. Of more documents than `cards` the page says how many are not shown.
    """
    documents = _document_cards(results)
    tables = campaign_tables(results)
    tables.pop("comments", None)  # they stand beside what they are about
    blinding: Any = results.settings.get("blinding")
    tells: Any = results.settings.get("tells") or ()
    return render_page(
        "campaign.html",
        styles=("report.css", "graph.css", "campaign.css"),
        signature=results.signature,
        title=title or results.campaign,
        subject=results.campaign,
        opening=campaign_opening(results),
        problems=results.problems,
        results=results,
        form=results.form,
        nouns="clauses" if results.form == FINE else results.form.things,
        tables=tables,
        dots=_measure_charts(results),
        bars=_label_chart(results),
        blinding=None if blinding is None else blinding_table(blinding),
        tells=[str(tell) for tell in tells],
        cards=documents[:cards],
        shown=len(documents[:cards]),
        n_cards=len(documents),
        filters=_filters(results, documents[:cards]),
    )


def _filters(results: CampaignResults, documents: Sequence[Card]) -> Filters:
    """Returns what the page's cards can be filtered and sorted by."""
    parts = [part for document in documents for part in document["parts"]]
    apart = "annotators differ by 2 or more" if results.form == COARSE else "annotators differ"
    return Filters(
        singular="document",
        many="documents",
        text="h3, .text, .comment, .source",
        hint="in source, text or comment",
        choices={
            "system": list(dict.fromkeys(part["system"] for part in parts)),
            "annotator": list(
                dict.fromkeys(rating["annotator"] for part in parts for rating in part["ratings"])
            ),
        },
        orders=(("question", "document"), ("high", "disagreement, largest first")),
        flags=(
            ("differs", apart),
            *((("changed", "recalibrated"),) if not results.imported else ()),
            ("comment", "with a comment"),
            *((("missing", "not all rated"),) if not results.imported else ()),
        ),
    )


def _document_cards(results: CampaignResults) -> list[Card]:
    """Returns a card for each document, in the order in which they were first asked about, with its
    units."""
    documents = group_rows(results.entries, lambda e: (e.assignment.document, e.unit.evidence))
    cards: list[Card] = []
    for (name, evidence), entries in documents.items():
        groups = sorted(
            group_rows(entries, lambda entry: entry.assignment.unit).values(),
            key=lambda some: (some[0].unit.system, some[0].unit.part, some[0].unit.order),
        )
        parts = [_unit_card(results, some) for some in groups]
        apart = max(part["apart"] for part in parts)
        cards.append({"document": name, "evidence": evidence, "parts": parts, "apart": apart})
    return cards


def _unit_card(results: CampaignResults, entries: Sequence[RatedTask]) -> Card:
    """Returns what the page shows of a unit: its text, what everybody gave it, and how far that
    lies apart."""
    decided = [
        {**_rating_card(results, decision), "annotator": _decider(results, decision)}
        for decision in results.decisions
        if decision.assignment.unit == entries[0].assignment.unit and decision.final
    ]
    finals = [answer_value(results.scorings[0], entry.final, entry.unit) for entry in entries]
    values = [results.form.bounds.value(value) for value in finals if value is not None]
    apart = max(values) - min(values) if values else 0.0
    return {
        "system": system_name(entries[0].unit.system),
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
    return f"{code} decides" if called == code else called


def _rating_card(results: CampaignResults, entry: RatedTask) -> Card:
    """Returns what the page shows of a rating: what counts, what came first where it differs, the
    comment."""
    final, first = entry.final, ""
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


def _measure_charts(results: CampaignResults) -> list[dict[str, Any]]:
    """Returns a chart for each measure: a line per system, and the numbers below its axis; none
    where nothing is rated."""
    if not any(score.final.value is not None for score in results.scores):
        return []
    return [
        {
            "measure": measure,
            "lines": [
                _system_dot(score, series)
                for series, score in enumerate(s for s in results.scores if s.measure == measure)
            ],
            "ticks": tuple(f"{measure.scale.value(share):g}" for share in (0.0, 0.5, 1.0)),
        }
        for measure in results.form.measures
    ]


def _system_dot(score: SystemScore, series: int) -> Dot:
    """Returns a system's value and interval as a dot on a measure's chart."""
    dot = dot_of(share_of_scale(score.final), system_name(score.system), series)
    return replace(dot, value=number(score.final.value), interval=interval(score.final))


def _label_chart(results: CampaignResults) -> BarChart | None:
    """Returns how often each label was given, a bar per system, labels from the least to the
    greatest; None where people mark a text."""
    labels, counts = results.form.ranked, defaultdict[str, Counter[str]](Counter)
    last = max(1, len(labels) - 1)
    tones = {label: f"step-{round(n * (STEPS - 1) / last)}" for n, label in enumerate(labels)}
    for share in results.shares:
        counts[share.system][share.label] = share.count
    if not counts:
        return None
    return BarChart(
        caption="What was given, per system; at the right, how many ratings",
        label="Labels, from the least to the greatest",
        tones=tones,
        meanings=results.form.meanings,
        bars=tuple(stacked_bar(system_name(name), given, tones) for name, given in counts.items()),
        patterns=False,
    )
