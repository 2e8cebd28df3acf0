"""Addresses: what a URL may be, how it is shown, and which hosts stay on this machine."""

from __future__ import annotations

import ipaddress
import re
from contextlib import suppress
from urllib.parse import urlsplit

from yarl import URL

from factmark.errors import InputError
from factmark.http.secret import is_key, is_key_name, variables_with_keys
from factmark.redaction import add_secret

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
    """Whether what listens on that host can be reached from this machine only."""
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def parse_http_url(text: str, wrong: str) -> URL:
    """Returns the text as an http or https URL.

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


def proxy_for(url: URL) -> URL | None:
    """The proxy that the environment names for an address (HTTPS_PROXY, NO_PROXY, ...), or None.

    There is never one for this machine's own servers. Its password is struck out of all texts.

    Raises:
        InputError: what the environment names is no http proxy.
    """
    from urllib.request import getproxies, proxy_bypass  # 0.05 s

    host = url.host or ""
    given = getproxies().get(url.scheme)
    if not given or is_loopback(host) or host.endswith(".localhost") or proxy_bypass(host):
        return None
    variable = f"{url.scheme.upper()}_PROXY"
    wrong = f"{variable} is the address of an http proxy, such as http://proxy.example.org:3128"
    proxy = parse_http_url(given if "://" in given else f"http://{given}", wrong)
    if "@" in proxy.path:  # the host would be a part of the password
        raise InputError(f"{wrong}; in a password write `/` as %2F, `@` as %40.")
    add_secrets_of(proxy)
    return proxy


def add_secrets_of_environment() -> None:
    """Has all keys and proxies' passwords in the environment struck out of texts: for code that is
    not ours, whose errors may tell them."""
    from urllib.request import getproxies

    for key in variables_with_keys().values():
        add_secret(key)
    for proxy in getproxies().values():
        with suppress(ValueError):
            add_secrets_of(URL(proxy))


def add_secrets_of(url: URL) -> None:
    """Has what is secret in a URL struck out of all texts: its password, a user that is a token,
    parameters that are named after keys, and parts of its path that look like one."""
    add_secret(url.password or "")
    if is_key(url.user or ""):
        add_secret(url.user or "")
    for name, value in url.query.items():
        if is_key_name(name) or is_key(value):
            add_secret(value)
    for part in url.parts:
        if is_key(part):
            add_secret(part)


def shown_url(url: URL) -> str:
    """A URL as it may stand in messages: no user, no password, no query string, no fragment."""
    return str(url.with_user(None).with_query(None).with_fragment(None))
