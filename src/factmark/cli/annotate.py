"""`factmark annotate`: people's work on the units of each protocol, put together."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

from factmark.people.commands import annotate_app

_PROTOCOLS = {
    "answer": "factmark.cli.score",
    "graphrag": "factmark.graph_answers.campaign",
    "pair": "factmark.graphs.campaign",
    "triple": "factmark.graphs.campaign",
}


def protocol_of(kind: str) -> ModuleType:
    """The module by which campaigns know the protocol with units of that kind; see `ProtocolOf`."""
    return import_module(_PROTOCOLS[kind])


app = annotate_app(protocol_of)
