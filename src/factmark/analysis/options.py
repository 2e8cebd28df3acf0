"""The options of `factmark agree`, `compare`, `plan` and `ledger import`, and of `fm.correct`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import typer

from factmark.cli import options

Names = Annotated[
    bool,
    typer.Option("--names", help="Call annotators of campaigns by their names, not by codes."),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class AgreeOptions:
    """Which judges of a ledger are compared, and how."""

    ledger: Annotated[Path, typer.Argument(help="The ledger's file.")]
    judge: Annotated[
        list[str] | None,
        typer.Option(
            help="A judge's name, the beginning of its id, or an annotator's code; again for each. "
            "One: it against all others. All that share units, where none is given."
        ),
    ] = None
    first_final: Annotated[
        list[str] | None,
        typer.Option(
            help="A judge whose first verdicts are compared with its newest; again for each."
        ),
    ] = None
    kind: Annotated[
        str, typer.Option(help="The kind of units: pair, triple, fact, ...; each, if not given.")
    ] = ""
    scale: Annotated[
        Literal["nominal", "ordinal", "interval"] | None,
        typer.Option(
            help="How far apart labels are. Not given: interval where they are numbers, ordinal "
            "where each has its own value, else nominal."
        ),
    ] = None
    by: Annotated[
        str,
        typer.Option(help="A stratum to break down by: relation, category, model, condition, ..."),
    ] = ""
    decided: Annotated[
        bool,
        typer.Option(
            "--decided",
            help="What was decided by adjudication takes the place of people's ratings of it.",
        ),
    ] = False
    names: Names = False
    out: options.Out = None
    level: options.Level = 0.95
    resamples: options.Resamples = 10_000
    seed: options.Seed = 0
    show_all: options.ShowAll = False
    json: options.Json = False


@dataclass(frozen=True, slots=True, kw_only=True)
class CompareOptions:
    """Which results are compared, and how."""

    inputs: Annotated[
        list[Path],
        typer.Argument(
            help="Ledgers, or folders with one that `factmark score`, `run` or `graph` wrote with "
            "--out."
        ),
    ]
    by: Annotated[
        Literal["all", "file", "model", "condition"],
        typer.Option(
            help="What tells systems apart: `all` for file, model and condition (of claims: file "
            "and system); the others average over what they leave out."
        ),
    ] = "all"
    metric: Annotated[
        str,
        typer.Option(
            help="What strata and ranks go by: combined_score, completeness, hallucination_rate "
            "(or S, C, H); score, strict_score of graphs (or F*, V, strict; says which, where a "
            "ledger holds both). The first, where it is not given."
        ),
    ] = ""
    out: options.Out = None
    level: options.Level = 0.95
    resamples: options.Resamples = 10_000
    seed: options.Seed = 0
    show_all: options.ShowAll = False
    json: options.Json = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanOptions:
    """What an interval is to be like, and what is known or assumed of judge and people."""

    half_width: Annotated[
        float | None,
        typer.Option(
            min=0.0001,
            help="Half of the interval that you want: of a share below 0.5, of ratings in points "
            "of their scale.",
        ),
    ] = None
    labels: Annotated[
        int | None,
        typer.Option(min=1, help="In place of --half-width: a sheet with so many units in all."),
    ] = None
    share: Annotated[
        float | None, typer.Option(min=0.0, max=1.0, help="The share that is expected.")
    ] = None
    agreement: Annotated[
        float, typer.Option(min=0.0, max=1.0, help="How often judge and people agree.")
    ] = 0.9
    sensitivity: Annotated[
        float | None,
        typer.Option(min=0.0, max=1.0, help="In place of --agreement: on what is true."),
    ] = None
    specificity: Annotated[
        float | None,
        typer.Option(min=0.0, max=1.0, help="In place of --agreement: on what is false."),
    ] = None
    ledger: Annotated[
        Path | None, typer.Option(help="A pilot, in place of assumptions: verdicts and labels.")
    ] = None
    judge: Annotated[
        str | None, typer.Option(help="The pilot's judge: its name or the start of its id.")
    ] = None
    answers: Annotated[
        Path | None,
        typer.Option(
            help="Results of `factmark score` or `run` (folder or ledger), in place of all this: "
            "answers of each condition are drawn for people to mark."
        ),
    ] = None
    each: Annotated[
        int, typer.Option(min=1, help="With --answers: how many of each model and condition.")
    ] = 40
    difference: Annotated[
        float | None,
        typer.Option(
            min=0.001,
            max=1.0,
            help="With --answers, in place of --each: as many questions, marked under all "
            "conditions, as bring the corrected difference of two of them within ± this.",
        ),
    ] = None
    verdicts: Annotated[
        int | None,
        typer.Option(min=1, help="Units that the judge goes through; enough where not given."),
    ] = None
    target: Annotated[
        Literal["units", "process"],
        typer.Option(
            help="What the interval speaks for: just the units that the judge goes through, or "
            "what made them, of which they are a sample."
        ),
    ] = "process"
    design_effect: Annotated[
        float | None,
        typer.Option(min=1.0, help="Of labels on several units of one item; the pilot's, else 1."),
    ] = None
    facts_per_entity: Annotated[
        float,
        typer.Option(
            min=1.0,
            help="Labelled facts that share an entity: a person takes 45 seconds to find out about "
            "one, and 25 for each fact.",
        ),
    ] = 1.0
    wage: Annotated[float, typer.Option(min=0.0, help="Of a person, for an hour.")] = 0.0
    sheet: Annotated[
        Path | None,
        typer.Option(help="Write a CSV sheet with what people are to label or mark next."),
    ] = None
    replace: Annotated[
        bool, typer.Option("--replace", help="Write over a sheet that is there.")
    ] = False
    seed: Annotated[int, typer.Option(min=0, help="Of drawing the sheet.")] = 0
    out: options.Out = None
    level: options.Level = 0.95
    show_all: options.ShowAll = False
    json: options.Json = False


@dataclass(frozen=True, slots=True, kw_only=True)
class CorrectOptions:
    """How a judge is corrected by people's labels."""

    level: options.Level = 0.95
    target: options.Target = "process"


@dataclass(frozen=True, slots=True, kw_only=True)
class AnalyseOptions:
    """Which table is analysed, and what it holds where that cannot be told."""

    table: Annotated[
        Path,
        typer.Argument(
            metavar="FILE",
            help="A judge's verdicts: a table (.csv, .tsv, .jsonl, .json, .parquet, .arrow), or "
            "results of ragas, deepeval, promptfoo, inspect_ai (.eval), lm-eval and others.",
        ),
    ]
    labels_file: Annotated[
        Path | None,
        typer.Argument(
            metavar="[LABELS]",
            help="People's labels, joined by id; such as a sheet that --sheet wrote.",
        ),
    ] = None
    judge: Annotated[
        str, typer.Option(help="The column with the judge's verdicts, where there are several.")
    ] = ""
    column: Annotated[
        list[str] | None,
        typer.Option(
            help="FIELD=NAME: which column holds people, id, cluster, stratum, system, "
            "probability or weight; NAME `none` for no column. Repeatable."
        ),
    ] = None
    mapping: options.Mapping = None
    rows: options.RowsPath = ""
    scale: Annotated[
        str, typer.Option(help="The least and the greatest rating that people can give: 1,5.")
    ] = ""
    half_width: Annotated[
        float,
        typer.Option(min=0.0001, help="Of the interval that you want."),
    ] = 0.03
    anytime: Annotated[
        bool,
        typer.Option(
            "--anytime",
            help="Beside the corrected figure an interval that holds however often you look, from "
            "30 labels on: stop labelling when you like.",
        ),
    ] = False
    second: Annotated[
        str, typer.Option(help="A second judge's column: what it is worth in labels by people.")
    ] = ""
    by: Annotated[
        str,
        typer.Option(help="A column: its slices, corrected, with intervals that hold at once."),
    ] = ""
    bias: Annotated[
        list[str] | None,
        typer.Option(
            help="Test whether the judge's error goes by this column: numbers, words, or texts "
            "by their length; again for each. `all`: the text that was judged, system, slice."
        ),
    ] = None
    sheet: Annotated[
        Path | None, typer.Option(help="Write a CSV sheet with units for people to label next.")
    ] = None
    labels: Annotated[
        int | None, typer.Option(min=1, help="Units on the sheet; what the half-width takes, else.")
    ] = None
    replace: Annotated[
        bool, typer.Option("--replace", help="Write over a sheet that is there.")
    ] = False
    seed: Annotated[int, typer.Option(min=0, help="Of drawing the sheet.")] = 0
    encoding: Annotated[str, typer.Option(help="Of the files.")] = "utf-8"
    target: options.Target = "process"
    out: options.Out = None
    level: options.Level = 0.95
    show_all: options.ShowAll = False
    json: options.Json = False

    @property
    def columns(self) -> Mapping[str, str]:
        """Role -> column, as --judge and --column name them."""
        named = options.named_columns(self.column or ())
        if self.judge:
            named["judge"] = self.judge
        return named


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelImportOptions:
    """Which labels and verdicts are imported, and how their file is read."""

    ledger: Annotated[Path, typer.Argument(help="The ledger's file.")]
    labels: Annotated[
        Path,
        typer.Argument(
            help="unit or id, annotator, label, and verdict:NAME for each other program; .csv, "
            ".tsv, .jsonl, .parquet, or .json with {id: label}."
        ),
    ]
    column: Annotated[
        list[str] | None,
        typer.Option(
            help="FIELD=NAME: which column holds id, unit, annotator, label, comment or "
            "verdict:JUDGE; may be repeated."
        ),
    ] = None
    annotator: Annotated[
        str, typer.Option(help="Who gave the labels of rows that name nobody.")
    ] = ""
    judge: Annotated[
        str, typer.Option(help="The program that gave the labels, where no person did.")
    ] = ""
    kind: Annotated[
        str, typer.Option(help="The kind of units that the ids are of, where there are several.")
    ] = ""
    source: Annotated[
        str, typer.Option(help="FOLDER/FILE whose ids these are, where several files use them.")
    ] = ""
    mapping: options.Mapping = None
    encoding: Annotated[str, typer.Option(help="Of the labels.")] = "utf-8"
    json: options.Json = False

    @property
    def columns(self) -> Mapping[str, str]:
        """Field -> column, as --column names them."""
        return options.named_columns(self.column or ())
