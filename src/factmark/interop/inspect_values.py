"""What logs of inspect_ai hold, and others may write anything there: long texts, which a log keeps
apart and which are put back as far as they fit, and figures (times, tokens, costs)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import nan
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from factmark.files.text_files import without_surrogates

_Count = Annotated[int, Field(ge=0, le=2**53)]
_Amount = Annotated[float, Field(ge=0, allow_inf_nan=False)]
SAMPLE_LIMIT = 2**26
LOG_LIMIT = 2**28
_ATTACHED = "attachment://"
_MAX_DEPTH = 60
_READ = (
    "id", "epoch", "uuid", "output", "messages", "metadata", "model_usage", "error",
    "working_time", "total_time",
)  # fmt: skip


class UnfitError(ValueError):
    """Why a sample is not read."""


class Attachments:
    """Puts long texts back, sample by sample, and counts what it put back in a log."""

    def __init__(self) -> None:
        self._in_log = 0

    def whole(self, sample: Mapping[str, Any]) -> dict[str, Any]:
        """What is read of a sample, with its long texts and without lone surrogates.

        Raises:
            UnfitError: if it is nested too deeply, or more than 64 Mi characters in a sample or
                256 Mi in a log would be put back: one long text may be named many times.
        """
        given = sample.get("attachments") or {}
        texts = {name: text for name, text in given.items() if isinstance(text, str)}
        one = _Sample(texts, min(SAMPLE_LIMIT, LOG_LIMIT - self._in_log))
        found = {name: one.whole(sample[name]) for name in _READ if name in sample}
        self._in_log += one.put_back
        return found


class _Sample:
    """The long texts of a sample, each cleaned once.

    Attributes:
        put_back: characters so far.
    """

    def __init__(self, texts: Mapping[str, str], limit: int) -> None:
        self._texts, self._limit = texts, limit
        self._clean: dict[str, str] = {}
        self.put_back = 0

    def whole(self, value: Any, depth: int = 1) -> Any:
        if depth > _MAX_DEPTH:
            raise UnfitError("is nested too deeply")
        if isinstance(value, str):
            return self._text(value)
        if isinstance(value, dict):
            return {key: self.whole(one, depth + 1) for key, one in value.items()}
        return [self.whole(one, depth + 1) for one in value] if isinstance(value, list) else value

    def _text(self, text: str) -> str:
        name = text.removeprefix(_ATTACHED)
        if name == text or name not in self._texts:
            return without_surrogates(text)
        if name not in self._clean:
            self._clean[name] = without_surrogates(self._texts[name])
        self.put_back += len(self._clean[name])
        if self.put_back > self._limit:
            raise UnfitError("its attachments are named so often that they do not fit")
        return self._clean[name]


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
