"""Units whose right answer the owner knows, and where they stand on the lists of annotators. Pure.

- `training` comes first; the right answer and why are shown once an annotator has answered.
- `gold` stands among the work and looks like it; nothing is shown.
- `check` is a question on the guidelines, before all else.

They are of a kind of their own, so that nothing that reads units of a protocol ever sees them, and
answers to them become no verdicts.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Literal, cast

from factmark.campaign_model import Assignment, Shown
from factmark.model import Item, Unit, content_hash

PRACTICE = "practice"
"""The kind of such units."""
BEFORE = 0
"""The batch of what comes before the work: no server but our page shows it."""
Role = Literal["training", "gold", "check"]


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownUnit:
    """A unit whose right answer is known, as a file has it.

    Attributes:
        document: what units that belong side by side have in common.
        right: the right label; of a check the number of the right option.
        why: the explanation, or empty.
    """

    role: Role
    document: str
    shown: Shown
    right: str
    why: str = ""

    @property
    def unit(self) -> Unit:
        """It as a unit of the ledger."""
        shown = self.shown
        return Unit(
            # With the right answer: another campaign may ask the same, and know better.
            id=content_hash(
                PRACTICE,
                *(self.role, shown.evidence, shown.text, shown.clause, shown.options),
                *(self.right, self.why),
            ),
            item=self.document,
            kind=PRACTICE,
            text=shown.text,
            data={"role": self.role, "right": self.right, "why": self.why},
        )

    @property
    def item(self) -> Item:
        """What it is sampled from."""
        return Item(id=self.document, cluster=self.document, data={})


def with_known(
    assignments: Iterable[Assignment],
    known: Sequence[KnownUnit],
    codes: Sequence[str],
    *,
    seed: int,
    together: bool,
) -> tuple[Assignment, ...]:
    """Returns the lists with everybody asked about all that is known: questions and training first,
    in the order of their files, gold spread over the list.

    Args:
        codes: of the annotators.
        together: whether units of a document stand side by side.
    """
    lists: dict[str, list[Assignment]] = {code: [] for code in codes}
    for assignment in assignments:
        lists[assignment.annotator].append(assignment)
    out: list[Assignment] = []
    for code, work in lists.items():
        before = []
        for known_unit in known:
            if known_unit.role == "check":
                before.append(known_unit)
        before += [known_unit for known_unit in known if known_unit.role == "training"]
        gold = []
        for known_unit in known:
            if known_unit.role == "gold":
                gold.append(known_unit)
        rows = [_assignment(code, BEFORE, known_unit) for known_unit in before]
        rows += _spread(work, gold, code, seed=seed, together=together)
        out += [replace(row, position=place) for place, row in enumerate(rows)]
    return tuple(out)


def _spread(
    work: Sequence[Assignment], gold: Sequence[KnownUnit], code: str, *, seed: int, together: bool
) -> list[Assignment]:
    """Returns a list with gold among it: a document of it at a random place of each of as many
    stretches."""

    def shuffled(names: Iterable[str]) -> list[str]:
        return sorted(names, key=lambda name: content_hash("gold", seed, code, name))

    def block_of(row: Assignment) -> object:
        if together:
            return (row.batch, row.document)
        return row.position

    blocks = [list(block) for _, block in groupby(work, block_of)]
    documents: dict[str, dict[str, KnownUnit]] = {}
    for known in gold:
        if together:
            name = known.document
        else:
            name = known.unit.id
        documents.setdefault(name, {})[known.unit.id] = known
    places: dict[int, list[list[Assignment]]] = {}
    for turn, name in enumerate(shuffled(documents)):
        start, end = (len(blocks) * n // len(documents) for n in (turn, turn + 1))
        draw = int(content_hash("place", seed, code, name)[:8], 16)
        place = start + draw % max(1, end - start)
        batch = 1
        if place < len(blocks):
            batch = blocks[place][0].batch
        units = documents[name]
        block = []
        for unit in shuffled(units):
            block.append(_assignment(code, batch, units[unit]))
        places.setdefault(place, []).append(block)
    rows: list[Assignment] = []
    for place in range(max(1, len(blocks))):
        for block in [*places.get(place, []), *blocks[place : place + 1]]:
            rows += block
    return rows


def _assignment(code: str, batch: int, known: KnownUnit) -> Assignment:
    """Returns a known unit on an annotator's list; its position is still to be told."""
    return Assignment(
        annotator=code, batch=batch, position=-1, unit=known.unit.id, document=known.document
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Right:
    """The right answer to a unit, as it is shown and scored."""

    role: Role
    label: str
    why: str


def right_answers(units: Iterable[Unit]) -> Mapping[str, Right]:
    """Returns unit -> its right answer, of units that are practice."""
    right: dict[str, Right] = {}
    for unit in units:
        if unit.kind == PRACTICE:
            role, label, why = (str(unit.data[name]) for name in ("role", "right", "why"))
            right[unit.id] = Right(role=cast(Role, role), label=label, why=why)
    return right
