"""How good and how fast a judge of one's own weights is, on triples that people labelled.

    python benchmarks/own_weights.py nli:FOLDER [SET.csv ...] [--limit N]

The judge is anything that `--judge` takes. A set is a file of triples with `passage_id` and `label`
(1 where the passage supports the triple, 0 where not) beside `SET.passages.jsonl`; without any, the
set of tests/data/graph is judged. Of each set it prints the balanced accuracy with its interval,
how often SUPPORTED is said and right, and claims a second (with the time to load a GGUF file,
without that to load an entailment model).
"""

from __future__ import annotations

import argparse
import csv
import sys
import tempfile
from pathlib import Path

import factmark as fm
from factmark.claim_support.core.beside_people import balanced_accuracy, over_two_sides
from factmark.errors import FactmarkError
from factmark.label_values import NOT_SUPPORTED, SUPPORTED

BUNDLED = Path(__file__).parent.parent / "tests" / "data" / "graph" / "triples.csv"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("judge")
    parser.add_argument("sets", type=Path, nargs="*", default=[BUNDLED])
    parser.add_argument("--limit", type=int, help="a random sample of so many of each set")
    options = parser.parse_args()
    print("set, judged of all, balanced accuracy (95 %), SUPPORTED right of said, claims a second")
    for path in options.sets:
        try:
            print(measure(options.judge, path, options.limit), flush=True)
        except FactmarkError as error:
            sys.exit(f"{path}: {error}")


def measure(judge: str, path: Path, limit: int | None) -> str:
    """A line with what the judge came to on a set."""
    passages = path.with_name(f"{path.stem}.passages.jsonl")
    if not passages.is_file():
        passages = path.with_name("passages.jsonl")
    with tempfile.TemporaryDirectory() as folder:
        ledger = Path(folder) / "ledger.db"
        results = fm.factscore(path, passages, judge=judge, limit=limit, ledger=ledger)
    labels = people_labels(path)
    labelled = [
        (row["head"], labels[row["id"]], row["label"])
        for row in results.rows
        if row["id"] in labels
    ]
    accuracy = balanced_accuracy(over_two_sides(labelled), level=0.95)
    value = (
        accuracy.method
        if accuracy.value is None
        else f"{accuracy.value:.3f} [{accuracy.low:.3f}, {accuracy.high:.3f}]"
    )
    said = [people for _, people, label in labelled if label == SUPPORTED]
    rate = len(results.rows) / max(0.001, results.details.spent.seconds)
    return (
        f"{path.stem}, {accuracy.n_units} of {len(labelled)}, {value}, "
        f"{said.count(SUPPORTED)} of {len(said)}, {rate:.1f}"
    )


def people_labels(path: Path) -> dict[str, str]:
    """Id -> what people said, of those that they labelled."""
    known = {"1": SUPPORTED, "0": NOT_SUPPORTED}
    with path.open(encoding="utf-8", newline="") as file:
        given = {
            row["id"]: row.get("label") or row.get("support", "") for row in csv.DictReader(file)
        }
    return {name: known.get(label, label) for name, label in given.items() if label}


if __name__ == "__main__":
    main()
