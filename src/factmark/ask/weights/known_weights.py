"""Weights that ordinary packages bring, known by name and hash: the table, and where they are kept.

`known_weights.toml` says what there is, and a file that FACTMARK_WEIGHTS names may say more, in the
same form. Nothing is fetched here.
"""

from __future__ import annotations

import os
import sys
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

from factmark.errors import InputError
from factmark.files.text_files import read_text

LOCAL = "local"
OWN_TABLE = "FACTMARK_WEIGHTS"
"""The environment variable that names a further table."""
CACHE = "FACTMARK_CACHE"
"""The environment variable that names the folder where what was fetched is kept."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownWeights:
    """A row of the table.

    Attributes:
        name: by which they are fetched and named.
        weights: what they are, in their makers' words.
        judges: what they can do.
        packages, files: of each part, with `{number}` for its number, from 1 on.
        part_bytes: of each part but the last.
        bytes, sha256: of the parts put together.
        template: how a conversation is written for them.
        threshold: from which probability of yes on a claim counts as supported; None where they
            do not judge.
    """

    name: str
    weights: str
    licence: str
    judges: str
    packages: str
    files: str
    parts: int
    part_bytes: int
    bytes: int
    sha256: str
    template: str = "chatml"
    threshold: float | None = None

    @property
    def size(self) -> str:
        """The size as people read it."""
        if self.bytes < 10**9:
            return f"{self.bytes / 10**6:,.0f} MB"
        return f"{self.bytes / 10**9:.2f} GB"

    @property
    def path(self) -> Path:
        """Where they are kept once they are fetched."""
        return cache_folder() / self.name / "weights.gguf"

    @property
    def is_here(self) -> bool:
        """Whether they were fetched; only whole files ever bear that name."""
        return self.path.is_file() and self.path.stat().st_size == self.bytes

    def part(self, number: int) -> tuple[str, str]:
        """Returns the package of a part, as pip names it, and the file in it."""
        return self.packages.format(number=number), self.files.format(number=number)

    def part_size(self, number: int) -> int:
        """Returns how many bytes a part has."""
        if number < self.parts:
            return self.part_bytes
        return self.bytes - self.part_bytes * (self.parts - 1)


def names_local(text: str) -> bool:
    """Returns whether a text is meant as `local` or `local:NAME`."""
    return text == LOCAL or text.startswith(f"{LOCAL}:")


def cache_folder() -> Path:
    """Returns the folder where what was fetched is kept: the user's own for such things."""
    if given := os.environ.get(CACHE):
        return Path(given).expanduser().absolute()
    home = Path.home()
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA") or home / "AppData" / "Local")
    elif sys.platform == "darwin":
        base = home / "Library" / "Caches"
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or home / ".cache")
    return base / "factmark" / "weights"


def known_weights() -> tuple[KnownWeights, ...]:
    """Returns the rows of the table, in its order, and those of the user's own table.

    Raises:
        InputError: the user's table is none.
    """
    bundled = (files("factmark.ask.weights") / "known_weights.toml").read_text("utf-8")
    rows = list(_rows(tomllib.loads(bundled)))
    own = os.environ.get(OWN_TABLE)
    if own:
        try:
            rows += _rows(tomllib.loads(read_text(Path(own))))
        except (tomllib.TOMLDecodeError, TypeError, AttributeError) as error:
            raise InputError(
                f"{OWN_TABLE}={own}: is no table of weights: {error!s:.200}. The one of factmark "
                "is ask/weights/known_weights.toml."
            ) from error
    return tuple(rows)


def weights_named(option: str, name: str) -> KnownWeights:
    """Returns the row of that name.

    Args:
        option: by which it was named, for messages.

    Raises:
        InputError: there is none.
    """
    rows = known_weights()
    for row in rows:
        if row.name == name:
            return row
    names = ", ".join(row.name for row in rows)
    raise InputError(f"{option}: there are no weights {name!r}. There are {names}.")


def judging_weights(option: str, judge: str) -> KnownWeights:
    """Returns the row that `local` or `local:NAME` means, whose weights are here.

    Raises:
        InputError: there is none, it does not judge, or it was not fetched yet.
    """
    _, _, name = judge.partition(":")
    if name:
        row = weights_named(option, name)
    else:
        row = next(row for row in known_weights() if row.threshold is not None)
    if row.threshold is None:
        raise InputError(f"{option}: {row.name} judges {row.judges}. It is no judge.")
    if not row.is_here:
        raise InputError(
            f"{option}: the weights are not here yet ({row.weights}, {row.size}, {row.licence}). "
            f"Fetch them once: factmark judge fetch {row.name}"
        )
    return row


def _rows(table: Mapping[str, Any]) -> Iterator[KnownWeights]:
    """Yields the rows of a table."""
    for name, row in table.items():
        yield KnownWeights(name=name, **row)
