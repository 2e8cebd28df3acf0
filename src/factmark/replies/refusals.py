"""Whether a reply declines to do what it was asked."""

from __future__ import annotations

import re

from factmark.replies.plain import plain

_SORRY = (
    r"(?:(?:i am|i'm|we are|we're)?\s{0,3}(?:sorry|afraid|unfortunately|apologies|i apologi[sz]e"
    r"|as an?\s+(?:ai|artificial|(?:large )?language|assistant)[^,.;]{0,60})"
    r"[,.;:-]{0,3}\s{0,3}(?:but\s+|that\s+)?){0,3}"
)
_NOT_ABLE = (
    r"(?:can\s+not|will\s+not|do\s+not\s+feel|must\s+decline|have\s+to\s+decline|decline|refuse"
    r"|unable|not\s+able|not\s+comfortable|not\s+allowed)"
)
_TASK = (
    r"(?:help|assist|comply|answer|respond|judge?|evaluat|assess|verify|rat(?:e\b|ing)|grad(?:e\b|ing)"
    r"|do (?:this|that|so)\b|fulfil|engag|continu|complet|discuss|participate|process)\w*"
)
_REFUSES = re.compile(
    rf"^\W*{_SORRY}(?:i|we)(?:'m|'re|\s+am|\s+are)?\s+{_NOT_ABLE}\b"
    rf"(?:\s+(?:to|with|provide|comfortable|any|in|be|able|an|a|\w+ly)){{0,6}}\s+{_TASK}",
    re.IGNORECASE,
)


def refuses(reply: str) -> bool:
    """Whether a reply begins by declining, with or without its reasoning.

    >>> refuses("I'm sorry, but I can't help with that."), refuses("I cannot judge medical claims.")
    (True, True)
    >>> refuses("I cannot find it in the passage. NOT_SUPPORTED"), refuses("I can't say.")
    (False, False)
    """
    return bool(_REFUSES.match(plain(reply)[:600]))
