"""`factmark dataspace`: the replica of the EHDS portal. `factmark serve`: data for others."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from functools import partial
from pathlib import Path
from typing import Annotated, Literal

import typer

from factmark.cli.console import print_line, say

app = typer.Typer(help="The embedded health data space.", no_args_is_help=True)
serve_app = typer.Typer(help="Offer data to other programs on this machine.", no_args_is_help=True)


@app.callback()
def _group() -> None:
    """The embedded health data space."""


@app.command()
def build(
    path: Annotated[Path, typer.Argument(help="The store's folder, or the file, to make.")],
    scale: Annotated[
        float, typer.Option(help="Size of the clinical records: 1 is full, 21 million triples.")
    ] = 0.01,
    seed: Annotated[int, typer.Option(min=0, help="Of what no published figure fixes.")] = 0,
    form: Annotated[
        Literal["store", "nquads", "trig"], typer.Option("--format", help="What to build.")
    ] = "store",
    replace: Annotated[bool, typer.Option("--replace", help="Replace what is there.")] = False,
) -> None:
    """Build the replica of the EHDS portal, from its published figures.

    It is generated data, not the portal's. The published figures hold at every scale.
    """
    from factmark.ehds.write import build_store, write_quads

    make: Callable[..., int]
    if form == "store":
        make = build_store
    else:
        make = partial(write_quads, form=form)
    begun = time.monotonic()
    with _progress_bar() as progress:
        triples = make(path, scale=scale, seed=seed, replace=replace, progress=progress)
    say(f"wrote {path}: {triples:,} triples in {time.monotonic() - begun:.1f} s")


@contextmanager
def _progress_bar() -> Iterator[Callable[[int, int], None] | None]:
    """Yields a function that shows how much is done of how much; None where no
    terminal shows it.
    """
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("data space", total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


@serve_app.callback()
def _serve_group() -> None:
    """Offer data to other programs on this machine."""


@serve_app.command()
def sparql(
    store: Annotated[Path, typer.Argument(help="The folder of a store, or an RDF file.")],
    host: Annotated[str, typer.Option(help="The address to listen on.")] = "127.0.0.1",
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="The port; 0 for any free one.")
    ] = 7878,
    timeout: Annotated[float, typer.Option(min=0.1, help="Seconds for one query.")] = 30.0,
    max_rows: Annotated[int, typer.Option(min=1, help="Rows of one result.")] = 100_000,
    workers: Annotated[int, typer.Option(min=1, help="Queries that run at once.")] = 2,
    union: Annotated[
        bool, typer.Option(help="Whether plain patterns match the union of all graphs.")
    ] = True,
    cors_origin: Annotated[
        str | None, typer.Option(help="The web origin whose pages may read results.")
    ] = None,
) -> None:
    """Serve a store as a read-only SPARQL endpoint until Ctrl-C."""
    import asyncio

    from factmark.stores.folder import FolderStore
    from factmark.stores.server import RESULT_BYTES, ServerLimits, serve

    async def run() -> None:
        limits = ServerLimits(timeout=timeout, max_rows=max_rows, building=workers)
        async with FolderStore(
            store, workers=workers, union_default_graph=union, max_bytes=RESULT_BYTES
        ) as opened:
            await opened.query("ASK {}")  # a damaged or locked store is told now
            await serve(
                opened,
                host=host,
                port=port,
                limits=limits,
                cors_origin=cors_origin,
                ready=lambda url: print_line(f"Serving {store.name} at {url} (Ctrl-C ends)"),
            )

    asyncio.run(run())


@serve_app.command()
def mcp(
    store: Annotated[
        Path | None,
        typer.Argument(help="The folder of a store, or an RDF file; by default the replica."),
    ] = None,
    endpoint: Annotated[
        str | None, typer.Option(help="The URL of a SPARQL endpoint instead of a store.")
    ] = None,
    stdio: Annotated[
        bool, typer.Option("--stdio", help="Speak on stdin and stdout, which is the default.")
    ] = False,
    http: Annotated[
        str | None,
        typer.Option(metavar="HOST:PORT", help="Listen for streamable HTTP at /mcp instead."),
    ] = None,
    allow_host: Annotated[
        list[str] | None,
        typer.Option(help="With --http, a further host name that clients may use; repeatable."),
    ] = None,
    user_env: Annotated[
        str | None, typer.Option(help="The environment variable with the endpoint's user.")
    ] = None,
    password_env: Annotated[
        str | None, typer.Option(help="The environment variable with its password.")
    ] = None,
    workers: Annotated[int, typer.Option(min=1, help="Queries that run at once.")] = 2,
) -> None:
    """Serve the seven EHDS tools over MCP, for assistants and agents."""
    import asyncio

    from factmark.ehds.mcp_server import host_and_port, require_mcp, serve_http, serve_stdio
    from factmark.ehds.write import demo_replica
    from factmark.errors import InputError
    from factmark.stores.open_store import open_store

    require_mcp()
    if stdio and http is not None:
        raise InputError("Give --stdio or --http, not both.")
    address = None
    if http is not None:
        address = host_and_port(http)
    if store is not None and endpoint is not None:
        raise InputError("Give a store or --endpoint, not both.")
    if endpoint is None and (user_env or password_env):
        raise InputError("--user-env and --password-env are for an --endpoint. Name it.")

    async def run(path: Path | None) -> None:
        async with open_store(
            path=path, url=endpoint, workers=workers, user_env=user_env, password_env=password_env
        ) as opened:
            await opened.query("ASK {}")  # what is damaged or cannot be reached is told now
            if address is None:
                await serve_stdio(opened)
                return
            await serve_http(
                opened,
                host=address[0],
                port=address[1],
                allowed_hosts=allow_host or (),
                ready=lambda url: print_line(f"Serving MCP at {url} (Ctrl-C ends)"),
            )

    with demo_replica() if store is None and endpoint is None else nullcontext(store) as path:
        asyncio.run(run(path))
