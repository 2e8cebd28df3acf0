"""What answers need of other slices, put together: `score`, `report` and campaigns of marks."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from factmark.answers import campaign
from factmark.answers.command import report_command, score_command
from factmark.answers.reading import AnswerFile
from factmark.cli.records import takes_options

marked_rows, score_marks = campaign.marked_rows, campaign.score_marks


def _read(path: Path, *, encoding: str, model: str, condition: str) -> AnswerFile:
    """Answers from files, foreign logs too."""
    from factmark.interop.reading import read_answers

    return read_answers(path, encoding=encoding, model=model, condition=condition)


def _print_campaign(ledger: Path, *, out: Path | None, json: bool) -> None:
    """What a campaign came to."""
    from factmark.people.commands.results import ResultsOptions, results

    results(lambda _: campaign, ResultsOptions(ledger=ledger, out=out, json=json))


units_asked = partial(campaign.units_asked, read=_read)
score = takes_options(score_command(_read))
report = report_command(_print_campaign)
