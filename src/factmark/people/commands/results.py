"""`factmark annotate results`: what a campaign came to."""

from __future__ import annotations

from factmark.campaign_model import ProtocolOf
from factmark.cli.console import print_json, print_line, print_opening, print_table, say
from factmark.people.options import ResultsOptions


def results(protocol_of: ProtocolOf, options: ResultsOptions) -> None:
    """Tell what a campaign came to, also while people are still at it; or several, as one.

    Each system with its interval, first ratings beside those that count, systems compared in pairs,
    annotators, their agreement, and how well a judge agrees with them. What is not rated yet is
    counted as missing; without any rating there are no values.
    """
    from factmark.people.opening import campaign_opening
    from factmark.people.result_files import (
        campaign_json,
        check_result_files,
        write_campaign_results,
        write_marks,
    )
    from factmark.people.study import campaign_results
    from factmark.people.tables import campaign_tables
    from factmark.stats.comparison import Options
    from factmark.text.shown_text import count

    results = campaign_results(
        options.ledgers,
        options.campaign or (),
        protocol_of=protocol_of,
        judges=options.judge or (),
        names=options.names,
        options=Options(level=options.level, resamples=options.resamples, seed=options.seed),
    )
    out, tables = options.out, campaign_tables(results)
    if out is not None:
        check_result_files(out, tables, options.ledgers)
        written = write_campaign_results(results, out)
        written += write_marks(results, out, protocol_of, names=options.names)
        say(f"wrote {', '.join(str(path) for path in written)}")
    if options.json:
        print_json(campaign_json(results))
        return
    print_opening(campaign_opening(results))
    for name, table in tables.items():
        if name != "comments":  # they have their place in the files and on the page
            print_table(table)
    if results.comments:
        read = sum(results.finer(entry) is not None for entry in results.comments)
        print_line(
            f"{count(len(results.comments), 'comment', 'comments')}, {read} of them with a finer "
            "rating; --out writes them."
        )
    for problem in results.problems:
        say(f"note: {problem}")
