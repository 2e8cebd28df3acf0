"""Names that only a database can read, as `Q5`, `/m/027rn` and `Gene::9021`. Pure."""

from __future__ import annotations

import re

_OPAQUE = re.compile(
    r"""
    [A-Za-z]{0,2}[-_]?\d+                              # 17, n3, Q5, P31, p_12
    | (?:\d+\.)?[A-Za-z]{1,12}[:_-]?\d{4,}             # DB00945, MONDO:0005148, 9606.ENSP00000233
    | [A-Za-z][\w.]{0,20}:[A-Za-z]{0,4}[_-]?\d+        # GO:71357, NCBIGene:9021
    | [\w\ /]+::\S+                                    # Gene::9021
    | /[a-z]/\w+                                       # /m/027rn
    | (?:\w+:)?[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]+(?::\d+)?  # a UUID, also with what numbers it
    | (?:\w+[-:])?[0-9a-f]{16,}                        # a hash
    | <?id_\w+>?                                      # <id_1xk8h9z>
    """,
    re.VERBOSE,
)
UNREADABLE = "have ends that only a database can read"
_NUMBER = re.compile(r"[-+]?\d[\d.,:/ -]*")


def is_opaque(name: str) -> bool:
    """Whether a name tells nobody what is meant who has no database at hand.

    >>> is_opaque("Q5"), is_opaque("Gene::9021"), is_opaque("MONDO:0005148")
    (True, True, True)
    >>> is_opaque("insulin"), is_opaque("type 2 diabetes"), is_opaque("COVID-19")
    (False, False, False)
    """
    return _OPAQUE.fullmatch(name) is not None


def is_unreadable(head: str, tail: str) -> bool:
    """Whether a triple has an end that is opaque; a number in the place of the tail may be meant as
    one.

    >>> is_unreadable("Ada Lovelace", "1815"), is_unreadable("Ada Lovelace", "Q5")
    (False, True)
    """
    return is_opaque(head) or (is_opaque(tail) and _NUMBER.fullmatch(tail) is None)


class UnreadableEnds:
    """Counts what has an end that only a database can read."""

    def __init__(self) -> None:
        self.total = self._count = 0
        self._example = ""

    def add(self, head: str, relation: str, tail: str) -> None:
        """Counts a triple."""
        self.total += 1
        if is_unreadable(head, tail):
            self._count += 1
            self._example = self._example or f"{head} {relation} {tail}"[:80]

    def sentence(self, what: str) -> str:
        """Returns what to say where half or more have such ends; empty where they have not.

        Args:
            what: they are, as `units`.
        """
        if not self._count or self._count * 2 < self.total:
            return ""
        return f"{self._count:,} of {self.total:,} {what} {UNREADABLE}, as {self._example!r}."
