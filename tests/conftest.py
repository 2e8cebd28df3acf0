"""Property tests draw the same examples in every run; `make fuzz` draws new ones."""

import signal
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from factmark.ehds.write import build_store
from factmark.http.retries import RetryPolicy
from servers.label_studio import (  # noqa: F401  # fixtures that several folders use
    label_studio,
    label_studio_command,
    label_studio_folder,
)
from servers.model_server import Running, model_server

# No deadline: that a machine is busy is no failure.
settings.register_profile("same", derandomize=True, deadline=None)
settings.register_profile("fuzz", derandomize=False, print_blob=True, deadline=None)
settings.load_profile("same")
# Where tests run in the background of a script, programs that they start would not hear Ctrl-C.
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def replica(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The smallest data space on disk, built once in a process for all tests that only read it."""
    path = tmp_path_factory.mktemp("replica") / "ehds"
    build_store(path, scale=0.0002)
    return path


@pytest.fixture
def no_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    """A server that cannot be reached is tried again at once."""
    monkeypatch.setattr(
        RetryPolicy,
        "wait",
        lambda policy, attempt, _=None: 0.0 if attempt < policy.attempts else None,
    )


@pytest.fixture(scope="module")
def running() -> Iterator[Running]:
    with model_server() as server:
        yield server


@pytest.fixture
def server(running: Running) -> Running:
    """The module's server of a model (`running` names another one), well-behaved."""
    running.reset()
    return running


@pytest.fixture
def ledger(tmp_path: Path) -> Path:
    return tmp_path / "ledger.sqlite"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The longest file first: at the end one process would run it while the others are idle."""
    items.sort(key=lambda item: item.get_closest_marker("real_model") is None)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """What was skipped, in one line for each thing that is missing."""
    reports = terminalreporter.stats.get("skipped", [])
    reasons = Counter(str(report.longrepr[-1]).removeprefix("Skipped: ") for report in reports)
    for reason, count in reasons.most_common():
        terminalreporter.write_line(f"skipped {count}: {reason}")
