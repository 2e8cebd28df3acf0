"""The page as a server process: where it listens, and what it is called by its visitors."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import signal
import socket
import ssl
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from factmark.campaign_model import Campaign, ProtocolOf
from factmark.errors import InputError
from factmark.http.addresses import LOOPBACK, is_loopback
from factmark.http.serving import BACKLOG, Door, listening_socket
from factmark.ledger.ledger import open_existing
from factmark.people.desk.desk import Link, annotator_links

if TYPE_CHECKING:
    import uvicorn
    from starlette.types import ASGIApp


def serve_page(
    path: Path,
    *,
    site: Site,
    campaign: str | None = None,
    protocol_of: ProtocolOf,
    ready: Callable[[Campaign, list[Link]], None],
    log: Callable[[str], None],
) -> None:
    """Serves a campaign's page until Ctrl-C or SIGTERM.

    `ready` is called with the campaign and its links once the port is taken; `log` is told what the
    owner has to see to. InputError: the extra is not installed, there is no such campaign, or the
    address or the certificate cannot be used.
    """
    try:
        import uvicorn

        from factmark.people.desk.app import create_app
        from factmark.people.desk.desk import CampaignDesk
    except ModuleNotFoundError as error:
        raise InputError(
            f"the page needs {error.name}, which is not installed: "
            'pip install "factmark[annotate]".'
        ) from error
    open_existing(path, read_only=True).close()
    desk = CampaignDesk(path, campaign, protocol_of)
    try:
        hint = "choose another with --port, or end what listens there"
        with listening_socket(site.host, site.port, hint=hint) as taken:
            site = replace(site, port=taken.getsockname()[1])
            server = uvicorn.Server(_config(create_app(desk, site, log), site))
            ready(
                *desk.run_now(
                    lambda ledger, known: (known, annotator_links(ledger, known, site.address))
                )
            )
            _run(server, taken)
    finally:
        desk.close()


def _config(app: ASGIApp, site: Site) -> uvicorn.Config:
    """Returns how uvicorn serves the app.

    Without an access log: the links' tokens would be in it. Without trust in what proxies add.
    """
    import uvicorn
    from uvicorn.protocols.http.h11_impl import H11Protocol

    door = Door()
    # Warnings and errors of its own go to stderr; they name no path.
    logging.getLogger("uvicorn").setLevel(logging.WARNING)
    config = uvicorn.Config(
        door.asgi(app),
        http=door.watched(H11Protocol),  # type: ignore[arg-type]  # called as the class would be
        loop="asyncio",
        ws="none",
        lifespan="off",
        interface="asgi3",
        access_log=False,
        log_level="warning",
        proxy_headers=False,
        server_header=False,
        timeout_graceful_shutdown=3,
        backlog=BACKLOG,
        ssl_certfile=site.certfile,
        ssl_keyfile=site.keyfile,
    )
    try:
        config.load()
    except (OSError, ssl.SSLError) as error:
        raise InputError(
            f"--certfile {site.certfile}: cannot be used ({error}). Name a certificate and its "
            "key, both as PEM."
        ) from error
    return config


def _run(server: uvicorn.Server, taken: socket.socket) -> None:
    """Runs the server until it is asked to stop, which is no error."""

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, stop)
    try:
        with contextlib.suppress(KeyboardInterrupt, asyncio.CancelledError):
            asyncio.run(server.serve(sockets=[taken]))
    finally:
        signal.signal(signal.SIGTERM, before)


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
        name = f"[{self.host}]" if ":" in self.host else self.host
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
        scheme = "https" if self.tls else "http"
        return frozenset({own} if self.base_url else {own, f"{scheme}://{host_header.lower()}"})


def check_site(site: Site, *, behind_proxy: bool = False, insecure: bool = False) -> Site:
    """Returns the site as it is.

    Raises:
        InputError: its parts do not fit, or a network would see all in the clear.
    """
    if site.keyfile is not None and not site.tls:
        raise InputError("--keyfile: name its certificate too, by --certfile.")
    host, base_url = site.host, site.base_url
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
