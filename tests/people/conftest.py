"""A ledger, and two people with accounts on the Label Studio server."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from factmark.ledger.ledger import Ledger
from servers.label_studio import Person, RealServer, sign_up


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    with Ledger(tmp_path / "study.db") as opened:
        yield opened


@pytest.fixture(scope="session")
def ada(label_studio: RealServer) -> Person:
    return sign_up(label_studio, "ada@example.org", "a-long-password-1", "Ada King Lovelace")


@pytest.fixture(scope="session")
def ben(label_studio: RealServer) -> Person:
    return sign_up(label_studio, "ben@example.org", "a-long-password-2", "Ben")
