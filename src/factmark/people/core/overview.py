"""What a campaign will take of each annotator. Pure."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from factmark.people.core.forms import COARSE, FACTS, FINE, GRAPHRAG, SUPPORT, VALIDITY, Form
from factmark.people.core.records import Annotator, Assignment

_MINUTES: Mapping[str, tuple[float, float]] = {
    COARSE.name: (25.0, 0.0),
    FINE.name: (15.0, 0.5),
    SUPPORT.name: (0.0, 1.0),
    VALIDITY.name: (0.0, 1.0),
    GRAPHRAG.name: (0.0, 2.0),
    FACTS.name: (0.0, 5.0),
}
"""Minutes for a document and for each of its rows: for `coarse` as the guidelines suggest (with
three summaries), for the others a guess to plan by."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Load:
    """What one annotator is asked.

    Attributes:
        shared: rows that somebody else is asked as well.
        minutes: that it will take, roughly.
    """

    annotator: Annotator
    documents: int
    rows: int
    batches: int
    shared: int
    minutes: float


def loads(
    form: Form, annotators: Sequence[Annotator], assignments: Iterable[Assignment]
) -> tuple[Load, ...]:
    """The load of each annotator, in their order."""
    lists: defaultdict[str, list[Assignment]] = defaultdict(list)
    raters: Counter[str] = Counter()
    for one in assignments:
        lists[one.annotator].append(one)
        raters[one.unit] += 1
    document, row = _MINUTES[form.name]
    out = []
    for annotator in annotators:
        mine = lists[annotator.code]
        documents = len({one.document for one in mine})
        out.append(
            Load(
                annotator=annotator,
                documents=documents,
                rows=len(mine),
                batches=len({one.batch for one in mine}),
                shared=sum(raters[one.unit] > 1 for one in mine),
                minutes=document * documents + row * len(mine),
            )
        )
    return tuple(out)
