"""Where the page listens, what its visitors call it, and whether the two go together."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import urlsplit

from factmark.errors import InputError
from factmark.http.addresses import LOOPBACK, is_loopback


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """How the page is reached: where it listens, and what links begin with where that differs.

    With a certificate (PEM) it speaks TLS itself.
    """

    host: str
    port: int
    base_url: str = ""
    certfile: Path | None = None
    keyfile: Path | None = None

    @property
    def tls(self) -> bool:
        """Whether it speaks TLS itself."""
        return self.certfile is not None

    @property
    def address(self) -> str:
        """What links begin with, without a slash at the end."""
        if self.base_url:
            return self.base_url
        if ":" in self.host:
            name = f"[{self.host}]"
        else:
            name = self.host
        return f"{'https' if self.tls else 'http'}://{name}:{self.port}"

    @property
    def prefix(self) -> str:
        """The path of the address: empty, or as `/rate`."""
        return urlsplit(self.address).path

    @property
    def secure(self) -> bool:
        """Whether visitors come by TLS."""
        return self.address.startswith("https:")

    @property
    def names(self) -> frozenset[str]:
        """Names that visitors may have in their Host header.

        Those of this machine are always among them: no stranger's page has such a name.
        """
        return (LOOPBACK | {self.host.lower(), urlsplit(self.address).hostname or ""}) - {""}

    def origins(self, host_header: str) -> frozenset[str]:
        """Origins whose pages may send changes, of a request with that (checked) Host header."""
        parts = urlsplit(self.address)
        own = f"{parts.scheme}://{parts.netloc}".lower()
        scheme = "http"
        if self.tls:
            scheme = "https"
        return frozenset({own} if self.base_url else {own, f"{scheme}://{host_header.lower()}"})


def check_site(site: Site, *, behind_proxy: bool = False, insecure: bool = False) -> Site:
    """The site; InputError where its parts do not fit or a network would see all in the clear."""
    if site.keyfile is not None and not site.tls:
        raise InputError("--keyfile: name its certificate too, by --certfile.")
    host = site.host
    base_url = site.base_url
    if base_url:
        _check_url(base_url)
    site = replace(site, base_url=base_url.rstrip("/"))
    if behind_proxy and not site.base_url.startswith("https:"):
        raise InputError(
            "--behind-proxy: name the https address that the proxy offers, as in "
            "--base-url https://rate.example.org/campaign."
        )
    if base_url and not behind_proxy and site.secure != site.tls:
        raise InputError(
            f"--base-url {base_url}: "
            + (
                "is not https, though --certfile is given. Write https."
                if site.tls
                else "is https. Name --certfile and --keyfile, or say --behind-proxy where a "
                "proxy speaks TLS."
            )
        )
    if not (is_loopback(host) or site.tls or behind_proxy or insecure):
        raise InputError(
            f"--host {host}: links and answers would cross the network unencrypted. Name "
            "--certfile and --keyfile, or say --behind-proxy where a proxy speaks TLS, or "
            "--insecure if you trust everybody on that network."
        )
    if host in ("", "0.0.0.0", "::") and not base_url:  # noqa: S104 - compared, not bound
        raise InputError(
            f"--host {host or repr('')}: is every address of this machine. Say by which one "
            "annotators reach it, as in --base-url https://rate.example.org."
        )
    return site


def _check_url(url: str) -> None:
    """Raises InputError where a URL cannot be what annotators' links begin with."""
    try:
        parts = urlsplit(url)
        whole = parts.scheme in ("http", "https") and parts.hostname and (parts.port or 1) > 0
    except ValueError:
        whole = False
    if not whole or parts.query or parts.fragment or "@" in parts.netloc or not url.isprintable():
        raise InputError(
            f"--base-url {url}: is no web address as https://rate.example.org/campaign."
        )
