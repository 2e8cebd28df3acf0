"""Panels and ledgers of judges for tests of agreement."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from factmark.analysis.reading import JudgePanel, Rater, first_labels
from factmark.evaluated.table import table_of_rows
from factmark.ledger.ledger import Ledger
from factmark.model import Item, Judge, Unit, Verdict

SUPPORT = {"SUPPORTED": 1.0, "CONTRADICTED": 0.0, "NOT_SUPPORTED": 0.0}
GRADES = {"NO": 0.0, "MAYBE": 0.5, "YES": 1.0}


def panel(
    said: Mapping[str, Sequence[str | None]],
    values: Mapping[str, float | None],
    *,
    people: Sequence[str] = (),
    firsts: Mapping[tuple[str, int], Sequence[str]] | None = None,
    strata: Sequence[str] = (),
    kind: str = "pair",
) -> JudgePanel:
    """One list per rater; `-` is a unit that it was not asked about. Two units a cluster.

    Args:
        firsts: rater and place of a unit -> what it said of it before.
    """
    size = len(next(iter(said.values())))
    rows = {
        str(at): {
            name: [*(firsts or {}).get((name, at), ()), labels[at]]
            for name, labels in said.items()
            if labels[at] != "-"
        }
        for at in range(size)
    }
    newest = {
        unit: {name: labels[-1] for name, labels in row.items()} for unit, row in rows.items()
    }
    return JudgePanel(
        kind=kind,
        raters=tuple(
            Rater(
                id=name,
                kind="person" if name in people else "rule",
                name=name,
                used=frozenset(label for label in labels if label not in (None, "-")),
            )
            for name, labels in said.items()
        ),
        table=table_of_rows(
            newest,
            {},
            clusters=[str(at // 2) for at in range(size)],
            strata=strata or None,
            people=people,
        ),
        firsts=first_labels(rows),
        values=values,
    )


def record(
    path: Path,
    judge: Judge,
    said: Mapping[str, str | None],
    values: Mapping[str, float],
    kind: str = "pair",
) -> None:
    """What a judge said of units; the letter that begins a unit's name is its cluster."""
    items = {unit: Item(id=unit[0], cluster=f"c{unit[0]}", strata={"s": unit[0]}) for unit in said}
    with Ledger(path) as ledger:
        ledger.record(
            judge,
            list(items.values()),
            [
                (
                    Unit(id=unit, item=unit[0], kind=kind, text=unit, data={"relation": unit[1:]}),
                    Verdict(
                        unit=unit,
                        judge=judge.id,
                        status="unparsed" if label is None else "ok",
                        label=label,
                        value=None if label is None else values.get(label),
                    ),
                )
                for unit, label in said.items()
            ],
            {},
        )
