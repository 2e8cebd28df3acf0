"""`factmark graph profile`: what a graph is like, and which of its triples look wrong."""

from __future__ import annotations

from factmark.cli import console
from factmark.cli.console import say
from factmark.cli.showing import finish
from factmark.graphs.profile.options import ProfileOptions


def profile(given: ProfileOptions) -> None:
    """Profile a graph: its size and shape, and which triples look wrong.

    Suspects are triples by their shape and names: both directions of a one-way relation, circles in
    a hierarchy, several values where others have one, rare patterns of types, names that their
    passage does not have, and more. No judge is asked. A suspect is no error: with --ledger people
    label some of each kind (`factmark plan`), and the same command then tells how often each was.
    """
    from factmark.graphs.profile.report import profile_report
    from factmark.graphs.profile.study import profile_graph

    results = profile_graph(given, reading=console.reading_line)
    if given.ledger is not None:
        say(f"each unit's suspicion is kept in {given.ledger}")
    finish(profile_report(results), given)
