"""How often the rule judges agree with hand labels: the bundled graph, and the separate set.

    python benchmarks/rule_judges.py [--show support|validity]

Prints agreement, Cohen's kappa and the confusion table of each judge on each set. With --show it
lists the disagreements on the bundled graph; those of the separate set stay unseen, so that nobody
tunes on them.
"""

from __future__ import annotations

import argparse
import csv
from collections import Counter
from pathlib import Path

from factmark.graphs.claims import Triple
from factmark.graphs.evidence import judge_support
from factmark.graphs.validity import judge_types
from factmark.io.ontology_data import bundled_ontology, example_graph
from factmark.io.passages import read_passages
from factmark.io.problems import Problems

SEPARATE = Path(__file__).parent.parent / "tests" / "data" / "graph"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--show", choices=["support", "validity"])
    show = parser.parse_args().show
    for name, folder in (("bundled graph", example_graph()), ("separate set", SEPARATE)):
        for judge in ("support", "validity"):
            pairs = judged(folder, judge, show=show == judge and name == "bundled graph")
            report(f"{judge}, {name}", pairs)


def judged(folder: Path, judge: str, *, show: bool) -> list[tuple[str, str]]:
    ontology = bundled_ontology()
    passages = read_passages(folder / "passages.jsonl", Problems())
    out = []
    with (folder / "triples.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            triple = Triple(head=row["head"], relation=row["relation"], tail=row["tail"])
            if judge == "support":
                text = passages.get(row["passage_id"]) or ""
                evidence = judge_support(triple, text, ontology)
                label, reason = evidence.label, evidence.reason
            else:
                verdict = judge_types(triple, ontology)
                label, reason = verdict.label, verdict.reason
            out.append((row[judge], label))
            if show and label != row[judge]:
                print(f"{row['id']} {row[judge]} -> {label}: {triple.head} | {triple.relation} | "
                      f"{triple.tail} ({row['error']}) {reason}")  # fmt: skip
    return out


def report(title: str, pairs: list[tuple[str, str]]) -> None:
    n = len(pairs)
    agreed = sum(truth == label for truth, label in pairs) / n
    truths, labels = Counter(t for t, _ in pairs), Counter(x for _, x in pairs)
    chance = sum(truths[x] * labels[x] for x in truths) / n**2
    kappa = (agreed - chance) / (1 - chance)
    print(f"{title}: n {n}, agreement {agreed:.1%}, kappa {kappa:.2f}")
    for (truth, label), count in sorted(Counter(pairs).items()):
        print(f"    {truth:>13} -> {label:<13} {count}")


if __name__ == "__main__":
    main()
