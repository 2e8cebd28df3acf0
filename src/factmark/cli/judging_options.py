"""The options that commands share which have a user's rows judged: by whom, how many, where to."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from factmark.cli import options
from factmark.cli.asking import Asking
from factmark.errors import InputError
from factmark.files.own_columns import FOREIGN, is_foreign
from factmark.files.shards import WHOLE, Shard

if TYPE_CHECKING:
    from factmark.ask.client import ChatClient
    from factmark.ask.judges.recipe import Recipe

LEDGER = Path("factmark.db")  # where a model's verdicts go when no place is named


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgingOptions:
    """Who judges a user's rows, which of them, and where verdicts and results go."""

    mode: str = ""
    judge: Annotated[
        str,
        typer.Option(
            help=f"Who judges: {options.JUDGES}; or verdict:NAME, another program's verdicts, in a "
            "column of that name or brought in by `factmark ledger import`."
        ),
    ] = "rules"
    asking: Asking = field(default_factory=Asking)
    batch: options.Batch = 1
    samples: options.Samples = 1
    dry_run: options.DryRun = False
    reparse: options.Reparse = False
    limit: Annotated[int | None, typer.Option(min=1, help="Judge a random sample of so many.")] = (
        None
    )
    seed: Annotated[int, typer.Option(min=0, help="Of the sample and of the model.")] = 0
    shard: options.ShardName = ""
    engine: options.EngineName = ""
    column: options.Columns = None
    encoding: Annotated[str, typer.Option(help="Of the rows and passages.")] = "utf-8"
    ledger: options.Ledger = None
    out: options.Out = None
    level: options.Level = 0.95
    target: options.Target = "process"
    json: options.Json = False
    show_all: options.ShowAll = False

    @property
    def by_rules(self) -> bool:
        """Whether the built-in rules judge."""
        return self.judge == "rules"

    @property
    def foreign(self) -> str:
        """The other program whose verdicts are taken; empty where somebody is to judge."""
        if is_foreign(self.judge):
            return self.judge[len(FOREIGN) :].strip()
        return ""

    @property
    def anew(self) -> bool:
        """Whether units are judged anew that are judged already: a file may say other verdicts of
        another program than before."""
        return self.reparse or bool(self.foreign)

    @property
    def asks_model(self) -> bool:
        """Whether a model is asked for verdicts."""
        from factmark.ask.judges.recipe import judged_by

        return judged_by(self.judge) == "model"

    def recipe(self, judges: str, **more: Any) -> Recipe:
        """Returns the recipe of the judge.

        Args:
            judges: what it judges.
            more: `parameters` of the protocol beside how it is asked, and `files`.

        Raises:
            InputError: as `recipe_of`.
        """
        from factmark.cli.judge_recipes import recipe_of

        asked = {"mode": self.mode, "batch": self.batch, "samples": self.samples}
        more["parameters"] = asked | more.get("parameters", {})
        asking = replace(self.asking, seed=self.seed)
        return recipe_of(judges, self.judge, asking, ledger=self.kept_in, **more)

    def why_nothing(self, path: object, what: str, left: int) -> str:
        """Returns why nothing was judged: nothing in the file, a budget without room, or of what is
        in the file the other program has no verdict.

        Args:
            left: units that stay to be judged.
        """
        if self.foreign and left:
            column = f"{FOREIGN}{self.foreign}"
            return (
                f"{path} has no column {column!r} with a verdict, and the ledger no verdict by "
                f"{self.foreign} of what is in it"
            )
        if left:
            return f"the budget has no room, and {left:,} of {path} stay to be judged"
        return f"{path} holds no {what} that can be used"

    @property
    def kept_in(self) -> Path | None:
        """The ledger's path; None if none is kept, as where the rules judge unless a place is
        named."""
        if self.by_rules or self.foreign:
            unnamed = None
        else:
            unnamed = LEDGER
        return self.ledger or (self.out / "ledger.db" if self.out else unnamed)

    @property
    def part(self) -> Shard:
        """The part of the study that is judged here.

        Raises:
            InputError: as `Shard.parse`; a part without a ledger, which nobody could merge.
        """
        if not self.shard:
            return WHOLE
        if self.kept_in is None:
            raise InputError("--shard: name the ledger of this part, with --ledger or --out.")
        return Shard.parse(self.shard, engine=self.engine)

    @property
    def columns(self) -> dict[str, str]:
        """Field -> column, as --column names them."""
        return options.named_columns(self.column or ())

    def client(self) -> ChatClient:
        """Returns a client of the model that judges; it opens no connection yet."""
        asking = replace(self.asking, seed=self.seed)
        return asking.client(asking.spec(self.judge))
