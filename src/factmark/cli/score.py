"""`factmark score` and `factmark report`, given what other protocols and harnesses know."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from factmark.answers.command import report_command, score_command
from factmark.cli.records import takes_options

if TYPE_CHECKING:
    from factmark.answers.reading import AnswerFile


def _read(path: Path, *, encoding: str, model: str, condition: str) -> AnswerFile:
    """Answers from files, foreign logs too."""
    from factmark.interop.reading import read_answers

    return read_answers(path, encoding=encoding, model=model, condition=condition)


def _print_campaign(ledger: Path, *, out: Path | None, json: bool) -> None:
    """What a campaign came to."""
    from factmark.people.commands.results import results

    results(ledger, out=out, json=json)


score = takes_options(score_command(_read))
report = report_command(_print_campaign)
