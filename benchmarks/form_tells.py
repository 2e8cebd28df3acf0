"""How often a classifier that sees only the form of a summary names the system that wrote it.

    python benchmarks/form_tells.py FILE.jsonl system_a system_b system_c [--skip 17]

FILE has a document a line, each system's summary under its own key. `--skip` counts no name of the
first documents, which somebody looked at to write the rules. Of each summary it takes some forty
numbers (signs, case, spacing, repetition, how it ends; no word), each as how far it is from
the mean of the document's summaries, and a logistic regression learns whose they are: from all
other documents, ten folds. By chance one of three is named in 0.33. It prints the share that is
named rightly: raw, as `blind` leaves a summary, and as annotators see it; by all numbers, without
those of length, and by those alone that writing alike may touch (case, spacing, marks, ends).
What a summary repeats, its commas, brackets and figures are its own, and are told (`Still tells`);
the last rows say what would be left if a sentence stood only once in a summary.
"""

from __future__ import annotations

import argparse
import json
import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from factmark.people.core.summary_blinding import blind_summary
from factmark.text.blinding import blind
from factmark.text.sentences import sentences

FOLDS = 10
FIRST = 50  # words among which different ones are counted, so that length plays no part
WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
# Of signs: how many there are for each hundred words.
SIGNS = {
    name: re.compile(pattern)
    for name, pattern in {
        "commas": ",",
        "full stops": r"\.",
        "runs of marks": r"[.,;:]\s?[.,;:]",
        "brackets": r"[(\[]",
        "references": r"\[\d",
        "unknown": r"\[\?\]|<unk>|\u2047",
        "blank before a mark": r"\s[.,;:!?](?:\s|\Z)",
        "spaced hyphens": r"\s-\s",
        "half spaced hyphens": r"\S-\s|\s-\S",
        "hyphens": r"\w-\w",
        "lost apostrophes": r"(?<=[a-z]) s (?=[a-z])",
        "apostrophes": r"['’]",
        "quotes": '["“”]',
        "glued ends": r"[a-z)]\.[a-z]",
        "colons": ":",
        "semicolons": ";",
        "percent": "%",
        "digits": r"\d",
        "decimals": r"\d\.\d",
        "equals": "[=<>±≤≥]",
        "slashes": "/",
        "line breaks": "\n",
        "tags": r"<[a-z/]+>",
        "other signs": r"[^\x00-\x7f]",
        "capitals": r"[A-Z]",
        "capitals inside": r"(?<=[a-z])[A-Z]",
        "two blanks": "  ",
        "tight signs": r"[\w)][<>=][\w(.]",
        "spaced slashes": r"\w(?: /|/ )",
        "blanks in quotes": r"(?<!\S)[\"'] ",
        "lost hyphens": r"\d[- ](?:year|month|week|day) old|\b(?:non|pre|anti|multi|semi) [a-z]",
        "stops before commas": r"[a-z]{5}\.,",
    }.items()
}
LENGTHS = ("words", "sentences", "words of a sentence")
WRITING = (
    *("runs of marks", "unknown", "blank before a mark", "spaced hyphens", "half spaced hyphens"),
    *("hyphens", "lost apostrophes", "apostrophes", "glued ends", "line breaks", "tags"),
    *("other signs", "capitals", "capitals inside", "two blanks", "ends with a mark"),
    *("tight signs", "spaced slashes", "blanks in quotes", "lost hyphens", "stops before commas"),
)


def form(text: str) -> dict[str, float]:
    """The numbers of a summary's form."""
    words = [word.lower() for word in WORD.findall(text)]
    count = max(1, len(words))
    pieces = sentences(text) or [()]
    triples = Counter(zip(words, words[1:], words[2:], strict=False))
    numbers = {name: 100 * len(sign.findall(text)) / count for name, sign in SIGNS.items()}
    numbers |= {
        "ends with a mark": float(text.rstrip()[-1:] in ".!?"),
        "repeated triples": 1 - len(triples) / max(1, triples.total()),
        "most frequent triple": max(triples.values(), default=0) / max(1, triples.total()),
        "same word twice": sum(a == b for a, b in pairwise(words)) / count,
        "different words": len(set(words[:FIRST])) / max(1, len(words[:FIRST])),
        "letters of a word": sum(map(len, words)) / count,
        "words": float(np.log(count)),
        "sentences": float(np.log(len(pieces))),
        "words of a sentence": float(np.log(count / len(pieces))),
    }
    return numbers


def named(texts: list[list[str]], names: Sequence[str], skip: int) -> float:
    """The share of summaries whose system is named by what was learnt from other documents; those
    of the first documents (`skip`) are only learnt from."""
    rows = np.array([[[form(text)[name] for name in names] for text in row] for row in texts])
    rows -= rows.mean(axis=1, keepdims=True)
    rows /= rows.std(axis=(0, 1)) + 1e-9
    truth = np.tile(np.arange(rows.shape[1]), (len(rows), 1))
    folds = np.random.default_rng(0).permutation(len(rows)) % FOLDS
    right = np.zeros(truth.shape, dtype=bool)
    for fold in range(FOLDS):
        train, test = rows[folds != fold], rows[folds == fold]
        weights = learnt(train.reshape(-1, len(names)), truth[folds != fold].ravel())
        right[folds == fold] = (with_one(test) @ weights).argmax(axis=2) == truth[folds == fold]
    return float(right[skip:].mean())


def learnt(rows: NDArray[np.float64], truth: NDArray[np.int64]) -> NDArray[np.float64]:
    """The weights of a logistic regression with a ridge, by gradient descent."""
    inputs = with_one(rows)
    weights = np.zeros((inputs.shape[1], int(truth.max()) + 1))
    wanted = np.eye(weights.shape[1])[truth]
    for _ in range(400):
        scores = np.exp(inputs @ weights - (inputs @ weights).max(axis=1, keepdims=True))
        shares = scores / scores.sum(axis=1, keepdims=True)
        weights -= 0.2 * (inputs.T @ (shares - wanted) / len(inputs) + 0.02 * weights)
    return weights


def with_one(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """The rows with a constant."""
    return np.concatenate([rows, np.ones((*rows.shape[:-1], 1))], axis=-1)


def each_once(text: str) -> str:
    """A summary as it is shown, but for the sentences that stood in it before."""
    shown = blind_summary(text).text
    return " ".join(dict.fromkeys(sentence.of(shown) for sentence in sentences(shown)))


def main() -> None:
    """Prints the shares."""
    parser = argparse.ArgumentParser()
    parser.add_argument("file", type=Path)
    parser.add_argument("systems", nargs="+")
    parser.add_argument("--skip", type=int, default=0)
    given = parser.parse_args()
    systems, lines = given.systems, given.file.read_text("utf-8").splitlines()
    documents = [json.loads(line) for line in lines]
    whole = [row for row in documents if all(row.get(system) for system in systems)]
    if len(whole) <= given.skip:
        parser.error(f"no document has a summary by each of {', '.join(systems)}")
    print(f"{len(whole)} documents, {given.skip} not counted; by chance {1 / len(systems):.2f}")
    for name, write in (
        ("raw", str),
        ("blind", lambda text: blind(text).text),
        ("as shown", lambda text: blind_summary(text).text),
        ("once", each_once),
    ):
        texts = [[write(row[system]) for system in systems] for row in whole]
        every = list(form(""))
        for kind, names in (
            ("all", every),
            ("without length", [name for name in every if name not in LENGTHS]),
            ("case, spacing, marks, ends", WRITING),
        ):
            print(f"{name:9} {kind:27} {named(texts, names, given.skip):.2f}")


if __name__ == "__main__":
    main()
