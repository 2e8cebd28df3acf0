"""A process that pushes or pulls, and can be killed: python pushing.py push|pull LEDGER URL."""

from __future__ import annotations

import asyncio
import os
import sys

from factmark.cli.annotate import protocol_of
from factmark.ledger.campaigns import campaign_named
from factmark.ledger.ledger import Ledger
from factmark.people.labelstudio.client import LabelStudio
from factmark.people.labelstudio.pull import pull
from factmark.people.labelstudio.push import push


async def main(what: str, path: str, url: str) -> None:
    with Ledger(path) as ledger:
        async with LabelStudio(url, os.environ["LABEL_STUDIO_API_KEY"]) as client:
            campaign = campaign_named(ledger)
            if what == "push":
                await push(ledger, campaign, client)
            else:
                await pull(ledger, campaign, client, protocol_of)


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
