"""Property tests draw the same examples in every run; `make fuzz` draws new ones."""

from collections import Counter

import pytest
from hypothesis import settings

from servers.label_studio import (  # noqa: F401  # fixtures that several folders use
    label_studio,
    label_studio_command,
    label_studio_folder,
    label_studio_in_time,
)

# No deadline: that a machine is busy is no failure.
settings.register_profile("same", derandomize=True, deadline=None)
settings.register_profile("fuzz", derandomize=False, print_blob=True, deadline=None)
settings.load_profile("same")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """What was skipped, in one line for each thing that is missing."""
    reports = terminalreporter.stats.get("skipped", [])
    reasons = Counter(str(report.longrepr[-1]).removeprefix("Skipped: ") for report in reports)
    for reason, count in reasons.most_common():
        terminalreporter.write_line(f"skipped {count}: {reason}")
