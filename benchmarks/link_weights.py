"""The weights of the linkers, and how often a linker finds a sentence that was marked.

    python benchmarks/link_weights.py train.jsonl dev.jsonl [model2vec:FOLDER]

train.jsonl and dev.jsonl are SQuALITY's (v1-3, txt). `links.json` beside this file has, for seven
summaries of the plot of four of its stories, the sentences that each clause rests on; a language
model marked them while it read the stories, before a linker saw them. Printed are the
weights learnt from all, those from each story's three others, and the share of clauses for which
one of the three sentences found is marked: by the weights that the package has, and by those
of the other stories. By the first, all but the steps from clause to clause was learnt from them.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from factmark.people.core import linking
from factmark.people.core.clauses import clauses
from factmark.people.core.linking import Floats, IndexedSource, Linker, index_source
from factmark.people.linkers import open_linker, word_vectors

RIDGE, STEPS, RATE = 0.02, 1500, 0.1
Marked = tuple[str, list[str], IndexedSource, list[set[int]]]
Features = Callable[[list[str], IndexedSource], Floats]


def marked_summaries(files: list[str]) -> Iterator[Marked]:
    """A story, a summary's clauses, the story's text with its index, and what is marked of each."""
    stories: dict[str, Any] = {}
    for file in files:
        for line in Path(file).read_text("utf-8").splitlines():
            story = json.loads(line)
            stories[story["metadata"]["passage_id"]] = story
    marks = json.loads(Path(__file__).with_name("links.json").read_text("utf-8"))
    for name, summaries in marks.items():
        source = index_source(" ".join(stories[name]["document"].split()))
        plot = next(q for q in stories[name]["questions"] if "plot" in q["question_text"].lower())
        for number, sets in summaries.items():
            text = " ".join(plot["responses"][int(number)]["response_text"].split())
            parts = [clause.of(text) for clause in clauses(text)]
            assert len(parts) == len(sets), "clauses or sentences are cut otherwise now"
            yield name, parts, source, [set(places) for places in sets]


def learnt(marked: list[Marked], features: Features) -> Floats:
    """The weights by which a softmax over a story's sentences gives most to those marked."""
    rows = [
        (table[:, row], sorted(places))
        for _, parts, source, sets in marked
        for table in [features(parts, source)]
        for row, places in enumerate(sets)
    ]
    weights = np.zeros(len(rows[0][0]))
    for _ in range(STEPS):
        slope = -RIDGE * weights
        for table, places in rows:
            shares = np.exp(weights @ table - (weights @ table).max())
            right = shares[places] / shares[places].sum()
            slope += (table[:, places] @ right - table @ (shares / shares.sum())) / len(rows)
        weights += RATE * slope
    return weights


def share_found(linker: Linker, marked: list[Marked]) -> str:
    """How many clauses have a marked sentence among those found."""
    found = [
        any(source.sentences[place] in links for place in places)
        for _, parts, source, sets in marked
        for links, places in zip(linker(parts, source), sets, strict=True)
    ]
    return f"{sum(found)} of {len(found)}"


def main() -> None:
    """Prints weights and shares."""
    name = sys.argv[3] if len(sys.argv) > 3 else "words"
    marked = list(marked_summaries(sys.argv[1:3]))
    weights = "_WORD_WEIGHTS" if name == "words" else "_VECTOR_WEIGHTS"

    def features(parts: list[str], source: IndexedSource) -> Floats:
        if name == "words":
            return linking.features_by_words(parts, source)[0]
        return linking.features_by_vectors(parts, source, vectors)

    vectors = word_vectors(name) if name != "words" else None
    linker = open_linker(name)
    print(f"all {learnt(marked, features).round(2)}, as it is {share_found(linker, marked)}")
    for story in dict.fromkeys(story for story, *_ in marked):
        setattr(linking, weights, learnt([row for row in marked if row[0] != story], features))
        own = [row for row in marked if row[0] == story]
        shown = getattr(linking, weights).round(2)
        print(f"without {story} {shown}, of it {share_found(linker, own)}")


if __name__ == "__main__":
    main()
