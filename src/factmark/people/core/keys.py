"""What a campaign's secret makes: the blind keys of tasks, the annotators' links, request tokens.

All are HMAC-SHA256 under 32 random bytes that stay in the ledger, so nobody else can tell from a
key whose unit it stands for, or make a link.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterable, Mapping

from factmark.people.core.records import Annotator


def task_key(secret: bytes, annotator: str, unit: str) -> str:
    """The blind key of a unit on an annotator's list: 32 hex digits."""
    return _mac(secret, "task", annotator, unit)[:32]


def link_token(secret: bytes, annotator: str, links: int) -> str:
    """The token in an annotator's link: 64 hex digits.

    Args:
        links: how many times links were made anew; earlier links no longer open anything.
    """
    return _mac(secret, "link", annotator, str(links))


def request_token(secret: bytes, annotator: str, links: int) -> str:
    """What a page must send with each change, so that no other page can make one."""
    return _mac(secret, "request", annotator, str(links))


def annotator_of(
    secret: bytes, token: str, annotators: Iterable[Annotator], links: Mapping[str, int]
) -> Annotator | None:
    """Whose link token it is; takes as long for a wrong one as for a right one."""
    found = None
    for annotator in annotators:
        made = link_token(secret, annotator.code, links[annotator.code])
        if hmac.compare_digest(made.encode(), token.encode("utf-8", "replace")):
            found = annotator
    return found


def _mac(secret: bytes, *parts: str) -> str:
    text = "\x1f".join(parts).encode("utf-8", "surrogatepass")
    return hmac.new(secret, text, hashlib.sha256).hexdigest()
