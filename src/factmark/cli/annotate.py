"""Commands for campaigns: people rate, mark or label what a study is about."""

from __future__ import annotations

import typer

from factmark.cli.annotate_create import close, create

app = typer.Typer(help="Campaigns: have people rate summaries, clauses, triples or answers.")
app.command()(create)
app.command()(close)
