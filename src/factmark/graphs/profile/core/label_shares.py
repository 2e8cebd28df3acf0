"""How often each kind of suspect was an error, by people's labels of some units. Pure.

Labels are drawn at random within each stratum, many from small ones, so their plain share means
nothing: each counts for the units that it stands for. Where a judge's verdicts lie in the ledger
too, people may have labelled by its verdicts as well (`factmark plan --judge`); units are then told
apart by both, which is right for either way of drawing.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from factmark.model import Estimate
from factmark.stats.estimators import stratified_mean
from factmark.stats.scales import ALL_OBSERVED

ALL = "all triples"
ANY = "any suspect"


@dataclass(frozen=True, slots=True, kw_only=True)
class KindErrors:
    """What people said of a kind of suspect.

    Attributes:
        kind: one of `KINDS`, `NO_SUSPECT`, `ANY` or `ALL`.
        units: units of the kind; a unit may be of several.
        labelled: those that people labelled.
        errors: the share that is an error; of labels with a middle value, half an error.
    """

    kind: str
    units: int
    labelled: int
    errors: Estimate


@dataclass(frozen=True, slots=True, kw_only=True)
class SuspectUnit:
    """A unit of the ledger with what is suspect of it.

    Attributes:
        stratum: within which labels were drawn.
        kinds: all kinds of suspicion; empty for none.
        value: the mean of people's values; None where nobody labelled it.
        verdict: of the judge of the same ledger; empty for none.
    """

    stratum: str
    kinds: tuple[str, ...]
    value: float | None
    verdict: str = ""


def errors_by_kind(
    units: Sequence[SuspectUnit], kinds: Sequence[str], none: str, *, level: float
) -> tuple[KindErrors, ...]:
    """The share of errors among all units, among all suspects, of each kind that a unit has, and of
    those that are not suspect.

    Args:
        kinds: in the order in which they are told; `none` is the name of no suspicion.
    """
    groups: Mapping[str, list[SuspectUnit]] = {
        ALL: list(units),
        ANY: [unit for unit in units if unit.kinds],
        **{kind: [unit for unit in units if kind in unit.kinds] for kind in kinds},
        none: [unit for unit in units if not unit.kinds],
    }
    return tuple(
        KindErrors(
            kind=kind,
            units=len(group),
            labelled=sum(unit.value is not None for unit in group),
            errors=_share(group, level),
        )
        for kind, group in groups.items()
        if group
    )


def _share(units: Sequence[SuspectUnit], level: float) -> Estimate:
    """The mean of errors over all units, each cell weighted by its size.

    A cell is a stratum with a verdict. Cells in which nobody labelled a unit are taken together
    with the others of their stratum that nobody did.
    """
    labels: defaultdict[tuple[str, str], list[float | None]] = defaultdict(list)
    sizes: defaultdict[tuple[str, str], int] = defaultdict(int)
    for unit in units:
        if unit.value is not None:
            labels[unit.stratum, unit.verdict].append(1.0 - unit.value)
    for unit in units:
        cell = (unit.stratum, unit.verdict)
        sizes[cell if cell in labels else (unit.stratum, "")] += 1
    estimate = stratified_mean(
        {" ".join(cell): values for cell, values in labels.items()},
        {" ".join(cell): size for cell, size in sizes.items()},
        level=level,
    )
    how = "Korn and Graubard, by stratum"
    if estimate.method == ALL_OBSERVED:
        how = "all labelled"
    return replace(estimate, method=how)
