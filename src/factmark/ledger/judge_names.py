"""A ledger's judges by the names that people give them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from factmark.errors import InputError
from factmark.files.text_files import without_surrogates
from factmark.ledger.export import JudgeCounts

_TOLD = 40  # judges that a message lists
_PREFIX = 4  # the fewest digits of an id that name a judge


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
