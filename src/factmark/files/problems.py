"""What was odd or wrong in a file that is read on in spite of it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

KEPT = 20


@dataclass(slots=True)
class Problems:
    """Counts what went wrong while a stream was read, and keeps the first of each kind.

    Attributes:
        rows: rows that were seen, good and bad.
        dropped: rows that could not be used, by what was wrong.
        odd: rows that were used all the same, by what was odd.
        examples: the first sentences of each kind, with the place.
        remarks: sentences on a file as a whole, such as how its columns were read.
        mapping: which column was read as what, as a file that `--mapping` reads.
        file: stands before each place, where several files are read.
    """

    rows: int = 0
    dropped: Counter[str] = field(default_factory=Counter)
    odd: Counter[str] = field(default_factory=Counter)
    examples: dict[str, list[str]] = field(default_factory=dict)
    remarks: list[str] = field(default_factory=list)
    mapping: list[str] = field(default_factory=list)
    file: str = ""

    @property
    def n_dropped(self) -> int:
        """How many rows could not be used."""
        return self.dropped.total()

    def drop(self, kind: str, where: str, why: str = "") -> None:
        """Counts a row that cannot be used."""
        self.dropped[kind] += 1
        self._keep(kind, where, why)

    def note(self, kind: str, where: str, why: str = "") -> None:
        """Counts a row that is used though something in it is odd."""
        self.odd[kind] += 1
        self._keep(kind, where, why)

    def _keep(self, kind: str, where: str, why: str) -> None:
        """Keeps the first `KEPT` sentences of a kind."""
        kept = self.examples.setdefault(kind, [])
        if len(kept) < KEPT:
            kept.append(f"{self.file}{where}: {why or kind}")

    def sentences(self) -> tuple[str, ...]:
        """Returns the remarks, and one sentence per kind: how many rows, and where the first ones
        stand."""
        out = list(dict.fromkeys(self.remarks))
        for counts, fate in ((self.dropped, "left out"), (self.odd, "kept")):
            for kind, count in counts.most_common():
                places = "; ".join(self.examples[kind][:3])
                more = ""
                if count > 3:
                    more = " ..."
                out.append(f"{kind}: {count} {fate} ({places}{more})")
        return tuple(out)


def in_brackets(problems: Problems) -> str:
    """Returns why rows were left out, as the end of a message that none is left; empty where none
    was.

    >>> problems = Problems()
    >>> problems.drop("no JSON", "line 3")
    >>> in_brackets(problems)
    ' (no JSON: 1 left out (line 3: no JSON))'
    """
    if not problems.dropped:
        return ""
    return f" ({'; '.join(problems.sentences())})"
