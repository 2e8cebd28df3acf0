"""Property tests draw the same examples in every run; `make fuzz` draws new ones.

A fixture imports what it needs: who runs one file waits for nothing else.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

if TYPE_CHECKING:
    from servers.label_studio import RealServer
    from servers.model_server import Running

# No deadline: that a machine is busy is no failure.
settings.register_profile("same", derandomize=True, deadline=None)
settings.register_profile("fuzz", derandomize=False, print_blob=True, deadline=None)
settings.register_profile("quick", settings.get_profile("same"), max_examples=10)
settings.load_profile("same")
# Where tests run in the background of a script, programs that they start would not hear Ctrl-C.
signal.signal(signal.SIGINT, signal.default_int_handler)

SLOW = re.compile(
    r"^\s*(?:from|import) (?:servers|served_page|browsing|accounts|shell|forked_command|simulations"
    r"|subprocess|multiprocessing|asyncio|tiny_\w+)\b",
    re.MULTILINE,
)
"""What a test file imports that starts a server, a browser, a process, a model or a simulation."""
SLOW_FILES = (  # and those that take seconds by themselves
    *("fuzz", "golden", "test_canary", "test_metamorphic", "test_foreign_logs", "test_native"),
    *("test_intraclass", "test_ground_truth", "test_class_expressions", "test_marked"),
    *("test_replies", "test_benchmarks"),
)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--quick", action="store_true", help="only what runs in this process, with few examples"
    )


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("quick"):
        settings.load_profile("quick")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leaves out what `--quick` has no time for, before it is imported."""
    if not config.getoption("quick") or collection_path.suffix != ".py":
        return None
    if any(name in str(collection_path) for name in SLOW_FILES):
        return True
    if SLOW.search(collection_path.read_text("utf-8")):
        return True
    return None


@pytest.fixture(scope="session")
def replica(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The smallest data space on disk, built once in a process for all tests that only read it."""
    from factmark.ehds.write import build_store

    path = tmp_path_factory.mktemp("replica") / "ehds"
    build_store(path, scale=0.0002)
    return path


@pytest.fixture
def no_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    """A server that cannot be reached is tried again at once."""
    from factmark.http.retries import RetryPolicy

    monkeypatch.setattr(
        RetryPolicy,
        "wait",
        lambda policy, attempt, _=None: 0.0 if attempt < policy.attempts else None,
    )


@pytest.fixture(scope="module")
def running() -> Iterator[Running]:
    from servers.model_server import model_server

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


@pytest.fixture(scope="session")
def label_studio_command() -> str:
    """The `label-studio` command."""
    from servers.label_studio import installed

    program = installed()
    if program is None:
        message = "no label-studio command found; `make labelstudio` installs it"
        if os.environ.get("FACTMARK_REQUIRE_LABEL_STUDIO") == "1":
            pytest.fail(message)
        pytest.skip(message)
    return program


@pytest.fixture(scope="session")
def label_studio_folder(
    label_studio_command: str, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """The data of a server that nobody has used. Copy it."""
    from servers.label_studio import room_of_run, set_up

    return set_up(room_of_run(tmp_path_factory), label_studio_command)


@pytest.fixture(scope="session")
def label_studio(
    label_studio_command: str, label_studio_folder: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[RealServer]:
    """A server for the whole session. Make projects and people of your own; kill none."""
    from servers.label_studio import RealServer

    folder = tmp_path_factory.mktemp("label-studio-shared") / "data"
    shutil.copytree(label_studio_folder, folder)
    server = RealServer(program=label_studio_command, folder=folder)
    server.start()
    yield server
    server.stop()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The longest file first: at the end one process would run it while the others are idle."""
    items.sort(key=lambda item: item.get_closest_marker("real_model") is None)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """What was skipped, in one line for each thing that is missing."""
    reports = terminalreporter.stats.get("skipped", [])
    reasons = Counter(str(report.longrepr[-1]).removeprefix("Skipped: ") for report in reports)
    for reason, count in reasons.most_common():
        terminalreporter.write_line(f"skipped {count}: {reason}")
