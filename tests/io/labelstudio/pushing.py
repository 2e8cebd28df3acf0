"""A process that pushes or pulls, and can be killed: python pushing.py push|pull LEDGER URL."""

from __future__ import annotations

import asyncio
import os
import sys

from factmark.io.campaigns import campaign_named
from factmark.io.labelstudio import LabelStudio
from factmark.io.labelstudio.pull import pull
from factmark.io.labelstudio.push import push
from factmark.io.ledger import Ledger


async def main(what: str, path: str, url: str) -> None:
    with Ledger(path) as ledger:
        async with LabelStudio(url, os.environ["LABEL_STUDIO_API_KEY"]) as client:
            campaign = campaign_named(ledger)
            await (push if what == "push" else pull)(ledger, campaign, client)


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
