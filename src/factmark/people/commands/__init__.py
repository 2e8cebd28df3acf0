"""The commands `factmark annotate ...`: people rate, mark or label what a study is about."""

from __future__ import annotations

from functools import partial

import typer

from factmark.campaign_model import ProtocolOf
from factmark.cli.records import takes_options
from factmark.people.commands.create import close, create
from factmark.people.commands.import_ratings import import_ratings
from factmark.people.commands.judge import judge
from factmark.people.commands.labelstudio import pull, push
from factmark.people.commands.people import add, adjudicate, forget, reassign, withdraw
from factmark.people.commands.serving import links, serve
from factmark.people.commands.standing import results, status


def annotate_app(protocol_of: ProtocolOf) -> typer.Typer:
    """Returns the typer app with the commands of `factmark annotate`; `protocol_of` gives the
    protocol of a kind of units."""
    app = typer.Typer(help="Campaigns: have people rate summaries, clauses, triples or answers.")
    app.command()(takes_options(partial(create, protocol_of)))
    app.command("import")(takes_options(import_ratings))
    app.command()(takes_options(partial(serve, protocol_of)))
    app.command()(links)
    app.command()(push)
    app.command()(takes_options(partial(pull, protocol_of)))
    app.command()(status)
    app.command()(takes_options(partial(results, protocol_of)))
    app.command()(takes_options(partial(judge, protocol_of)))
    app.command()(close)
    app.command()(add)
    app.command()(reassign)
    app.command()(adjudicate)
    app.command()(withdraw)
    app.command()(forget)
    return app
