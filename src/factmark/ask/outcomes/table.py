"""What an error of a model's server means: whose fault it is, whether waiting helps, what to do.

`table.toml` says it, and nothing else does: retries, pace, budget, messages and tests read it here.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Literal, get_args

Whose = Literal["request", "model", "run", "server"]
Wait = Literal["never", "soon", "turn", "back"]
_OK = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorKind:
    """A row of the table.

    Attributes:
        statuses: of HTTP, or the code in an error that came with 200.
        codes: patterns of the names that servers give their errors; each matches a whole name.
        words: patterns in the server's own words, in lower case.
        ends: whether a run ends at once, also where replies came before.
        advice: what to do next; may have places for `model`, `noun`, `path` and `key`.
    """

    name: str
    whose: Whose
    wait: Wait
    statuses: frozenset[int] = frozenset()
    codes: re.Pattern[str] | None = None
    words: re.Pattern[str] | None = None
    ends: bool = False
    advice: str = ""

    def fits(self, status: int, codes: Collection[str], words: str) -> bool:
        """Whether an error has the signs of this row.

        An error that came with 200 and no code has no status: its codes and words decide.
        """
        is_named = self.codes is not None or self.words is not None
        if self.statuses and status not in self.statuses and not (is_named and status == _OK):
            return False
        if not is_named:
            return True
        if self.codes is not None and any(map(self.codes.fullmatch, codes)):
            return True
        return self.words is not None and self.words.search(words) is not None


def kind_of_error(status: int, codes: Collection[str], words: str) -> ErrorKind:
    """Returns the first row that fits; the last one fits all.

    Args:
        codes, words: of the error, in lower case.
    """
    return next(kind for kind in error_kinds() if kind.fits(status, codes, words))


@cache
def error_kinds() -> tuple[ErrorKind, ...]:
    """The rows of the table, in their order."""
    text = (files("factmark.ask.outcomes") / "table.toml").read_text("utf-8")
    return tuple(map(_kind, tomllib.loads(text)["error"]))


def _kind(row: Mapping[str, Any]) -> ErrorKind:
    """Returns a row of the file as a record."""
    if row["whose"] not in get_args(Whose) or row["wait"] not in get_args(Wait):
        raise ValueError(f"the row {row['name']!r} of the table of errors")
    return ErrorKind(
        name=row["name"],
        whose=row["whose"],
        wait=row["wait"],
        statuses=frozenset(row.get("statuses", ())),
        codes=_any_of(row.get("codes", ())),
        words=_any_of(row.get("words", ())),
        ends=row.get("ends", False),
        advice=row.get("advice", ""),
    )


def _any_of(patterns: Collection[str]) -> re.Pattern[str] | None:
    """Returns one pattern for several; None for none."""
    if patterns:
        return re.compile("|".join(f"(?:{each})" for each in patterns))
    return None
