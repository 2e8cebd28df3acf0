"""How often the sentence that a clause rests on is among the three that FINE marks.

    python benchmarks/linking.py data.json [LINKER]

data.json is LongEval's alignment of SQuALITY summaries (Krishna et al. 2023): four
stories, 125 spans of summaries, for each the sentences that people found for it. As there, a span
is found where one of these is among the first three; a sentence of theirs is the story's with the
highest F1 of words. Two stories were looked at when the linker was made, two were not.
"""

from __future__ import annotations

import json
import re
import string
import sys
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

from factmark.people.core.linking import index_source
from factmark.people.linkers import open_linker
from factmark.text.sentences import sentences

LOOKED_AT = {63150, 51150}
SPAN = re.compile(r"Span =\s?(.*?)Support\s?=\s?(.*)")


def bag(text: str) -> Counter[str]:
    """The words of a text as SQuAD counts them."""
    plain = "".join(sign for sign in text.lower() if sign not in string.punctuation)
    return Counter(word for word in plain.split() if word not in ("a", "an", "the"))


def f1(one: Counter[str], other: Counter[str]) -> float:
    """How alike two bags of words are."""
    return 2 * (one & other).total() / max(1, one.total() + other.total())


def spans(task: dict[str, Any]) -> list[tuple[str, str]]:
    """The spans of a part of a summary, each with what people found for it."""
    text = " ".join(task["annotations"][0]["result"][0]["value"]["text"][0].split())
    found = [SPAN.search(unit) for unit in text.split("Info Unit")]
    pairs = [(match[1].strip(), match[2].strip()) for match in found if match]
    return [(span, support) for span, support in pairs if len(support) > 1]


def main() -> None:
    """Prints the share of spans that are found."""
    linker = open_linker(sys.argv[2] if len(sys.argv) > 2 else "words")
    stories: defaultdict[int, list[dict[str, Any]]] = defaultdict(list)
    for task in json.loads(Path(sys.argv[1]).read_text("utf-8")):
        if task["data"]["dataset"] == "squality":
            stories[task["data"]["review_id"]].append(task)
    found: defaultdict[str, list[bool]] = defaultdict(list)
    for story, tasks in stories.items():
        text = " ".join(tasks[0]["data"]["document"].replace("<br />", " ").split())
        source = index_source(text)
        bags = [bag(sentence.of(text)) for sentence in source.sentences]
        tasks.sort(key=lambda task: len(task["data"]["background"]))  # what came before it
        pairs = [pair for task in tasks for pair in spans(task)]
        for (_, support), links in zip(
            pairs, linker([span for span, _ in pairs], source), strict=True
        ):
            likes = (
                [f1(bag(sentence.of(support)), other) for other in bags]
                for sentence in sentences(support)
            )
            right = {source.sentences[like.index(max(like))] for like in likes if max(like) > 0}
            found["looked at" if story in LOOKED_AT else "not looked at"].append(
                bool(right & set(links))
            )
    for half, hits in sorted(found.items()):
        print(f"{half:14} {sum(hits):3} of {len(hits):3}  {sum(hits) / len(hits):.3f}")
    every = [hit for hits in found.values() for hit in hits]
    print(f"{'all':14} {sum(every):3} of {len(every):3}  {sum(every) / len(every):.3f}")


if __name__ == "__main__":
    main()
