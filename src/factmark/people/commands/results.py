"""`factmark annotate results`: what a campaign came to."""

from __future__ import annotations

from factmark.campaign_model import ProtocolOf
from factmark.cli.showing import finish
from factmark.people.options import ResultsOptions


def results(protocol_of: ProtocolOf, options: ResultsOptions) -> None:
    """Tell what a campaign came to, also while people are still at it; or several, as one.

    Each system with its interval, first ratings beside those that count, systems compared in pairs,
    annotators, their agreement, and how well a judge agrees with them. What is not rated yet is
    counted as missing; without any rating there are no values.
    """
    from factmark.people.annotated_answers import ANNOTATED, write_annotated_answers
    from factmark.people.report import ratings_report
    from factmark.people.study import results_of_ledgers
    from factmark.report.files import check_result_files

    inputs = [("the ledger", ledger) for ledger in options.ledgers]
    check_result_files(options.out, inputs, [ANNOTATED])
    parts = results_of_ledgers(options, protocol_of)
    finish(ratings_report(*parts), options)
    if options.out is not None:
        for part in parts:
            write_annotated_answers(part, options.out, protocol_of, names=options.names)
