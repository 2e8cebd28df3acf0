"""What the golden copies print has a column for each count, no code such as `372/0/84`."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

HERE = Path(__file__).parent
CODE = re.compile(r"(?<=[\s|*])\d+(?:/\d+)+(?=[\s|*])")


@pytest.mark.parametrize("path", sorted(HERE.glob("*.txt")), ids=lambda path: path.stem)
def test_no_cell_is_a_code(path: Path) -> None:
    assert CODE.findall(path.read_text(encoding="utf-8")) == []
