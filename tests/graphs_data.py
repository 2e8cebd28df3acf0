"""The two hand-labelled sets, and triples as files hold them."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

from factmark.files.problems import Problems
from factmark.graphs.core.claims import WORDINGS, Triple
from factmark.graphs.ontologies.bundled import example_graph
from factmark.graphs.triples.triples import read_triples

THE_7 = {  # of GraphMERT's 35, those that no labelled graph has
    "method_of",
    "is_modification_of",
    "has_pathological_process",
    "has_direct_procedure_site",
    "direct_procedure_site_of",
    "has_direct_substance",
    "has_entire_anatomy_structure",
}
THE_31 = set(WORDINGS) - THE_7


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


def read(path: Path, text: str | bytes = "", **options: Any) -> tuple[list[Triple], Problems]:
    """The triples of a file, which holds the text if there is any, and what was wrong with it."""
    if text:
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
    problems = Problems()
    return list(read_triples(path, problems, **options)), problems


def parts(triples: list[Triple]) -> list[tuple[str, str, str]]:
    """Head, relation and tail of each."""
    return [(triple.head, triple.relation, triple.tail) for triple in triples]
