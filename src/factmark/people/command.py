"""Commands for campaigns: people rate, mark or label what a study is about."""

from __future__ import annotations

import typer

from factmark.people.commands.create import close, create
from factmark.people.commands.judge import judge
from factmark.people.commands.labelstudio import labelstudio_up, pull, push, status
from factmark.people.commands.page import links, serve
from factmark.people.commands.results import results

app = typer.Typer(help="Campaigns: have people rate summaries, clauses, triples or answers.")
app.command()(create)
app.command()(serve)
app.command()(links)
app.command()(push)
app.command()(pull)
app.command()(status)
app.command()(results)
app.command()(judge)
app.command()(close)
app.command("labelstudio-up")(labelstudio_up)
