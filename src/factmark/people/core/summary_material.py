"""Summaries and their clauses as what a campaign asks about, blinded, beside their source."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from factmark.campaign_model import Shown
from factmark.errors import InputError
from factmark.model import Item, Unit, content_hash
from factmark.people.core.assign import drawn_share
from factmark.people.core.blinding import Blinded, blind
from factmark.people.core.clauses import clauses
from factmark.people.core.likely_sentences import IndexedSource, index_source, likely_sentences
from factmark.people.core.material import Material, changes_of, original_of
from factmark.text.sentences import Span


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A source with the summaries of it, as a file has them.

    Attributes:
        summaries: system -> text.
        where: the file and its place in it.
    """

    id: str
    source: str
    summaries: Mapping[str, str]
    where: str = ""


def of_summaries(documents: Sequence[Document]) -> Material:
    """Whole summaries, blinded, each beside its blinded source.

    Raises:
        InputError: a summary of which blinding leaves nothing.
    """
    sources = {one.id: blind(one.source, paragraphs=True) for one in documents}
    items = []
    units: list[Unit] = []
    shown: dict[str, Shown] = {}
    asked: dict[str, tuple[str, ...]] = {}
    written: dict[str, list[Blinded | None]] = {
        system: [] for one in documents for system in one.summaries
    }
    for one in documents:
        source = sources[one.id]
        items.append(Item(id=one.id, cluster=one.id, data=_with_original(source, one.source)))
        mine: list[Unit] = []
        for system, texts in written.items():
            given = one.summaries.get(system)
            made = None if given is None else blind(given)
            texts.append(made)
            if given is not None and made is not None:
                mine.append(_summary(one, system, given, made))
        units += mine
        asked[one.id] = tuple(unit.id for unit in mine)
        shown |= {unit.id: Shown(evidence=source.text, text=unit.text) for unit in mine}
    return Material(
        items=tuple(items),
        units=tuple(units),
        documents=asked,
        shown=shown,
        texts={
            system: [None if text is None else text.text for text in texts]
            for system, texts in written.items()
        },
        blinding={
            "source": changes_of(list(sources.values())),
            **{
                system: changes_of([text for text in texts if text is not None])
                for system, texts in written.items()
            },
        },
        settings={"systems": list(written), "documents": len(documents)},
        notes=_unlike(documents, written),
    )


def of_clauses(
    documents: Sequence[Document], *, share: float, seed: int, asked: Collection[str] | None = None
) -> Material:
    """Clauses of summaries, a share of each summary's, with the likely sentences of the source.

    All clauses become units, one that a summary repeats once; only those drawn are asked about, in
    the order of the text.

    Args:
        asked: the documents that are asked about; all where None.
    """
    whole = of_summaries(documents)
    texts = {item.id: str(item.data["source"]) for item in whole.items}
    units: list[Unit] = []
    shown: dict[str, Shown] = {}
    drawn: dict[str, tuple[str, ...]] = {}
    parts: dict[str, str] = {}
    size = 0
    for document, summaries in _by_item(whole.units).items():
        made = {summary.id: _clauses(summary) for summary in summaries}
        units += (unit for some in made.values() for unit, _ in some)
        mine: dict[str, Shown] = {}
        if asked is None or document in asked:
            source = index_source(texts[document])
            for summary in summaries:
                size += len(made[summary.id])
                some = _shown(made[summary.id], summary, source, share, seed)
                parts |= dict.fromkeys(some, summary.id)
                mine |= some
        shown |= mine
        drawn[document] = tuple(mine)
    return replace(
        whole,
        units=(*whole.units, *units),
        documents=drawn,
        shown=shown,
        parts=parts,
        settings={
            **whole.settings, "clauses": {"share": share, "asked": len(shown), "of": size}
        },
    )  # fmt: skip


def _shown(
    made: Sequence[tuple[Unit, Span]], summary: Unit, source: IndexedSource, share: float, seed: int
) -> dict[str, Shown]:
    """The clauses of a summary that are drawn, in the order of the text."""
    chosen = set(drawn_share((unit.id for unit, _ in made), share, seed=seed))
    return {
        unit.id: Shown(
            evidence=source.text,
            text=summary.text,
            marked=(span.start, span.end),
            likely=tuple((one.start, one.end) for one in likely_sentences(unit.text, source)),
        )
        for unit, span in made
        if unit.id in chosen
    }


def _summary(document: Document, system: str, given: str, made: Blinded) -> Unit:
    if not made.text:
        raise InputError(
            f"{document.where}: of {system!r} nothing but signs is left once it is blinded. Leave "
            "the document or the system out."
        )
    return Unit(
        id=content_hash("summary", document.id, system, made.text),
        item=document.id,
        kind="summary",
        text=made.text,
        data={"system": system} | original_of(made, given),
    )


def _clauses(summary: Unit) -> list[tuple[Unit, Span]]:
    """Its clauses in order; one that stands there again word for word is taken once."""
    spans: dict[str, Span] = {}
    for span in clauses(summary.text):
        spans.setdefault(" ".join(span.of(summary.text).split()).casefold(), span)
    return [
        (
            Unit(
                id=content_hash("clause", summary.id, span.start, span.end),
                item=summary.item,
                kind="clause",
                text=span.of(summary.text),
                data={
                    "system": summary.data["system"],
                    "summary": summary.id,
                    "span": [span.start, span.end],
                },
            ),
            span,
        )
        for span in spans.values()
    ]


def _by_item(units: Iterable[Unit]) -> dict[str, list[Unit]]:
    out: dict[str, list[Unit]] = {}
    for unit in units:
        out.setdefault(unit.item, []).append(unit)
    return out


def _with_original(made: Blinded, given: str) -> dict[str, object]:
    return {"source": made.text} | original_of(made, given)


def _unlike(documents: Sequence[Document], systems: Iterable[str]) -> tuple[str, ...]:
    """What is to be told where documents have not the same systems."""
    have = Counter(system for one in documents for system in one.summaries)
    return tuple(
        f"{system} has summaries of {have[system]} of {len(documents)} documents"
        for system in systems
        if have[system] < len(documents)
    )
