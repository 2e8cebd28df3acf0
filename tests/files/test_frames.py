"""Frames as rows of a file."""

from __future__ import annotations

import json

from factmark.files.frames import as_file
from later import later

pandas = later("pandas")


def test_ids_with_a_gap_stay_whole_numbers() -> None:
    """Pandas has floats where one of them is missing, and their ids ended in `.0`."""
    frame = pandas.DataFrame({"id": [1000, None, 3], 7: [0.5, None, 2], "y": [1.0, 2.0, 3.0]})
    with as_file(frame) as path:
        lines = path.read_text(encoding="utf-8").splitlines()
    assert [str(json.loads(line)["id"]) for line in lines] == ["1000", "None", "3"]
    assert json.loads(lines[0]) == {"id": 1000, "7": 0.5, "y": 1.0}
    assert json.loads(lines[1]) == {"id": None, "7": None, "y": 2.0}
