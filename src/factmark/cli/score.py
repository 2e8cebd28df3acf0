"""What answers need of other slices, put together: `score`, `report` and campaigns of marks."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from factmark.answers.command import report_command, score_command
from factmark.cli.records import takes_options

if TYPE_CHECKING:
    from factmark.answers.reading import AnswerFile


def _read(
    path: Path,
    *,
    encoding: str,
    model: str,
    condition: str,
    columns: Mapping[str, str] | None = None,
) -> AnswerFile:
    """Reads answers from files, foreign logs too."""
    from factmark.interop.reading import read_answers

    return read_answers(
        path, encoding=encoding, model=model, condition=condition, columns=columns or {}
    )


def _print_campaign(ledger: Path, *, out: Path | None, json: bool) -> None:
    """Prints and writes the results of a campaign."""
    from factmark.cli.annotate import protocol_of
    from factmark.people.commands.results import results
    from factmark.people.options import ResultsOptions

    results(protocol_of, ResultsOptions(ledgers=[ledger], out=out, json=json))


def __getattr__(name: str) -> Any:
    """What a campaign of marks asks of this module, loaded when it does: see `ProtocolOf`."""
    if name not in {"units_asked", "marked_rows", "score_marks"}:  # imports ask for others
        raise AttributeError(name)
    from functools import partial

    from factmark.answers import campaign

    held = getattr(campaign, name)
    return partial(held, read=_read) if name == "units_asked" else held


score = takes_options(score_command(_read))
report = report_command(_print_campaign)
