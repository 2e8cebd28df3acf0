"""The page as a server process: it listens until Ctrl-C or SIGTERM."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import socket
import ssl
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from factmark.campaign_model import Campaign, ProtocolOf
from factmark.errors import InputError, library_words
from factmark.http.serving import BACKLOG, Door, listening_socket
from factmark.ledger.ledger import Ledger, open_existing
from factmark.people.desk.desk import Link, annotator_links, door_links
from factmark.people.desk.site import Site

if TYPE_CHECKING:
    import uvicorn
    from starlette.types import ASGIApp


Doors = dict[str, str | None]
"""Name of a link that is no annotator's -> its URL."""


def serve_page(
    path: Path,
    *,
    site: Site,
    campaign: str | None = None,
    protocol_of: ProtocolOf,
    ready: Callable[[Campaign, list[Link], Doors], None],
    log: Callable[[str], None],
) -> None:
    """Serves a campaign's page until Ctrl-C or SIGTERM.

    `ready` is called with the campaign, its links and those that are no annotator's once the port
    is taken; `log` is told what the owner has to see to. InputError: the extra is not installed,
    there is no such campaign, or the address or the certificate cannot be used.
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
            server = uvicorn.Server(server_config(create_app(desk, site, log), site))
            ready(*desk.run_now(partial(_begin, site.address)))
            _run(server, taken)
    finally:
        desk.close()


def _begin(address: str, ledger: Ledger, campaign: Campaign) -> tuple[Campaign, list[Link], Doors]:
    """Returns the campaign with its links, once the ledger has taken a write: nobody is to open a
    link to a page that can keep nothing."""
    ledger.try_to_write()
    links = annotator_links(ledger, campaign, address)
    return campaign, links, door_links(ledger, campaign, address)


def server_config(app: ASGIApp, site: Site) -> uvicorn.Config:
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
            f"--certfile {site.certfile}: cannot be used ({library_words(error)}). Name a "
            "certificate and its key, both as PEM."
        ) from error
    return config


def _run(server: uvicorn.Server, taken: socket.socket) -> None:
    """Runs the server until it is asked to stop, which is no error."""
    with contextlib.suppress(KeyboardInterrupt, asyncio.CancelledError):
        asyncio.run(server.serve(sockets=[taken]))
