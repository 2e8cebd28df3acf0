"""What the desk shows beside a unit: its source in paragraphs, with numbered sentences, and where
in it each sentence of the unit likely stands. Made once for each source, since all of it follows
from the texts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from factmark.campaign_model import Shown
from factmark.model import content_hash
from factmark.people.core.paragraphs import blocks
from factmark.text.sentences import sentences

if TYPE_CHECKING:  # with numpy, without which the page starts
    from factmark.people.core.linking import IndexedSource


@dataclass(frozen=True, slots=True)
class ShownSources:
    """The sources of a campaign's page, each looked at once."""

    _sources: dict[str, tuple[str, IndexedSource]] = field(default_factory=dict)
    _hints: dict[tuple[str, str], list[list[object]]] = field(default_factory=dict)

    def source(self, shown: Shown) -> dict[str, object]:
        """A source for the page: `sentences` as start, end and number, that of a heading 0."""
        key, indexed = self._index_of_source(shown)
        parts = blocks(shown.evidence, shown.sections)
        heads = []
        for part in parts:
            if part.kind == "heading":
                heads.append((part.start, part.end))
        numbered = []
        number = 0
        for start, end in indexed.sentences:
            counts = not any(first <= start < last for first, last in heads)
            number += counts
            numbered.append([start, end, number if counts else 0])
        named = {shown.evidence[start:end].casefold() for start, end in heads}
        return {
            "id": key,
            "text": shown.evidence,
            "blocks": parts,
            "sentences": numbered,
            # Names that stand as headings in the text need no list beside it.
            "sections": [name for name in shown.sections if name.casefold() not in named],
        }

    def sentences(self, shown: Shown) -> list[list[object]]:
        """The sentences of a unit: start, end, and the places of likely ones in its source's list.

        Of a clause that is asked about, the clause alone, with those that were found for it.
        """
        from factmark.people.core.linking import likely_by_words

        name, indexed = self._index_of_source(shown)
        if shown.clause is not None:
            return [[*shown.clause, _places(indexed, shown.likely)]]
        key = (name, shown.text)
        if key not in self._hints:
            spans = sentences(shown.text)
            links: Sequence[Sequence[tuple[int, int]]] = shown.hints
            if len(links) != len(spans):  # none, or an earlier version told sentences otherwise
                links = likely_by_words([span.of(shown.text) for span in spans], indexed)
            self._hints[key] = [
                [*span, _places(indexed, likely)] for span, likely in zip(spans, links, strict=True)
            ]
        return self._hints[key]

    def _index_of_source(self, shown: Shown) -> tuple[str, IndexedSource]:
        """Returns the name and the index of a source; each source is indexed once."""
        from factmark.people.core.linking import index_source

        if shown.evidence not in self._sources:
            name = content_hash(shown.evidence)[:16]
            self._sources[shown.evidence] = name, index_source(shown.evidence)
        return self._sources[shown.evidence]


def _places(source: IndexedSource, likely: Iterable[tuple[int, int]]) -> list[int]:
    """Where in the list of sentences those stand that share characters with these stretches."""
    spans = list(likely)
    places = []
    for place, (start, end) in enumerate(source.sentences):
        if any(first < end and start < last for first, last in spans):
            places.append(place)
    return places
