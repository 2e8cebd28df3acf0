"""The model that these tests ask."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from servers.agent import agent
from servers.model_server import Running


@pytest.fixture(scope="module")
def running() -> Iterator[Running]:
    with agent() as server:
        yield server
