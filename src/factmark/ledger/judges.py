"""The judges of a ledger: what they said, and the names that people give them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from factmark.errors import InputError
from factmark.files.text_files import without_surrogates
from factmark.ledger.damage import json_cell
from factmark.ledger.ledger import Ledger
from factmark.model import Judge

_TOLD = 40  # judges that a message lists
_PREFIX = 4  # the fewest digits of an id that name a judge


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeCounts:
    """A judge of a ledger, and its newest verdicts by status and label."""

    id: str
    kind: str
    name: str
    statuses: dict[str, int]
    labels: dict[str, int]


def judges_of(ledger: Ledger) -> list[JudgeCounts]:
    """All judges with what they said, in the order of their names."""
    db = ledger.connection
    out = []
    for judge, kind, name in db.execute("SELECT id, kind, name FROM judges ORDER BY name, id"):
        statuses: dict[str, int] = {}
        labels: dict[str, int] = {}
        rows = db.execute(
            "SELECT status, label, count(*) FROM newest_verdicts WHERE judge = ? "
            "GROUP BY status, label",
            (judge,),
        )
        for status, label, count in rows:
            statuses[status] = statuses.get(status, 0) + count
            if label is not None:
                labels[label] = labels.get(label, 0) + count
        out.append(JudgeCounts(id=judge, kind=kind, name=name, statuses=statuses, labels=labels))
    return out


def judges_kept(ledger: Ledger, kind: str = "") -> list[Judge]:
    """The judges of a kind, or all, with their parameters."""
    rows = ledger.connection.execute(
        "SELECT id, kind, name, parameters FROM judges WHERE kind = ? OR ? = '' ORDER BY name, id",
        (kind, kind),
    )
    return [
        Judge(id=judge, kind=kind, name=name, parameters=json_cell(parameters))
        for judge, kind, name, parameters in rows
    ]


def listed(judges: Iterable[JudgeCounts]) -> str:
    """The judges as a message tells them."""
    told = [
        f"{judge.kind} {without_surrogates(judge.name)} ({judge.id[:8]}), "
        f"{sum(judge.statuses.values())} units"
        for judge in judges
    ]
    more = [f"and {len(told) - _TOLD} more"] if len(told) > _TOLD else []
    return "; ".join([*told[:_TOLD], *more]) or "(none)"


def resolve(path: Path, wanted: str, judges: Sequence[JudgeCounts]) -> str:
    """The id of the judge of that name, else of the only one whose id begins so."""
    named = [judge for judge in judges if judge.name == wanted]
    begun = [judge for judge in judges if len(wanted) >= _PREFIX and judge.id.startswith(wanted)]
    found = named or begun
    if len(found) == 1:
        return found[0].id
    if found:
        raise InputError(
            f"{wanted!r} is the name of {len(found)} judges with other parameters. Name one by the "
            f"beginning of its id: {listed(found)}."
        )
    raise InputError(f"{path} has no judge {wanted!r}. It has {listed(judges)}.")
