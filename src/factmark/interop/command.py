"""`factmark export`: scored answers in the forms of other harnesses."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from factmark.cli.console import say


def export(
    ledger: Annotated[Path, typer.Argument(help="A ledger with scored answers.")],
    to: Annotated[
        Literal["inspect", "lm-eval", "harness", "ehds"],
        typer.Option(
            help="inspect: logs of inspect_ai, for its viewer. lm-eval: samples and results of "
            "lm-evaluation-harness. harness: JSON in the original harness's fields. ehds: JSON and "
            "CSV in the shape of the EHDS benchmark's results."
        ),
    ],
    out: Annotated[Path, typer.Option(help="The folder that the files go to.")],
) -> None:
    """Write scored answers as other harnesses do, for their viewers and tools."""
    from factmark.answers.verdicts import results_from_ledger
    from factmark.files.overwriting import check_files
    from factmark.interop.ehds_shape import EHDS_FILES, write_ehds
    from factmark.interop.inspect_write import write_inspect_logs
    from factmark.interop.lm_eval import write_lm_eval
    from factmark.interop.runs import write_harness

    results = results_from_ledger(ledger)
    if to == "inspect":
        written = write_inspect_logs(results, out)
    elif to == "lm-eval":
        written = write_lm_eval(results, out)
    elif to == "ehds":
        check_files(out, EHDS_FILES, [("the ledger", ledger)])
        written = write_ehds(results, out)
    else:
        check_files(out, ["answers.json"], [("the ledger", ledger)])
        written = write_harness(results, out)
    for path in written:
        say(f"wrote {path}")
