"""Commands for campaigns: people rate, mark or label what a study is about."""

from __future__ import annotations

import typer

app = typer.Typer(help="Campaigns: have people rate summaries, clauses, triples or answers.")
