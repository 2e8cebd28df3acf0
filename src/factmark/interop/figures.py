"""What logs tell in numbers: times, tokens, costs. Others may write anything there."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import nan
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

_Count = Annotated[int, Field(ge=0, le=2**53)]
_Amount = Annotated[float, Field(ge=0, allow_inf_nan=False)]


class _Figures(BaseModel):
    """All figures of an answer, a call or a chunk; other fields are not looked at."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    latency_seconds: _Amount | None = None
    sample: _Count | None = None
    rounds: _Count | None = None
    input_tokens: _Count | None = None
    output_tokens: _Count | None = None
    cost: _Amount | None = None
    round: _Count | None = None
    seconds: _Amount | None = None
    size: _Count | None = None
    score: Annotated[float, Field(allow_inf_nan=False)] | None = None


def checked(told: Mapping[str, Any]) -> Mapping[str, Any]:
    """What factmark noted, as it is.

    Raises:
        ValidationError: for a figure that is negative, infinite, too large or no number.
    """
    _Figures.model_validate(dict(told))
    return told


def usable(told: Mapping[str, Any]) -> tuple[dict[str, Any], tuple[str, ...]]:
    """The figures that others noted, None for those of no use, and the names of these."""
    bad: tuple[str, ...] = ()
    try:
        found = _Figures.model_validate(dict(told))
    except ValidationError as error:
        bad = tuple(dict.fromkeys(str(one["loc"][0]) for one in error.errors()))
        found = _Figures.model_validate({**told, **dict.fromkeys(bad)})
    return {name: getattr(found, name) for name in told}, bad


def total(values: Iterable[object]) -> float:
    """The sum of figures, whole where they are; NaN where one is none. None counts as nothing."""
    given = [0 if value is None else value for value in values]
    numbers = [one for one in given if isinstance(one, int | float) and one >= 0]
    try:
        return sum(numbers) if len(numbers) == len(given) else nan
    except OverflowError:
        return nan
