"""Stand-in until the writer of results is merged."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from factmark.graphs.graphrag_results import GraphRagResults
from factmark.io.plain import plain
from factmark.io.text import write_text


def graphrag_json(results: GraphRagResults) -> dict[str, Any]:
    """Results as JSON values."""
    return {
        "model": results.model,
        "judge": results.judge,
        "scores": {name: plain(scores) for name, scores in results.scores.items()},
        "answering": plain(results.answering),
        "judging": plain(results.judging),
        "problems": list(results.problems),
        "signature": dict(results.signature),
    }


def write_graphrag_results(results: GraphRagResults, folder: Path) -> list[Path]:
    """Writes graphrag.json."""
    path = folder / "graphrag.json"
    write_text(path, json.dumps(graphrag_json(results), ensure_ascii=False, indent=1) + "\n")
    return [path]
