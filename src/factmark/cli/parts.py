"""How a command ends that judged one part of a study: counts alone, since figures would be of the
part. The ledgers of all parts are merged, and the same command without --shard gives the results.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import typer

from factmark.ask.budget import Spend
from factmark.ask.runner import JudgingProgress
from factmark.cli.asking import incomplete_exit
from factmark.cli.console import print_line, say
from factmark.cli.showing import show_outcome
from factmark.errors import InputError
from factmark.files.shards import WHOLE, Shard
from factmark.report.envelope import CommandOutcome
from factmark.text.shown_text import count


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedPart:
    """What came of one part of a study.

    Attributes:
        ledger: where the verdicts are, and the replies.
        judges: who judged, by name.
        statuses: units by the status of their verdict.
        left: units that stay to be judged, for want of budget.
        problems: what was wrong with the input.
    """

    part: Shard
    ledger: Path
    judges: tuple[str, ...]
    statuses: Mapping[str, int]
    left: int = 0
    spend: Spend = field(default_factory=Spend)
    problems: tuple[str, ...] = ()

    @classmethod
    def of_progress(
        cls, part: Shard, ledger: Path, done: JudgingProgress, problems: tuple[str, ...] = ()
    ) -> JudgedPart:
        """Returns the part that a judge went through."""
        return cls(
            part=part,
            ledger=ledger,
            judges=(done.judge.name,),
            statuses=dict(done.verdicts),
            left=done.left,
            spend=done.spend,
            problems=problems,
        )


def check_whole(part: Shard) -> None:
    """Raises InputError where results are wanted of a part."""
    if part != WHOLE:
        raise InputError(
            f"--shard {part}: a part has counts and no results. Call the command, merge the "
            "ledgers of all parts, and leave --shard out."
        )


def finish_part(done: JudgedPart, *, command: str, json: bool) -> None:
    """Prints what came of a part; exits with 3 where calls failed or a budget ended."""
    units = sum(done.statuses.values())
    if json:
        details = {
            "part": str(done.part),
            "ledger": str(done.ledger),
            "units": units + done.left,
            "statuses": dict(done.statuses),
            "left": done.left,
            "judged_before": done.spend.judged_before,
            "spent": done.spend.as_json(),
        }
        subject = ", ".join(done.judges)
        show_outcome(
            CommandOutcome(
                command=command, subject=subject, details=details, problems=done.problems
            )
        )
    else:
        statuses = ", ".join(f"{n:,} {name}" for name, n in sorted(done.statuses.items()))
        print_line(
            f"part {done.part}: {count(units, 'unit', 'units')} judged by "
            f"{', '.join(done.judges)} ({statuses or 'none here'}), "
            f"{count(done.spend.calls, 'call', 'calls')}; kept in {done.ledger}"
        )
        print_line(
            "When all parts are judged: `factmark ledger merge LEDGERS --out ALL.db`, then the "
            "same command with --ledger ALL.db and without --shard."
        )
        for problem in done.problems:
            say(f"note: {problem}")
    failed = done.statuses.get("failed", 0)
    if failed or done.spend.stopped:
        raise incomplete_exit(failed or done.spend.stopped)
    if done.left:
        raise typer.Exit(3)
