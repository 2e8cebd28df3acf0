"""The two kinds of token that Label Studio takes, and the header made of them."""

from __future__ import annotations

import base64
import re
from typing import Literal

from factmark.errors import InputError
from factmark.http.secret import Secret
from factmark.people.labelstudio.records import TIMES

_LEGACY = re.compile(r"[0-9a-fA-F]{40}")
_PERSONAL = re.compile(r"[\w-]{4,}\.[\w-]{4,}\.[\w-]{4,}", re.ASCII)
_LIFETIME = 300.0

WHERE = "Account & Settings of the server's pages"


def kind_of(token: str) -> Literal["legacy", "personal"]:
    """Which kind a token is, by its form.

    Raises:
        InputError: it is neither; the message does not show it.
    """
    if _LEGACY.fullmatch(token):
        return "legacy"
    if _PERSONAL.fullmatch(token):
        return "personal"
    raise InputError(
        f"the Label Studio token ({len(token)} characters) is neither a legacy token (40 hex "
        f"digits) nor a personal access token. Copy one from {WHERE}."
    )


class Bearer:
    """An access token that a personal token gave, and when to fetch the next.

    Args:
        token: the access token, a JWT.
        now: seconds of a clock that only goes forward.
    """

    def __init__(self, token: str, now: float) -> None:
        self.secret = Secret(token)
        lifetime = _lifetime(token)
        self._fresh_until = now + lifetime - min(30.0, lifetime / 2)

    def fresh(self, now: float) -> bool:
        """Whether it will be taken for some time to come."""
        return now < self._fresh_until


def _lifetime(token: str) -> float:
    """Seconds from a token's making to its end, as it says itself (the clocks may differ)."""
    part = token.split(".")[1]
    try:
        times = TIMES.validate_json(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))
    except ValueError:
        return _LIFETIME
    return max(0.0, min(times.exp - times.iat, _LIFETIME))
