"""Recipes of judges from options, and the one place where a judge is opened from its recipe."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from factmark.ask.judges.own_function import OwnFunction, load_function
from factmark.ask.judges.own_judge import OwnJudge, own_judge
from factmark.ask.judges.recipe import Recipe, RecipeFile, judged_by
from factmark.ask.judges.unit_judge import NamedJudge, UnitJudge, ready
from factmark.ask.model_spec import NAMES, names_model
from factmark.ask.weights.known_weights import names_local
from factmark.ask.weights.local_judge import LocalWeights, read_local
from factmark.ask.weights.nli_folder import PREFIX, read_nli_folder
from factmark.ask.weights.threshold import labelled_shares, learnt_threshold
from factmark.cli.asking import Asking
from factmark.errors import InputError
from factmark.files.own_columns import FOREIGN
from factmark.ledger.ledger import Ledger
from factmark.ledger.writer import LedgerWriter

if TYPE_CHECKING:  # with aiohttp: loaded by those who ask
    from factmark.ask.client import ChatClient


@dataclass(frozen=True, slots=True, kw_only=True)
class Openers:
    """How a protocol opens its judges, each sort by a function; None where it has no such judge.

    Attributes:
        rules: gives the built-in rules.
        model: given a client, gives the model that is asked by it.
        own: given a function or weights of the user's, gives the judge that they are.
        foreign: given a name and the recipe's material, gives another program as a judge.
        marks: given the file of marks and the annotator, gives the person who marked.
    """

    rules: Callable[[], UnitJudge] | None = None
    model: Callable[[ChatClient], NamedJudge] | None = None
    own: Callable[[OwnJudge], NamedJudge] | None = None
    foreign: Callable[[str, Mapping[str, Any]], UnitJudge] | None = None
    marks: Callable[[Path, str | None], UnitJudge] | None = None


def recipe_of(
    judges: str,
    name: str,
    asking: Asking,
    *,
    option: str = "--judge",
    ledger: Path | None = None,
    **more: Any,
) -> Recipe:
    """Returns the recipe of the judge that an option names.

    Args:
        judges: what it judges, see `factmark.judges`.
        asking: how a model is asked.
        ledger: by whose labels of people weights of factmark's table learn their threshold.
        more: `parameters`, `files` and `material` of the recipe.

    Raises:
        InputError: there is no such function or folder, or a model's name, key or price is wrong.
    """
    recipe = Recipe(judges=judges, by=judged_by(name), name=name, **more)
    if recipe.by == "model":
        if not names_model(name):
            raise InputError(
                f"{option} {name}: names no model, and no judge in this process. Write rules, "
                f"local, one of {NAMES}, nli:FOLDER, or module:function of your own."
            )
        spec = asking.spec(name)
        asking.client(spec)  # a missing key or price shows here
        files = dict(recipe.files)
        if spec.file is not None:
            files["weights"] = RecipeFile(path=str(spec.file.absolute()), hash=spec.weights)
        return replace(recipe, asking=_as_values(asking), files=files)
    own = None
    if recipe.by in ("function", "weights"):
        own = own_judge(option, name)
    if own is None:
        return recipe
    if isinstance(own, LocalWeights):
        labelled = labelled_shares(ledger, own.weights)
        threshold = learnt_threshold(labelled, own.threshold)
        if threshold is None:
            return recipe
        learnt = {"threshold": threshold, "labels": len(labelled)}
        return replace(recipe, parameters={**recipe.parameters, **learnt})
    if isinstance(own, OwnFunction):
        file = "function", RecipeFile(path=own.path, hash=own.source)
    else:
        place = Path(name.removeprefix(PREFIX)).expanduser().absolute()
        file = "weights", RecipeFile(path=str(place), hash=own.weights)
    return replace(recipe, files={**recipe.files, file[0]: file[1]})


def _as_values(asking: Asking) -> dict[str, Any]:
    """Returns how a model is asked as plain values, with the bounds of a budget in its place."""
    values = {}
    for entry in fields(asking):
        values[entry.name] = getattr(asking, entry.name)
    budget = values.pop("budget")
    if budget is not None:
        values |= {"max_calls": budget.max_calls, "max_cost": budget.max_cost}
    if asking.prices is not None:
        values["prices"] = str(asking.prices.absolute())
    return values


def client_of(recipe: Recipe, budget: Any = None) -> ChatClient:
    """Returns a client of the model that a recipe names; it opens no connection yet.

    Args:
        budget: shared with others; that of the recipe's bounds where None.

    Raises:
        InputError: a key is missing here, or the weights have another content.
    """
    prices = recipe.asking.get("prices")
    try:
        asking = Asking(**{**recipe.asking, "prices": prices and Path(prices), "budget": budget})
    except TypeError as error:
        raise InputError(f"The recipe of the judge {recipe.name}: {error}.") from error
    spec = asking.spec(_name_here(recipe, "llamacpp"))
    if spec.file is not None and spec.weights != recipe.file("weights").hash:
        raise recipe.other_content("weights")
    return asking.client(spec)


def open_judge(
    recipe: Recipe,
    openers: Openers,
    *,
    option: str = "--judge",
    client: ChatClient | None = None,
    budget: Any = None,
) -> NamedJudge:
    """Returns how the judge of a recipe is opened, in the process that wrote it and in any other.

    Args:
        openers: of the protocol that the recipe names.
        option: for messages: by which the judge was named.
        client: of the model, where its owner opens and closes it; else the judge has its own.
        budget: of its own client, where it is shared with others.

    Raises:
        InputError: the protocol has no such judge, or it would be another one than the recipe's.
    """
    recipe.check()
    if recipe.by == "model" and client is None and openers.model:
        opened = _with_own_client(openers.model, client_of(recipe, budget))
    else:
        opened = _opened(recipe, openers, option, client)
    recipe.check_identity(opened.identity)
    return opened


def _opened(recipe: Recipe, openers: Openers, option: str, client: ChatClient | None) -> NamedJudge:
    """Returns how a judge is opened, by what sort it is of."""
    match recipe.by:
        case "rules" if openers.rules:
            return ready(openers.rules())
        case "model" if openers.model and client:
            return openers.model(client)
        case "function" | "weights" if openers.own:
            return openers.own(_own_judge(recipe, option))
        case "foreign" if openers.foreign:
            return ready(openers.foreign(recipe.name[len(FOREIGN) :].strip(), recipe.material))
        case "marks" if openers.marks:
            path = Path(recipe.file("marks").path)
            return ready(openers.marks(path, recipe.parameter("annotator")))
    raise InputError(f"{option} {recipe.name}: is no judge of {recipe.judges}.")


def _with_own_client(open_by: Callable[[ChatClient], NamedJudge], client: ChatClient) -> NamedJudge:
    """Returns a model as a judge that opens and closes its client itself."""
    model = open_by(client)

    @asynccontextmanager
    async def opened(ledger: Ledger, writer: LedgerWriter) -> AsyncIterator[UnitJudge]:
        async with client, model(ledger, writer) as judge:
            yield judge

    return NamedJudge(identity=model.identity, opening=opened)


def _own_judge(recipe: Recipe, option: str) -> OwnJudge:
    """Returns the function or the weights that a recipe names, as they are here.

    Raises:
        InputError: they cannot be loaded here, or have another content.
    """
    if names_local(recipe.name):
        local = read_local(option, recipe.name)
        if "threshold" not in recipe.parameters:
            return local
        threshold, labels = recipe.parameter("threshold"), recipe.parameter("labels")
        return replace(local, threshold=threshold, labels=labels)
    if recipe.by == "weights":
        folder = read_nli_folder(option, _name_here(recipe, "nli"))
        if folder.weights != recipe.file("weights").hash:
            raise recipe.other_content("weights")
        return folder
    file = recipe.file("function")
    _find_module(recipe.name, Path(file.path))
    hint = f"Have this process find {file.path}, as by PYTHONPATH"
    function = load_function(option, recipe.name, hint)
    if function.source != file.hash:
        raise recipe.other_content("function", function.path)
    return function


def _name_here(recipe: Recipe, prefix: str) -> str:
    """Returns the name by which a judge is opened: of weights that are not where the name says the
    whole path."""
    weights = recipe.path("weights")
    if weights is None or Path(recipe.name.partition(":")[2]).expanduser().exists():
        return recipe.name
    return f"{prefix}:{weights}"


def _find_module(name: str, path: Path) -> None:
    """Has modules found where the recipe was written, if that place is there: a worker may begin in
    another folder."""
    *packages, _ = name.partition(":")[0].split(".")
    if len(path.parents) > len(packages):
        root = path.parents[len(packages)]
    else:
        root = path.parent
    if path.is_file() and str(root) not in sys.path:
        sys.path.append(str(root))
