"""Property tests draw the same examples in every run; `make fuzz` draws new ones."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from servers.label_studio import (  # noqa: F401  # fixtures that several folders use
    label_studio,
    label_studio_command,
    label_studio_folder,
    label_studio_in_time,
)
from servers.model_server import Running, Settings, model_server

# No deadline: that a machine is busy is no failure.
settings.register_profile("same", derandomize=True, deadline=None)
settings.register_profile("fuzz", derandomize=False, print_blob=True, deadline=None)
settings.load_profile("same")


@pytest.fixture(scope="module")
def running() -> Iterator[Running]:
    with model_server() as server:
        yield server


@pytest.fixture
def server(running: Running) -> Running:
    """The module's server of a model, well-behaved."""
    running.set(**{name: getattr(Settings(), name) for name in Settings.__slots__})
    return running


@pytest.fixture
def ledger(tmp_path: Path) -> Path:
    return tmp_path / "ledger.sqlite"


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """What was skipped, in one line for each thing that is missing."""
    reports = terminalreporter.stats.get("skipped", [])
    reasons = Counter(str(report.longrepr[-1]).removeprefix("Skipped: ") for report in reports)
    for reason, count in reasons.most_common():
        terminalreporter.write_line(f"skipped {count}: {reason}")
