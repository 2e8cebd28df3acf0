"""What a run needs beside calls and money: hours, memory and disk."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from factmark.ask.forecast import Forecast

# Where a ledger tells nothing of its own. Measured: docs/speed.md says how.
_CALL_SECONDS = 2.0
_CALL_BYTES = 600  # of a ledger: the reply
_UNIT_BYTES = 450  # of a ledger: the unit, its share of a passage, its row and its verdict
_START_MEMORY = 100e6
_UNIT_MEMORY = 1_000
_AT_ONCE = 64  # calls, where nothing is said


@dataclass(frozen=True, slots=True, kw_only=True)
class Needs:
    """What a run would take of a machine.

    Attributes:
        hours: until the last call is answered.
        memory_mb: at most, of the process.
        disk_mb: of the ledger, when all is judged.
        measured: what of it comes from the ledger that is there, in words; empty for nothing.
    """

    hours: float
    memory_mb: int
    disk_mb: int
    measured: str


def needs_of(forecast: Forecast, at_once: int | Literal["auto"] = "auto") -> Needs:
    """Returns what a forecast run needs: by what its ledger has measured, where it has.

    Args:
        at_once: calls in flight.
    """
    seconds = forecast.call_seconds
    of_unit = forecast.unit_bytes
    measured = []
    if seconds is None:
        seconds = _CALL_SECONDS
    else:
        measured.append("hours")
    if of_unit is None:
        replies = forecast.calls + forecast.cached
        disk = float(_UNIT_BYTES * forecast.units + _CALL_BYTES * replies)
    else:
        disk = of_unit * forecast.units
        measured.append("disk")
    flight = _AT_ONCE
    if at_once != "auto":
        flight = at_once
    return Needs(
        hours=forecast.calls * seconds / max(1, min(flight, forecast.calls)) / 3600,
        memory_mb=round((_START_MEMORY + _UNIT_MEMORY * forecast.units) / 1e6),
        disk_mb=round(disk / 1e6 + 0.5),
        measured=" and ".join(measured),
    )
