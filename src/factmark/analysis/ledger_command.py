"""`factmark ledger`: what a ledger holds, as tables and files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from factmark.cli import options
from factmark.cli.console import print_json, print_line, say

if TYPE_CHECKING:
    from factmark.analysis.later_verdicts import Imported

app = typer.Typer(help="Look into a ledger.", no_args_is_help=True)

LedgerFile = Annotated[Path, typer.Argument(help="The ledger's file.")]


@app.command()
def info(ledger: LedgerFile, json: options.Json = False) -> None:
    """Tell what a ledger holds: rows, judges with their verdicts, calls and what they cost."""
    from factmark.ledger.export import info as look

    found = look(ledger)
    if json:
        print_json(found)
        return
    rows = ", ".join(f"{count} {table}" for table, count in found["rows"].items())
    print_line(f"{found['ledger']}: {found['bytes'] / 1e6:.1f} MB; {rows}")
    for judge in found["judges"]:
        said = {**judge["labels"], **{k: v for k, v in judge["statuses"].items() if k != "ok"}}
        counts = ", ".join(f"{label} {count}" for label, count in said.items())
        print_line(f"{judge['kind']} {judge['name']} ({judge['id'][:8]}): {counts}")
    calls = found["calls"]
    cost = f"${calls['cost']:.4f}" + (", not all priced" if calls["unpriced"] else "")
    print_line(
        f"{calls['replies']} replies ({calls['refused']} refused), {calls['failed']} failed calls, "
        f"{calls['input_tokens']} tokens in, {calls['output_tokens']} out, {cost}"
    )


@app.command()
def export(
    ledger: LedgerFile,
    out: Annotated[Path, typer.Argument(help="The file to write: .jsonl, .csv or .parquet.")],
) -> None:
    """Write every verdict with its unit, item and judge."""
    from factmark.files.overwriting import check_files
    from factmark.ledger.export import export as write

    check_files(out.parent, [out.name], [("the ledger", ledger)])
    say(f"wrote {out}: {write(ledger, out)} verdicts")


@app.command("import")
def import_(
    ledger: LedgerFile,
    labels: Annotated[
        Path,
        typer.Argument(help="Labels by people: unit, annotator, label; .csv, .jsonl, .parquet."),
    ],
    encoding: Annotated[str, typer.Option(help="Of the labels.")] = "utf-8",
    json: options.Json = False,
) -> None:
    """Add people's labels: a filled-in sheet of `factmark plan --sheet`, or a file like it."""
    from dataclasses import asdict

    from factmark.analysis.later_verdicts import import_labels
    from factmark.ledger.ledger import open_existing

    with open_existing(ledger) as opened:
        found = import_labels(labels, opened, encoding)
    if json:
        print_json(asdict(found))
    else:
        _tell_import(found)
    if not found.labels:
        say(f"no label was imported: {labels} needs the columns unit, annotator and label, filled")
        raise typer.Exit(1)


def _tell_import(found: Imported) -> None:
    from factmark.tables.shown_text import count

    given = count(found.labels, "label", "labels")
    people = count(len(found.annotators), "person", "people")
    new = "nothing new" if not found.new else f"{found.new} new or changed"
    print_line(f"{given} by {people}, {new}; {count(found.empty, 'row', 'rows')} without a label")


@app.command()
def reparse(ledger: LedgerFile, json: options.Json = False) -> None:
    """Read the kept replies of models anew, with this version's parser; makes no call."""
    from dataclasses import asdict

    from factmark.analysis.later_verdicts import reparse as read

    found = read(ledger)
    if json:
        print_json(asdict(found))
    else:
        print_line(
            f"{found.read} verdicts read again, {found.changed} changed, "
            f"{found.left_alone} left alone"
        )
