"""What calls cost: a table of prices per million tokens.

A table is TOML:

    currency = "USD"
    [models."gpt-4.1-mini"]
    input = 0.40
    output = 1.60
    cached = 0.10    # input read from the provider's cache; as `input` where it is missing
    written = 0.50   # input written to that cache; as `input` where it is missing

The bundled table holds for the providers' own addresses only; the user's holds everywhere.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Self

from factmark.ask.chat import Usage
from factmark.ask.model_spec import ModelSpec
from factmark.errors import InputError
from factmark.files.text_files import read_text

_DATED = re.compile(r"-(?:\d{8}|\d{4}-\d\d-\d\d|latest)$")
_FIELDS = {"input", "output", "cached", "written"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """Prices per million tokens."""

    input: float
    output: float
    cached: float | None = None
    written: float | None = None

    def batched(self) -> Price:
        """What the same calls cost in a batch: half."""
        given = {}
        for name, value in asdict(self).items():
            if value is not None:
                given[name] = value
        return Price(**{name: value / 2 for name, value in given.items()})

    def cost(self, usage: Usage) -> float:
        """What a call costs."""
        if self.cached is None:
            cached = self.input
        else:
            cached = self.cached
        if self.written is None:
            written = self.input
        else:
            written = self.written
        fresh = usage.input - usage.cached - usage.written
        total = fresh * self.input + usage.cached * cached + usage.written * written
        total += usage.output * self.output
        return total / 1e6


FREE = Price(input=0.0, output=0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Prices:
    """A price table: the user's models, else the bundled ones.

    Attributes:
        as_of: the date of the bundled table.
    """

    given: Mapping[str, Price] = field(default_factory=dict)
    bundled: Mapping[str, Price] = field(default_factory=dict)
    as_of: str = ""

    @classmethod
    def load(cls, path: Path | None = None) -> Self:
        """The bundled prices, and before them those of the user's file.

        Raises:
            InputError: if the file is no price table; names the entry.
        """
        bundled, as_of = _bundled_prices()
        if path is None:
            return cls(bundled=bundled, as_of=as_of)
        try:
            table = tomllib.loads(read_text(path))
        except tomllib.TOMLDecodeError as error:
            raise InputError(f"{path} is not TOML: {error}.") from error
        return cls(given=_prices_by_model(str(path), table), bundled=bundled, as_of=as_of)

    def of(self, spec: ModelSpec) -> Price | None:
        """The price of a model; nothing for a server on this machine; None if it is not known."""
        for name in (spec.model, _DATED.sub("", spec.model)):
            if name in self.given:
                return self.given[name]
            if spec.own_service and name in self.bundled and not spec.local:
                return self.bundled[name]
        if spec.local:
            return FREE
        return None


@cache
def _bundled_prices() -> tuple[Mapping[str, Price], str]:
    """Returns the prices that come with the package, and the day that they are of."""
    text = files("factmark.data").joinpath("chat", "prices.toml").read_text(encoding="utf-8")
    table = tomllib.loads(text)
    return _prices_by_model("prices.toml", table), str(table["as_of"])


def _prices_by_model(where: str, table: Mapping[str, object]) -> dict[str, Price]:
    """Returns model -> price from a table. Raises InputError where it is no table of prices."""
    models = table.get("models")
    if not isinstance(models, Mapping):
        raise InputError(f'{where}: a price table has [models."NAME"] with input and output.')
    prices = {}
    for name, entry in models.items():
        prices[name] = _read_price(f"{where}, {name}", entry)
    return prices


def _read_price(where: str, entry: object) -> Price:
    """Returns the price in an entry of a table. Raises InputError where it is none."""
    if not isinstance(entry, Mapping) or not {"input", "output"} <= entry.keys() <= _FIELDS:
        raise InputError(
            f"{where}: a price has input and output (and cached, written), per million tokens."
        )
    for name, value in entry.items():
        if isinstance(value, bool) or not isinstance(value, int | float) or value < 0:
            raise InputError(f"{where}: {name} is a number, not {value!r}.")
    return Price(**{name: float(value) for name, value in entry.items()})
