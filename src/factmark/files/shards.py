"""A shard: the part of a study that one machine of several judges, by the hash of the group.

A group is what belongs together because it is read or asked together: a passage, a document, else
the unit itself. Every machine reads the same files and keeps its own part, so that nothing has to
be divided before, and the parts fit together whatever the order of the rows.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from hashlib import blake2b

from factmark.errors import InputError

_FORM = re.compile(r"([1-9]\d{0,8})/([1-9]\d{0,8})")


@dataclass(frozen=True, slots=True, kw_only=True)
class Shard:
    """One part of `of` parts; `index` counts from 1.

    >>> [str(part) for part in (Shard.parse("1/2"), Shard.parse("2/2")) if part.holds("a passage")]
    ['1/2']
    """

    index: int
    of: int

    @classmethod
    def parse(cls, text: str, *, engine: str = "") -> Shard:
        """Returns the shard that `--shard I/N` names.

        Args:
            engine: what `--engine` names, which divides the whole.

        Raises:
            InputError: it is not of that form, I is greater than N, or an engine is named too.
        """
        if engine:
            raise InputError(f"--shard {text}: goes without --engine, which divides the whole.")
        match = _FORM.fullmatch(text.strip())
        if match is None or int(match[1]) > int(match[2]):
            raise InputError(
                f"--shard {text}: write I/N, I from 1 to N: 3/64 is the third of 64 parts."
            )
        return cls(index=int(match[1]), of=int(match[2]))

    def holds(self, group: str) -> bool:
        """Whether the units of a group belong to this part."""
        return part_of(group, self.of) == self.index

    def __str__(self) -> str:
        return f"{self.index}/{self.of}"


def part_of(group: str, of: int) -> int:
    """Returns to which of so many parts, from 1 on, the units of a group belong."""
    digest = blake2b(group.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "big") % of + 1


WHOLE = Shard(index=1, of=1)
"""All of a study."""
