"""The model that these tests ask."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from servers.graph_agent import graph_agent
from servers.model_server import Running


@pytest.fixture(scope="module")
def running() -> Iterator[Running]:
    with graph_agent() as server:
        yield server
