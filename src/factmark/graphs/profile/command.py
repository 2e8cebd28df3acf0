"""`factmark graph profile`: what a graph is like, and which of its triples look wrong."""

from __future__ import annotations

from factmark.cli import console
from factmark.cli.console import print_json, print_opening, print_table, say
from factmark.graphs.profile.options import ProfileOptions


def profile(given: ProfileOptions) -> None:
    """Profile a graph: its size and shape, and which triples look wrong.

    Suspects are triples by their shape and names: both directions of a one-way relation, circles in
    a hierarchy, several values where others have one, rare patterns of types, names that their
    passage does not have, and more. No judge is asked. A suspect is no error: with --ledger people
    label some of each kind (`factmark plan`), and the same command then tells how often each was.
    """
    from factmark.graphs.profile.page import profile_json, write_profile
    from factmark.graphs.profile.study import profile_graph
    from factmark.graphs.profile.tables import profile_opening, suspect_table

    result = profile_graph(given, progress=console.reading_line)
    if given.ledger is not None:
        say(f"each unit's suspicion is kept in {given.ledger}")
    if given.out is not None:
        write_profile(result, given.out)
        say(f"wrote {given.out / 'profile.html'}, profile.json and every suspect beside it")
    if given.json:
        print_json(profile_json(result))
        return
    print_opening(profile_opening(result))
    print_table(suspect_table(result))
    if given.out is None:
        say("relations, patterns of types, hubs and near-duplicate names: --out FOLDER, or --json")
    for problem in result.problems:
        say(f"note: {problem}")
