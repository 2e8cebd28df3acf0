"""`factmark ledger`: what a ledger holds, as tables and files."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from factmark.cli import options
from factmark.cli.asking import incomplete_exit
from factmark.cli.console import print_json, print_line, say
from factmark.files.overwriting import check_files
from factmark.ledger import export as ledger_export
from factmark.ledger.ledger import open_existing
from factmark.tables.shown_text import count

app = typer.Typer(help="Look into a ledger.", no_args_is_help=True)

LedgerFile = Annotated[Path, typer.Argument(help="The ledger's file.")]


@app.command()
def info(ledger: LedgerFile, json: options.Json = False) -> None:
    """Tell what a ledger holds: rows, judges with their verdicts, calls and what they cost."""
    held = ledger_export.info(ledger)
    if json:
        print_json(held)
        return
    rows = ", ".join(f"{n_rows} {table}" for table, n_rows in held["rows"].items())
    print_line(f"{held['ledger']}: {held['bytes'] / 1e6:.1f} MB; {rows}")
    for judge in held["judges"]:
        statuses = {name: n for name, n in judge["statuses"].items() if name != "ok"}
        counts = ", ".join(f"{name} {n}" for name, n in {**judge["labels"], **statuses}.items())
        print_line(f"{judge['kind']} {judge['name']} ({judge['id'][:8]}): {counts}")
    calls = held["calls"]
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
    check_files(out.parent, [out.name], [("the ledger", ledger)])
    say(f"wrote {out}: {ledger_export.export(ledger, out)} verdicts")


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
    from factmark.analysis.later_verdicts import import_labels

    with open_existing(ledger) as opened:
        brought = import_labels(labels, opened, encoding)
    if json:
        print_json(asdict(brought))
    else:
        given = count(brought.labels, "label", "labels")
        people = count(len(brought.annotators), "person", "people")
        new = f"{brought.new} new or changed" if brought.new else "nothing new"
        empty = count(brought.empty, "row", "rows")
        print_line(f"{given} by {people}, {new}; {empty} without a label")
    if not brought.labels:
        say(f"no label was imported: {labels} needs the columns unit, annotator and label, filled")
        raise typer.Exit(1)
    where, unknown = brought.unknown
    if unknown:
        units = count(unknown, "label is of a unit", "labels are of units")
        raise incomplete_exit(f"{units} that are not judged yet (the first: {where})")


@app.command()
def reparse(ledger: LedgerFile, json: options.Json = False) -> None:
    """Read the kept replies of models anew, with this version's parser; makes no call."""
    from factmark.analysis import later_verdicts

    reparsed = later_verdicts.reparse(ledger)
    if json:
        print_json(asdict(reparsed))
        return
    print_line(
        f"{reparsed.read} verdicts read again, {reparsed.changed} changed, "
        f"{reparsed.left_alone} left alone"
    )
