"""Commands for campaigns: people rate, mark or label what a study is about."""

from __future__ import annotations

import typer

from factmark.cli import annotate_page

app = typer.Typer(help="Campaigns: have people rate summaries, clauses, triples or answers.")
app.command("serve")(annotate_page.serve)
app.command("links")(annotate_page.links)
