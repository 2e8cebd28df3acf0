"""The weights that the package brings; `benchmarks/tagger.py` learns them."""

from __future__ import annotations

import gzip
import json
from functools import lru_cache
from importlib.resources import files
from typing import Any

SCALE = 1_000  # a weight of 1.0 as a whole number


@lru_cache
def learnt(name: str) -> Any:
    """What the file `NAME.json.gz` beside this one holds."""
    packed = files("factmark.answers.core.extraction").joinpath(f"{name}.json.gz").read_bytes()
    return json.loads(gzip.decompress(packed))
