"""A process that gets answers and can be killed: python tests/run_child.py BASE_URL LEDGER"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from factmark.runs.conditions import Baseline, Mcp, Rag
from shelf import Pages, Shelf, ran, subject, told


async def main(base_url: str, ledger: Path) -> None:
    """All conditions, two calls at a time."""
    conditions = [
        Baseline(system=told("baseline")),
        Rag(retriever=Pages(), system=told("rag"), k=2),
        Mcp(server=Shelf(), system=told("mcp")),
    ]
    await ran(subject(base_url, concurrency=2), conditions, ledger)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], Path(sys.argv[2])))
