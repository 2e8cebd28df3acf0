"""Claims as rows of a user's table, and the units that are judged. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from factmark.graphs.core.claims import basis_of
from factmark.model import Unit, Verdict, content_hash

KIND = "claim"
"""The kind of the units."""

_SPACES = re.compile(r"\s+")


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimRow:
    """A claim, or a response that is still to be cut into claims, as a row of a table has it.

    Attributes:
        place: where it stands: `line 12`; of claims cut out of one response with a number behind.
        id: the user's name of the row; its place where the table names none.
        cluster: what is resampled together: a response, a document, a question.
        system: whose claim or response it is; empty where that is not told.
        text: the claim, or the response.
        passage: what it is judged by; None where there is nothing.
        passage_id: the passage's name in its own file; several with commas between.
        label: what people say of it, None where they say nothing.
        foreign: judge -> the label that another program's judge gave it.
        triple: head, relation and tail, where the claim came as a triple.
        unjudged: why nobody judges it, as what its verdict is: a model could not cut the sentence
            into claims, or there is no such passage.
        data: the table's columns as they were; they pass through.
    """

    place: str
    id: str
    cluster: str
    system: str = ""
    text: str
    passage: str | None = None
    passage_id: str = ""
    label: str | None = None
    foreign: Mapping[str, str] = field(default_factory=dict)
    triple: tuple[str, ...] = ()
    unjudged: Verdict | None = None
    data: Mapping[str, object] = field(default_factory=dict)

    @property
    def basis(self) -> str:
        """What a judge goes by who may go by general truth."""
        return basis_of(self.passage)


def claim_id(row: ClaimRow) -> str:
    """Returns the id of the claim with its passage: the same for the same pair in any table."""
    return content_hash(KIND, _SPACES.sub(" ", row.text).strip(), row.passage or "")


def claim_unit(row: ClaimRow) -> Unit:
    """Returns the unit that judges are given of a row."""
    triple = dict(zip(("head", "relation", "tail"), row.triple, strict=False))
    data = {"passage": row.passage, "passage_id": row.passage_id, "id": row.id, **triple}
    return Unit(id=claim_id(row), item=row.cluster, kind=KIND, text=row.text, data=data)
