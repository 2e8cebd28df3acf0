"""Trains the tagger of facts on marked answers, and says how good the extractor is on unseen ones.

    python benchmarks/tagger.py train        # writes the package's weights
    python benchmarks/tagger.py unseen       # each domain by weights learnt without it
    python benchmarks/tagger.py unseen --by style
    python benchmarks/tagger.py unseen --by writer   # all three write what reports say of the rules
    python benchmarks/tagger.py unseen --by absence
    python benchmarks/tagger.py halves      # scores of half the domains, for benchmarks/coverage

Needs python-crfsuite, which the development packages bring.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import re
import tempfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from statistics import linear_regression, mean
from typing import Any

import pycrfsuite

from factmark.answers.core.averages import METRICS
from factmark.answers.core.extraction import absence, facts, statements
from factmark.answers.core.extraction.absence import (
    ABSENT,
    LABELS,
    Report,
    denies,
    features,
    reports_of,
)
from factmark.answers.core.extraction.columns import ATTRIBUTES
from factmark.answers.core.extraction.commitment import (
    VERDICTS,
    evidence_of,
    evidence_of_verdict,
)
from factmark.answers.core.extraction.question_words import QuestionWords, what_is_asked
from factmark.answers.core.extraction.sentences import Sentence, read
from factmark.answers.core.extraction.tagger import REACH, SEPARATOR, Tagger, View, template_of
from factmark.answers.core.extraction.verdict import (
    asks_yes_or_no,
    places_after_steps,
    stated_verdict,
)
from factmark.answers.core.extraction.weights import SCALE
from factmark.answers.core.instrument import kind_of_truth
from factmark.answers.core.rows import RULES_VERSION
from factmark.answers.core.scores import is_boolean
from gold import Comparison, compare, summary

ROOT = Path(__file__).resolve().parent.parent
WEIGHTS = ROOT / "src/factmark/answers/core/extraction"
UNSEEN = ROOT / "src/factmark/answers/core/unseen.json"
HALVES = ROOT / "benchmarks" / "coverage" / "unseen_scores.csv"
ANSWERS = ROOT / "benchmarks" / "marked" / "answers.jsonl"
ABSENCE = ROOT / "benchmarks" / "marked" / "absence.jsonl"
EARLIER = 2 * sorted((ROOT / "tests" / "data").glob("answers_*.jsonl"))
"""Answers to the benchmark's own questions: they count twice, and no domain of them is left out."""
tagged = lru_cache(maxsize=None)(facts.tagged)  # each answer is looked at for several weights
SETTINGS = {"c1": 0.05, "c2": 2.0, "max_iterations": 150, "feature.minfreq": 2}


OF_TOKENS = [
    f"{name}@{place}" if place else name
    for place in range(-REACH, REACH + 1)
    for name in ATTRIBUTES
    if abs(place) < 2 or name == "class" or (abs(place) == 2 and name in ("word", "shape"))
]
"""Templates of one attribute of one token; the tagger adds their weights up per token once."""

OF_PLACES = """
class@-1 class class@1
class class@1
class@-1 class
class@1 class@2
class@-2 class@-1
shape@-1 shape
shape shape@1
shape@-1 shape shape@1
word word@1
word@-1 word
gap gap@1
class@-1 gap class
shape@-1 gap shape
gap emphasis
echo
echo class
echo shape
echo@-1 echo echo@1
policy
policy class
kind
kind class
kind shape
flags
flags class
clause
clause class
opening
first
emphasis class
emphasis@-1 emphasis emphasis@1
bracket class
quoted class
colon class
begin shape
begin class
length
under
under class
under shape
"""
"""Templates of more than one column, or of a column that depends on the place. What is learnt
brings its templates along: the package knows none of these lists."""


def names_of(sentences: Sequence[Sentence], asked: QuestionWords) -> list[list[list[str]]]:
    """The names of the features of each token of each sentence, as the training sees them."""
    if not sentences:
        return []
    view = View(sentences, asked)
    rows: list[list[str]] = [[] for _ in range(view.length)]
    for line in (*OF_TOKENS, *OF_PLACES.strip().splitlines()):
        for row, value in zip(rows, view.values(template_of(line)), strict=True):
            text = value if isinstance(value, str) else SEPARATOR.join(value)
            row.append(f"{line}={text}")
    return [rows[start:end] for start, end in view.places]


def marked_places(row: dict[str, Any]) -> list[tuple[int, int]]:
    """Where the marked facts stand in the answer, and where the same words stand again."""
    answer, facts = row["answer"], row["annotator_1"]["facts"]
    quotes = [fact.get("quote") or fact["text"] for fact in facts]
    places = [
        (fact["start"], fact["start"] + len(quote))
        for fact, quote in zip(facts, quotes, strict=True)
        if "start" in fact
    ]
    hits = [_places(answer, quote) for quote in quotes]
    for once in (True, False):
        for fact, found in zip(facts, hits, strict=True):
            if once and "start" in fact:
                continue
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


def train_statements(rows: Iterable[dict[str, Any]]) -> dict[str, int]:
    """The weights of which sentences are of the matter: those with a marked fact in them."""
    trainer = pycrfsuite.Trainer(verbose=False)
    trainer.set_params({**SETTINGS, "max_iterations": 200})
    for row in rows:
        if is_boolean(row["ground_truth"]):
            continue
        asked, places = what_is_asked(row["question"]), marked_places(row)
        sentences = read(row["answer"])
        rows_of_names = statements.features(sentences, asked, range(len(sentences)))
        for sentence, names in zip(sentences, rows_of_names, strict=True):
            if names:
                trainer.append([sorted(names)], [str(int(_overlaps(_whole(sentence), places)))])
    return _for_one(trainer)


def _whole(sentence: Sentence) -> tuple[int, int]:
    """The place of a sentence in its answer."""
    return sentence.tokens[0].start, sentence.tokens[-1].end


REPORTS = {"absent": "nothing", "undetermined": "undetermined", "refused": "refusal"}
"""What the one sentence says that makes an answer of that level."""
Labelled = tuple[list[str], str]  # a sentence's features, its label


def train_absence(
    sentences: Iterable[dict[str, Any]], answers: Sequence[dict[str, Any]]
) -> dict[str, list[int]]:
    """The weights of the decision on absence, learnt from labelled sentences and marked answers.

    Args:
        answers: their sentences that state a fact are answers too. One that reports absence or
            refuses has no mark of where: the weights of a first round say which sentence it is.
    """
    samples: list[Labelled] = []
    for row in sentences:
        asked = what_is_asked(row["question"])
        for one in tagged(row["text"], asked)[:1]:
            count = one.stated(row["text"], asked)
            samples.append((sorted(features(one.sentence, asked, count)), row["label"]))
    for row in answers:
        if not row["ground_truth"] or is_boolean(row["ground_truth"]):
            continue
        asked, places = what_is_asked(row["question"]), marked_places(row)
        for one in tagged(row["answer"], asked):
            if _overlaps(_whole(one.sentence), places):
                count = one.stated(row["answer"], asked)
                samples.append((sorted(features(one.sentence, asked, count)), "answer"))
    first = _absence_weights(samples)
    return _absence_weights([*samples, *_reports(answers, first)])


def _reports(
    answers: Iterable[dict[str, Any]], weights: dict[str, list[int]]
) -> Iterator[Labelled]:
    """Of each answer that reports absence or refuses, the sentence that most likely does."""
    for row in answers:
        label = REPORTS.get(row.get("level", ""))
        if label is None or is_boolean(row["ground_truth"]):
            continue
        if label != "refusal" and not row["annotator_1"]["absence"]:
            continue
        asked = what_is_asked(row["question"])
        candidates = [
            sorted(features(one.sentence, asked, one.stated(row["answer"], asked)))
            for one in tagged(row["answer"], asked)
            if label != "nothing" or denies(one.sentence.tokens)
        ]
        if candidates:
            yield max(candidates, key=lambda names: _lead(names, weights, label)), label


def _lead(names: Iterable[str], weights: dict[str, list[int]], label: str) -> int:
    """How much weights speak for a label before the next one."""
    none = [0] * len(LABELS)
    sums = dict(
        zip(LABELS, map(sum, zip(*(weights.get(n, none) for n in names), strict=True)), strict=True)
    )
    return sums.pop(label) - max(sums.values())


CROSSED = 3
"""Into so many parts the domains are dealt, so that what sentences report is read by weights of
the other parts."""


def train_commitment(
    sentences: Sequence[dict[str, Any]], answers: Sequence[dict[str, Any]], known: dict[str, Any]
) -> dict[str, dict[str, Any]]:
    """The weights of what whole answers commit themselves to, `answers` and `verdicts`.

    What is absent is learnt where G is empty, from labelled sentences, each a short answer, and
    from a few of the answers that state something: who invents where there is nothing does as well.

    Args:
        known: the weights of sentences that the package uses; those of other domains meanwhile.
    """
    absent, verdicts = _binary_trainer(), _binary_trainer()
    for part in range(CROSSED):
        inside = [row for row in sentences if _part_of(row) == part]
        own = [row for row in answers if _part_of(row) == part]
        known["sentences"] = train_absence(
            [row for row in sentences if _part_of(row) != part],
            [row for row in answers if _part_of(row) != part],
        )
        samples = [(row["question"], row["text"], row["label"] in ABSENT) for row in inside]
        for row in [*filter(_is_empty, own), *_stating(own)]:
            is_absent = _is_empty(row) and row["annotator_1"]["C"] > 0
            samples.append((row["question"], row["answer"], is_absent))
        for question, answer, is_absent in samples:
            if reports := _reports_of(question, answer):
                _append(absent, evidence_of(question, reports), str(int(is_absent)))
        for row in own:
            reports = _understood(row)
            if reports:
                evidence = evidence_of_verdict(row["question"], reports)
                _append(verdicts, evidence, row["annotator_1"]["verdict"] or "none")
    return {"answers": _for_one(absent), "verdicts": _of_labels(_learnt(verdicts), VERDICTS)}


STATING = 5
"""Of the answers that state something where G is not empty, one in so many teaches what absence is
not if it is one sentence, and one in the square of it if it is longer: of the absence that others
report in many words, more would lose too much, fewer would take inventions for it."""


def _stating(answers: Sequence[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Some of the answers that state something where G is not empty, as `STATING` says."""
    stating = []
    for row in answers:
        boolean = is_boolean(row["ground_truth"])
        if row["ground_truth"] and not boolean and row.get("level") not in REPORTS:
            stating.append(row)
    for place, row in enumerate(stating):
        if place % STATING**2 == 0 or (place % STATING == 0 and len(read(row["answer"])) == 1):
            yield row


def _is_empty(row: dict[str, Any]) -> bool:
    return not row["ground_truth"]


def _part_of(row: dict[str, Any]) -> int:
    """The part that a row's domain was dealt into."""
    return zlib.crc32(row.get("domain", "").encode()) % CROSSED


def _understood(row: dict[str, Any]) -> list[Report]:
    """What the sentences of an answer report where its yes or no has to be understood."""
    question, answer = row["question"], row["answer"]
    if not (is_boolean(row["ground_truth"]) and asks_yes_or_no(question)):
        return []
    plain = read(answer)
    if not plain or stated_verdict(question, answer, plain, asked=True):
        return []
    return _reports_of(question, answer)[places_after_steps(answer, plain) :]


def _binary_trainer() -> pycrfsuite.Trainer:
    trainer = pycrfsuite.Trainer(verbose=False)
    trainer.set_params({"c1": 0.0, "c2": 4.0, "max_iterations": 200})
    return trainer


def _append(trainer: pycrfsuite.Trainer, evidence: dict[str, int], label: str) -> None:
    trainer.append([{name: value / SCALE for name, value in evidence.items()}], [label])


def _reports_of(question: str, answer: str) -> list[Report]:
    """What each sentence of an answer reports by the weights that the package uses now."""
    asked = what_is_asked(question)
    read = tagged(answer, asked)
    counts = [one.stated(answer, asked) for one in read]
    return reports_of([one.sentence for one in read], asked, counts)


def _for_one(trainer: pycrfsuite.Trainer) -> dict[str, int]:
    """The weights of a linear model with the labels 0 and 1, as what speaks for 1."""
    weights: dict[str, float] = {}
    for (name, label), weight in _learnt(trainer).state_features.items():
        weights[name] = weights.get(name, 0.0) + (weight if label == "1" else -weight)
    return {
        name: round(SCALE * weight) for name, weight in weights.items() if round(SCALE * weight)
    }


def _absence_weights(samples: Iterable[Labelled]) -> dict[str, list[int]]:
    """The weights of a linear model of the four labels."""
    trainer = pycrfsuite.Trainer(verbose=False)
    trainer.set_params({"c1": 0.3, "c2": 0.3, "max_iterations": 200})
    for names, label in samples:
        trainer.append([names], [label])
    return _of_labels(_learnt(trainer), LABELS)


def _of_labels(info: Any, labels: Sequence[str]) -> dict[str, list[int]]:
    """The weights of a linear model, for each of its labels in order."""
    weights: dict[str, list[int]] = {}
    for (name, label), weight in sorted(info.state_features.items()):
        weights.setdefault(name, [0] * len(labels))[labels.index(label)] = round(SCALE * weight)
    return weights


def _learnt(trainer: pycrfsuite.Trainer) -> Any:
    with tempfile.NamedTemporaryFile(suffix=".crf") as file:
        trainer.train(file.name)
        tagger = pycrfsuite.Tagger()
        tagger.open(file.name)
        return tagger.info()


def save(path: Path, weights: Any) -> None:
    """Writes weights; the same weights give the same bytes."""
    text = json.dumps(weights, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
    path.write_bytes(gzip.compress(text.encode(), mtime=0))


def rows_of(*paths: Path) -> list[dict[str, Any]]:
    """The rows of files of JSON Lines."""
    return [json.loads(line) for path in paths for line in path.read_text("utf-8").splitlines()]


FOLDS = 5
FOLDS_OF_WRITERS = 3


def writer_of(row: dict[str, Any]) -> str:
    """Whose hand an answer is of: the letters of its id (benchmarks/marked/README.md)."""
    return re.match(r"[A-Za-z]+", row["id"])[0]  # type: ignore[index]  # every id has some


def unseen(by: str) -> None:
    """Scores marked answers by weights that were learnt without their domains, or their style."""
    rows, earlier, sentences = rows_of(ANSWERS), rows_of(*EARLIER), rows_of(ABSENCE)
    for row in rows:
        row["writer"] = writer_of(row)
    groups = sorted({row[by] for row in rows})
    n_folds = FOLDS_OF_WRITERS if by == "writer" else FOLDS
    folds = [groups[place::n_folds] for place in range(n_folds)]
    compared: list[Comparison] = []
    for fold in folds:
        learnt = [row for row in rows if row[by] not in fold] + earlier
        learn(learnt, [row for row in sentences if row["domain"] not in fold])
        inside = [compare(row) for row in rows if row[by] in fold]
        compared += inside
        print(f"{', '.join(fold)[:60]:62}{len(inside):4} ", _figures(summary(inside)), flush=True)
    print(f"{'all, each without its ' + by:62}{len(compared):4} ", _figures(summary(compared)))
    by_style = _grouped(compared, lambda row: row["style"])
    for name, some in (*by_style.items(), *_by_truth(compared).items()):
        print(f"  {name:60}{len(some):4} ", _figures(summary(some)))
    keep_unseen(by, compared)


def keep_unseen(by: str, compared: Sequence[Comparison]) -> None:
    """Writes the errors of unseen answers where reports read them.

    Args:
        by: what was left out; what was measured by leaving out something else stays.
    """
    kept = json.loads(UNSEEN.read_text("utf-8")) if UNSEEN.exists() else {}
    kept[by] = {
        "rules": RULES_VERSION,
        "answers": len(compared),
        "error": _by_metric([comparison.errors for comparison in compared]),
        "truths": {
            kind: {
                "answers": len(some),
                "error": _by_metric([comparison.errors for comparison in some]),
            }
            for kind, some in _by_truth(compared).items()
        },
    }
    if by == "domain":
        kept[by]["spread"] = _spread(compared)
    if by == "writer":
        kept[by]["writers"] = {
            writer: {
                "answers": len(some),
                "bias": _by_metric([comparison.signed for comparison in some]),
            }
            for writer, some in _grouped(compared, writer_of).items()
        }
    UNSEEN.write_text(json.dumps(kept, indent=1, sort_keys=True) + "\n", "utf-8")
    print(f"wrote {UNSEEN.relative_to(ROOT)}")


def _spread(compared: Sequence[Comparison]) -> dict[str, float]:
    """How far people's C, H and S lie off a line in the rules' (root mean square)."""
    spread = {}
    for place, key in enumerate(METRICS):
        ours = [getattr(comparison.score, key) for comparison in compared]
        theirs = [our - c.signed[place] for our, c in zip(ours, compared, strict=True)]
        slope, constant = linear_regression(ours, theirs)
        left = [y - slope * x - constant for x, y in zip(ours, theirs, strict=True)]
        spread[key] = round(mean(each * each for each in left) ** 0.5, 4)
    return spread


def _by_metric(rows: Sequence[tuple[float, ...]]) -> dict[str, float]:
    return {
        key: round(mean(column), 4)
        for key, column in zip(METRICS, zip(*rows, strict=True), strict=True)
    }


def _grouped(
    compared: Iterable[Comparison], name_of: Callable[[dict[str, Any]], str]
) -> dict[str, list[Comparison]]:
    """Comparisons by what a row is called, by name."""
    groups: dict[str, list[Comparison]] = {}
    for comparison in compared:
        groups.setdefault(name_of(comparison.row), []).append(comparison)
    return dict(sorted(groups.items()))


def _by_truth(compared: Iterable[Comparison]) -> dict[str, list[Comparison]]:
    return _grouped(compared, lambda row: kind_of_truth(row["ground_truth"]))


def unseen_absence() -> None:
    """Labels the sentences of each domain by weights that were learnt without it."""
    answers, sentences = [*rows_of(ANSWERS), *rows_of(*EARLIER)], rows_of(ABSENCE)
    right: list[bool] = []
    absent: list[bool] = []
    for domain in sorted({row["domain"] for row in sentences}):
        known: dict[str, Any] = {"sentences": {}}
        absence.weights = lambda known=known: known
        others = [row for row in sentences if row["domain"] != domain]
        known["sentences"] = train_absence(others, answers)
        for row in (row for row in sentences if row["domain"] == domain):
            label = _reports_of(row["question"], row["text"])[0].label
            right.append(label == row["label"])
            absent.append((label in ABSENT) == (row["label"] in ABSENT))
    shares = f"four labels {mean(right):.3f}, absence or not {mean(absent):.3f}"
    print(f"{len(right)} sentences, each without its domain: right in {shares}")


def write_halves() -> None:
    """Writes the rules' and people's C, H and S of every other domain, by weights learnt from 2,600
    answers of the others; answers of one domain stand together."""
    rows = rows_of(ANSWERS)
    left_out = set(sorted({row["domain"] for row in rows})[::2])
    learnt = [row for row in rows if row["domain"] not in left_out]
    random.Random(1).shuffle(learnt)
    sentences = [row for row in rows_of(ABSENCE) if row["domain"] not in left_out]
    learn(learnt[:2600] + rows_of(*EARLIER), sentences)
    inside = [compare(row) for row in rows if row["domain"] in left_out]
    inside.sort(key=lambda one: (kind_of_truth(one.row["ground_truth"]), one.row["domain"]))
    lines = [",".join(f"{whose}_{metric}" for whose in ("rules", "people") for metric in "CHS")]
    for comparison in inside:
        score = comparison.score
        ours = [getattr(score, key) for key in METRICS]
        theirs = [our - off for our, off in zip(ours, comparison.signed, strict=True)]
        lines.append(",".join(f"{min(1.0, max(0.0, value)):.4g}" for value in (*ours, *theirs)))
    HALVES.write_text("\n".join(lines) + "\n", "utf-8")


def _figures(figures: dict[str, float]) -> str:
    return "  ".join(f"{name} {value:.3f}" for name, value in figures.items())


def learn(rows: Sequence[dict[str, Any]], labelled: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Has the package use what it learns of these answers and sentences, in this process.

    Returns:
        The weights, by the name of their file. What of absence is learnt goes by the facts that
        are found with the others.
    """
    learnt: dict[str, Any] = {"tagger": train(rows), "statements": train_statements(rows)}
    tagger = Tagger(learnt["tagger"])
    facts.trained = lambda: tagger
    statements.weights = lambda: learnt["statements"]
    learnt["absence"] = known = {"sentences": {}}
    absence.weights = lambda: known
    tagged.cache_clear()
    known |= train_commitment(labelled, rows, known)
    known["sentences"] = train_absence(labelled, rows)
    return learnt


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=("train", "unseen", "halves"))
    parser.add_argument("--by", choices=("domain", "style", "writer", "absence"), default="domain")
    options = parser.parse_args()
    if options.what == "halves":
        return write_halves()
    if options.what == "unseen":
        return unseen_absence() if options.by == "absence" else unseen(options.by)
    for name, weights in learn(rows_of(ANSWERS, *EARLIER), rows_of(ABSENCE)).items():
        save(WEIGHTS / f"{name}.json.gz", weights)
    return None


if __name__ == "__main__":
    main()
