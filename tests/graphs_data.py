"""The two hand-labelled sets."""

from __future__ import annotations

import csv
import json
from pathlib import Path

from factmark.graphs.core.claims import WORDINGS, Triple
from factmark.graphs.ontologies.bundled import example_graph

THE_31 = set(WORDINGS)


def labelled_rows(which: str) -> list[tuple[Triple, str, dict[str, str]]]:
    """Triple, passage and the row with its labels; `which` is `bundled` or `separate`."""
    separate = Path(__file__).parent / "data" / "graph"
    folder = example_graph() if which == "bundled" else separate
    lines = (folder / "passages.jsonl").read_text(encoding="utf-8").splitlines()
    passages = {row["id"]: row["text"] for row in map(json.loads, lines)}
    with (folder / "triples.csv").open(encoding="utf-8", newline="") as file:
        return [
            (
                Triple(head=row["head"], relation=row["relation"], tail=row["tail"]),
                passages[row["passage_id"]],
                row,
            )
            for row in csv.DictReader(file)
        ]
