"""How often the triples that answer a question are among the ten best. Offline, no model.

    python benchmarks/graph_retrieval.py

On the bundled questions and on two sets that retrieval was not written by: other questions on the
same graph, and a graph of another field. Read their totals, not their questions: what is changed
after looking at one is measured on none. Intervals are Wilson's.
"""

from __future__ import annotations

import asyncio
import tempfile
from collections import defaultdict
from contextlib import ExitStack
from pathlib import Path

from factmark.files.problems import Problems
from factmark.graph_answers.index.building import GraphSource, open_graph_index
from factmark.graph_answers.index.lookup import TripleIndex
from factmark.graph_answers.questions.question_file import read_graph_questions
from factmark.graphs.core.claims import Triple
from factmark.graphs.core.ontology import Ontology
from factmark.graphs.ontologies.bundled import example_graph, example_questions
from factmark.graphs.ontologies.opening import open_ontology
from factmark.stats import wilson

HELD_OUT = Path(__file__).parent / "heldout_questions"
SETS = (
    ("bundled", example_graph() / "triples.csv", example_questions()),
    ("held out, same graph", example_graph() / "triples.csv", HELD_OUT / "diabetes.jsonl"),
    ("held out, geography", HELD_OUT / "geography_triples.csv", HELD_OUT / "geography.jsonl"),
)


def shares(index: TripleIndex, questions: Path) -> dict[str, list[bool]]:
    """Hops -> whether the context holds all answering triples, for each question."""
    out: defaultdict[str, list[bool]] = defaultdict(list)
    for question in read_graph_questions(questions, Problems()):
        if question.triples:
            wanted = {Triple(head=h, relation=r, tail=t).key for h, r, t in question.triples}
            facts = index.look_up(question.text, question.options).facts
            held = wanted <= {fact.triple.key for fact in facts}
            out[question.strata.get("hops", "?")].append(held)
    return dict(sorted(out.items()))


def measured(name: str, source: GraphSource, questions: Path) -> None:
    with tempfile.TemporaryDirectory() as folder:
        index = asyncio.run(open_graph_index(source, Path(folder) / "index"))
        for hops, held in shares(index, questions).items():
            share = sum(held) / len(held)
            low, high = wilson(share, len(held))
            told = f"{sum(held):3} of {len(held):3}  {share:.3f} [{low:.2f}-{high:.2f}]"
            print(f"{name:24} hops: {hops}  {told}")


def main() -> None:
    with ExitStack() as stack:
        ontology: Ontology
        ontology, identity = stack.enter_context(open_ontology(None, Problems()))
        for name, triples, questions in SETS:
            given = GraphSource(path=triples, ontology=ontology, ontology_identity=identity)
            measured(name, given, questions)


if __name__ == "__main__":
    main()
