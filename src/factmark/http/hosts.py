"""Names of hosts: which one a request is for, and which stay on this machine."""

from __future__ import annotations

import ipaddress
import re
from urllib.parse import urlsplit

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
