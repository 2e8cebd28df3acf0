"""A process that opens a judge from its recipe and judges units, as a shard elsewhere would.

python tests/recipe_worker.py LEDGER < JSON of [recipe as JSON or pickle in base64, rows]

A row is an item, its unit, and what names the calls that the unit shares.

It prints who judged and what, as JSON; of bad input the message, with the status 2.
"""

from __future__ import annotations

import asyncio
import base64
import json
import pickle
import sys
from collections.abc import Callable, Iterable
from dataclasses import asdict
from pathlib import Path

from factmark.ask.judges.recipe import Recipe, read_recipe
from factmark.ask.runner import run
from factmark.ask.tasks import Job
from factmark.errors import FactmarkError
from factmark.judges import open_recipe
from factmark.ledger.ledger import Ledger
from factmark.model import Item, Unit


def message(
    recipe: Recipe,
    jobs: Iterable[Job],
    *,
    pickled: bool = False,
    call_of: Callable[[Unit], str] = lambda unit: "",
) -> str:
    """What the process is given."""
    text = base64.b64encode(pickle.dumps(recipe)).decode() if pickled else recipe.as_json()
    return json.dumps([text, [[asdict(item), asdict(unit), call_of(unit)] for item, unit in jobs]])


def main(ledger: Path, given: str) -> None:
    text, rows = json.loads(given)
    recipe = read_recipe(text) if text[0] == "{" else pickle.loads(base64.b64decode(text))
    jobs = [(Item(**item), Unit(**unit)) for item, unit, _ in rows]
    calls = {unit["id"]: call for _, unit, call in rows}
    with open_recipe(recipe) as judge:
        done = asyncio.run(run(jobs, judge, ledger, group=lambda u: calls[u.id]))
    with Ledger(ledger, read_only=True) as opened:
        verdicts = opened.labels(done.judge.id, [unit.id for _, unit in jobs])
    print(json.dumps({"judge": done.judge.id, "verdicts": verdicts}))


if __name__ == "__main__":
    try:
        main(Path(sys.argv[1]), sys.stdin.read())
    except FactmarkError as error:
        sys.exit(f"{error}")
