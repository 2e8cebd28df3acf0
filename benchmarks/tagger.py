"""Trains the tagger of facts on marked answers, and says how good the extractor is on unseen ones.

    python benchmarks/tagger.py train                 # writes the package's weights
    python benchmarks/tagger.py unseen [--by domain]  # each domain (or style) by a tagger without it

Needs python-crfsuite, which the development packages bring.
"""

from __future__ import annotations

import argparse
import gzip
import json
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pycrfsuite

from factmark.answers.core.extraction.absence import LABELS, features
from factmark.answers.core.extraction.facts import tagged
from factmark.answers.core.extraction.question_words import what_is_asked
from factmark.answers.core.extraction.sentences import Sentence, read
from factmark.answers.core.extraction.tagger import SCALE, Tagger, names_of
from factmark.answers.core.scores import is_boolean

ROOT = Path(__file__).resolve().parent.parent
MODEL = ROOT / "src/factmark/answers/core/extraction/tagger.json.gz"
SETTINGS = {"c1": 0.05, "c2": 2.0, "max_iterations": 150, "feature.minfreq": 2}
_NEVER = -10_000_000  # the step from O to I


def marked_places(row: dict[str, Any]) -> list[tuple[int, int]]:
    """Where the marked facts stand in the answer, and where the same words stand again."""
    answer = row["answer"]
    places: list[tuple[int, int]] = []
    hits = [_places(answer, fact.get("quote") or fact["text"]) for fact in row["annotator_1"]["facts"]]
    for once in (True, False):
        for found in hits:
            free = [span for span in found if not _overlaps(span, places)]
            places += free[:1] if once else free
    return sorted(places)


def _places(answer: str, quote: str) -> list[tuple[int, int]]:
    out, at = [], answer.find(quote)
    while quote and at >= 0:
        end = at + len(quote)
        left = at and answer[at - 1].isalnum() and quote[0].isalnum()
        right = end < len(answer) and answer[end].isalnum() and quote[-1].isalnum()
        if not left and not right:
            out.append((at, end))
        at = answer.find(quote, at + 1)
    return out


def _overlaps(span: tuple[int, int], places: Iterable[tuple[int, int]]) -> bool:
    return any(span[0] < end and start < span[1] for start, end in places)


def labels(sentence: Sentence, places: Sequence[tuple[int, int]]) -> list[str]:
    """O, B or I for each token of a sentence."""
    out: list[str] = []
    last = None
    for token in sentence.tokens:
        middle = (token.start + token.end) / 2
        place = next((span for span in places if span[0] <= middle < span[1]), None)
        out.append("O" if place is None else "I" if place == last else "B")
        last = place
    return out


def train(rows: Iterable[dict[str, Any]]) -> dict[str, dict[str, list[int]]]:
    """The weights learnt from marked answers, as `Tagger` takes them."""
    trainer = pycrfsuite.Trainer(verbose=False)
    trainer.set_params(SETTINGS)
    for row in rows:
        if is_boolean(row["ground_truth"]):
            continue  # scored by its verdict; what explains it is not marked
        asked, places = what_is_asked(row["question"]), marked_places(row)
        sentences = read(row["answer"])
        for sentence, names in zip(sentences, names_of(sentences, asked), strict=True):
            trainer.append(names, labels(sentence, places))
    info = _learnt(trainer)
    model: dict[str, dict[str, list[int]]] = {"transitions": {}}
    for (left, right), weight in info.transitions.items():
        model["transitions"][left + right] = [round(SCALE * weight)]
    for step in ("OO", "OB", "BO", "BB", "BI", "IO", "IB", "II"):
        model["transitions"].setdefault(step, [0])
    weights: dict[tuple[str, str], dict[str, float]] = {}
    for (name, label), weight in info.state_features.items():
        template, _, value = name.partition("=")
        weights.setdefault((template, value), {})[label] = weight
    for (template, value), by_label in sorted(weights.items()):
        base = by_label.get("O", 0.0)
        pair = [round(SCALE * (by_label.get(label, 0.0) - base)) for label in "BI"]
        if any(pair):
            model.setdefault(template, {})[value] = pair
    return model


def train_absence(
    sentences: Iterable[dict[str, Any]], answers: Iterable[dict[str, Any]]
) -> dict[str, list[int]]:
    """The weights of the decision on absence, learnt from labelled sentences.

    Args:
        answers: marked answers; their sentences that state a fact are answers too.
    """
    trainer = pycrfsuite.Trainer(verbose=False)
    trainer.set_params({"c1": 0.3, "c2": 0.3, "max_iterations": 200})
    for row in sentences:
        asked = what_is_asked(row["question"])
        for one in tagged(row["text"], asked)[:1]:
            count = one.stated(row["text"], asked)
            trainer.append([sorted(features(one.sentence, asked, count))], [row["label"]])
    for row in answers:
        if not row["ground_truth"] or is_boolean(row["ground_truth"]):
            continue
        asked, places = what_is_asked(row["question"]), marked_places(row)
        for one in tagged(row["answer"], asked):
            whole = one.sentence.tokens[0].start, one.sentence.tokens[-1].end
            if _overlaps(whole, places):
                count = one.stated(row["answer"], asked)
                trainer.append([sorted(features(one.sentence, asked, count))], ["answer"])
    state = _learnt(trainer).state_features
    weights: dict[str, list[int]] = {}
    for (name, label), weight in sorted(state.items()):
        weights.setdefault(name, [0] * len(LABELS))[LABELS.index(label)] = round(SCALE * weight)
    return weights


def _learnt(trainer: pycrfsuite.Trainer) -> Any:
    with tempfile.NamedTemporaryFile(suffix=".crf") as file:
        trainer.train(file.name)
        tagger = pycrfsuite.Tagger()
        tagger.open(file.name)
        return tagger.info()


def write(model: dict[str, dict[str, list[int]]]) -> None:
    """Writes the package's weights; the same weights give the same bytes."""
    text = json.dumps(model, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
    MODEL.write_bytes(gzip.compress(text.encode(), mtime=0))


if __name__ == "__main__":
    files = sorted((ROOT / "tests" / "data").glob("answers_*.jsonl"))
    rows = [json.loads(line) for file in files for line in file.read_text("utf-8").splitlines()]
    write(train(rows))
    print(MODEL.stat().st_size)
