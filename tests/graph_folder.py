"""A small graph whose right answers are plain, and its index."""

from __future__ import annotations

import asyncio
from pathlib import Path

from factmark.graph_answers.core.records import GraphContext
from factmark.graph_answers.index.building import GraphSource, open_graph_index
from factmark.graph_answers.index.lookup import TripleIndex

ROWS = """head,relation,tail,id
Rhine,flows_through,Basel,t1
Rhine,flowsThrough,Cologne,t2
Basel,located_in,Switzerland,t3
Cologne,located_in,Germany,t4
Switzerland,official_language,Romansh,t5
Switzerland,hasCapital,Bern,t6
Germany,hasCapital,Berlin,t7
Berlin,located_in,Germany,t8
European Central Bank (ECB),located_in,Frankfurt,t9
Frankfurt,located_in,Germany,t10
United Nations Educational Organisation,located_in,Paris,t11
Sjögren Street,located_in,Bern,t12
"""


def source(folder: Path, rows: str = ROWS) -> GraphSource:
    path = folder / "graph.csv"
    path.write_text(rows, encoding="utf-8")
    return GraphSource(path=path)


def opened(given: GraphSource, folder: Path, **more: object) -> TripleIndex:
    return asyncio.run(open_graph_index(given, folder, **more))  # type: ignore[arg-type]


def ids(context: GraphContext) -> list[str]:
    return [fact.triple.id for fact in context.facts]
