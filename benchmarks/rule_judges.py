"""How much the rule judges decide, and how often that agrees with people's labels.

    python benchmarks/rule_judges.py [--show support|validity]
    python benchmarks/rule_judges.py --triples labelled.csv --passages passages.jsonl

On the bundled graph and the separate set it prints agreement and confusion table of each judge;
with --show the disagreements on the bundled graph. Those of the separate set stay unseen, so that
nobody tunes on them. A file of triples with a `label` (1 supported, 0 not) is judged for support.
"""

from __future__ import annotations

import argparse
import csv
from collections import Counter
from pathlib import Path

from factmark.files.problems import Problems
from factmark.graphs.core.claims import Triple
from factmark.graphs.core.evidence import judge_support
from factmark.graphs.core.semantic_types import judge_types
from factmark.graphs.ontologies.bundled import bundled_ontology, example_graph
from factmark.passages.passage_file import read_passages

SEPARATE = Path(__file__).parent.parent / "tests" / "data" / "graph"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--show", choices=["support", "validity"])
    parser.add_argument("--triples", type=Path)
    parser.add_argument("--passages", type=Path)
    options = parser.parse_args()
    if options.triples is not None:
        report("support", judged(options.triples, options.passages, "support", "label"))
        return
    for name, folder in (("bundled graph", example_graph()), ("separate set", SEPARATE)):
        for judge in ("support", "validity"):
            pairs = judged(
                folder / "triples.csv",
                folder / "passages.jsonl",
                judge,
                judge,
                show=options.show == judge and name == "bundled graph",
            )
            report(f"{judge}, {name}", pairs)


def judged(
    triples: Path, texts: Path, judge: str, column: str, *, show: bool = False
) -> list[tuple[str, str | None]]:
    """Pairs of people's label and the judge's, None where it decides nothing."""
    ontology = bundled_ontology()
    passages = read_passages(texts, Problems())
    out = []
    with triples.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            triple = Triple(head=row["head"], relation=row["relation"], tail=row["tail"])
            if judge == "support":
                text = passages.get(row["passage_id"]) or ""
                evidence = judge_support(triple, text, ontology)
                label, reason = evidence.label, evidence.reason
            else:
                verdict = judge_types(triple, ontology)
                label, reason = verdict.label, verdict.reason
            if column == "label" and label is not None:
                label = str(int(label == "SUPPORTED"))
            out.append((row[column], label))
            if show and label != row[column]:
                print(
                    f"{row['id']} {row[column]} -> {label}: {triple.head} | {triple.relation} | "
                    f"{triple.tail} ({row['error']}) {reason}"
                )
    return out


def report(title: str, pairs: list[tuple[str, str | None]]) -> None:
    decided = [(truth, label) for truth, label in pairs if label is not None]
    agreed = sum(truth == label for truth, label in decided)
    print(
        f"{title}: n {len(pairs)}, decided {len(decided)} ({len(decided) / len(pairs):.1%}), of "
        f"these agree {agreed} ({agreed / max(1, len(decided)):.1%})"
    )
    for (truth, label), count in sorted(Counter(pairs).items(), key=str):
        print(f"    {truth:>13} -> {label or 'undecided':<13} {count}")


if __name__ == "__main__":
    main()
