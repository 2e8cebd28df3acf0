"""`factmark serve`: the embedded store for clients outside."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(help="Offer data to other programs on this machine.", no_args_is_help=True)


@app.callback()
def _group() -> None:
    """Offer data to other programs on this machine."""


@app.command()
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

    from factmark.io.sparql import open_store
    from factmark.io.sparql.server import ServerLimits, serve

    async def run() -> None:
        limits = ServerLimits(timeout=timeout, max_rows=max_rows)
        async with open_store(path=store, workers=workers, union_default_graph=union) as opened:
            await opened.query("ASK {}")  # a damaged or locked store is told now
            await serve(
                opened,
                host=host,
                port=port,
                limits=limits,
                cors_origin=cors_origin,
                ready=lambda url: typer.echo(f"Serving {store.name} at {url} (Ctrl-C ends)"),
            )

    asyncio.run(run())
