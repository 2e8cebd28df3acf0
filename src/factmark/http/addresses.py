"""Addresses: what a URL may be, how it is shown, and which hosts stay on this machine."""

from __future__ import annotations

import ipaddress
import re
from urllib.parse import urlsplit

from yarl import URL

from factmark.errors import InputError

_HOST = re.compile(r"(\[[^\[\]]*\]|[^\[\]:]*)(:\d*)?")
LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})


def host_name(header: str) -> str:
    """The host in a Host header, without the port and in lower case; empty when it is nonsense."""
    if not _HOST.fullmatch(header.rpartition("@")[2]):
        return ""
    try:
        parts = urlsplit(f"//{header}")
        parts.port  # noqa: B018  # raises where it is no number
        return (parts.hostname or "").lower()
    except ValueError:
        return ""


def is_loopback(host: str) -> bool:
    """Whether what listens there can be reached from this machine only."""
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def http_url(text: str, wrong: str) -> URL:
    """An http or https URL.

    Args:
        wrong: what is said of anything else.

    Raises:
        InputError: it is none.
    """
    try:
        url = URL(text.strip())
        usable = url.scheme in ("http", "https") and bool(url.host) and url.port is not None
    except ValueError:
        usable = False
    if not usable:
        raise InputError(wrong)
    return url


def shown(url: URL) -> str:
    """A URL as it may stand in messages: no user, no password, no query string, no fragment."""
    return str(url.with_user(None).with_query(None).with_fragment(None))
