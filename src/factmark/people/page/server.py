"""The page as a server process, and the links that open it."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import signal
import socket
import ssl
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from factmark.campaign_model import Campaign
from factmark.errors import InputError
from factmark.http.door import BACKLOG, Door
from factmark.http.serving import listening
from factmark.people.links import Link, annotator_links
from factmark.people.page.site import Site

if TYPE_CHECKING:
    import uvicorn
    from starlette.types import ASGIApp


def serve_page(
    path: Path,
    *,
    site: Site,
    campaign: str | None = None,
    certfile: Path | None = None,
    keyfile: Path | None = None,
    ready: Callable[[Campaign, list[Link]], None],
    log: Callable[[str], None],
) -> None:
    """Serves a campaign's page until Ctrl-C or SIGTERM.

    Args:
        ready: called with the campaign and its links once the port is taken.
        log: is told what the owner has to see to, a line each.

    Raises:
        InputError: the extra is not installed, the ledger is not there or has no such campaign, the
            address cannot be listened on, or the certificate cannot be used.
    """
    try:
        import uvicorn

        from factmark.people.page.app import create_app
        from factmark.people.page.desk import Desk
    except ModuleNotFoundError as error:
        raise InputError(
            f"the page needs {error.name}, which is not installed: "
            'pip install "factmark[annotate]".'
        ) from error
    if not path.is_file():
        raise InputError(f"{path}: there is no ledger; `factmark annotate create` makes one.")
    desk = Desk(path, campaign)
    try:
        hint = "choose another with --port, or end what listens there"
        with listening(site.host, site.port, hint=hint) as taken:
            site = replace(site, port=taken.getsockname()[1])
            server = uvicorn.Server(_config(create_app(desk, site, log), certfile, keyfile))
            ready(
                *desk.run_now(lambda ledger, one: (one, annotator_links(ledger, one, site.address)))
            )
            _run(server, taken)
    finally:
        desk.close()


def _config(app: ASGIApp, certfile: Path | None, keyfile: Path | None) -> uvicorn.Config:
    """No access log: the links' tokens would be in it. No trust in what proxies add either."""
    import uvicorn
    from uvicorn.protocols.http.h11_impl import H11Protocol

    door = Door()
    # Warnings and errors of its own go to stderr; they name no path.
    logging.getLogger("uvicorn").setLevel(logging.WARNING)
    config = uvicorn.Config(
        door.asgi(app),
        http=door.watched(H11Protocol),  # type: ignore[arg-type]  # called as the class would be
        loop="asyncio", ws="none", lifespan="off", interface="asgi3",
        access_log=False, log_level="warning", proxy_headers=False, server_header=False,
        timeout_graceful_shutdown=3, backlog=BACKLOG,
        ssl_certfile=certfile, ssl_keyfile=keyfile,
    )  # fmt: skip
    try:
        config.load()
    except (OSError, ssl.SSLError) as error:
        raise InputError(
            f"--certfile {certfile}: cannot be used ({error}). Name a certificate and its key, "
            "both as PEM."
        ) from error
    return config


def _run(server: uvicorn.Server, taken: socket.socket) -> None:
    """Runs until it is asked to stop, which is no error."""

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, stop)
    try:
        with contextlib.suppress(KeyboardInterrupt, asyncio.CancelledError):
            asyncio.run(server.serve(sockets=[taken]))
    finally:
        signal.signal(signal.SIGTERM, before)
