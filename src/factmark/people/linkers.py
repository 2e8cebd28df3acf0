"""What finds the sentences of a source that a clause likely rests on, by its name.

words               the words of both; the default
model2vec:FOLDER    static vectors, which know other words for the same
nli:FOLDER          an entailment model, of the sentences that words find first
module:function     your own: clauses and sentences in, a row of numbers for each clause out
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from factmark.ask.judges.own_function import OwnFunction, load_function, names_function
from factmark.ask.weights.nli_folder import NliFolder, names_nli_folder, read_nli_folder
from factmark.errors import InputError
from factmark.label_values import NOT_SUPPORTED
from factmark.passages.embedders import LocalEmbedder, local_embedder
from factmark.people.core.linking import (
    Floats,
    IndexedSource,
    Linker,
    WordVectors,
    best_places,
    best_sentences,
    likely_by_vectors,
    likely_by_words,
    scores_by_words,
)
from factmark.text.sentences import Span

WORDS = "words"
_VECTORS = "model2vec"
_CANDIDATES = 20  # sentences that an entailment model reads for a clause
_GIVE = f"Write {WORDS}, {_VECTORS}:FOLDER, nli:FOLDER, or module:function of your own."

Links = tuple[tuple[Span, ...], ...]


def open_linker(name: str) -> Linker:
    """Returns the linker that `--linker NAME` means, loaded.

    Raises:
        InputError: there is none of that name, or it cannot be loaded.
    """
    if name == WORDS:
        return likely_by_words
    if names_nli_folder(name):
        return _entailment(read_nli_folder("--linker", name))
    if name.partition(":")[0] == _VECTORS:
        return likely_by_vectors(word_vectors(name))
    if not names_function(name):
        raise InputError(f"--linker {name}: there is no such linker. {_GIVE}")
    return _own(load_function("--linker", name, _GIVE))


def word_vectors(name: str) -> WordVectors:
    """Returns the vectors of words that `--linker model2vec:FOLDER` means; InputError where they
    cannot be loaded."""
    kind, _, folder = name.partition(":")
    if not Path(folder).is_dir():
        raise InputError(f"--linker {name}: there is no such folder. {_GIVE}")
    try:
        return _RememberedWords(local_embedder(kind, folder))
    except InputError as error:
        raise InputError(str(error).replace("--embedder", "--linker")) from error


class _RememberedWords:
    """Vectors of words, each asked for once."""

    def __init__(self, embedder: LocalEmbedder) -> None:
        self._embedder = embedder
        self._known: dict[str, Floats] = {}

    def __call__(self, words: Sequence[str]) -> Floats:
        """Returns a vector for each word, a row a word."""
        new = []
        for word in words:
            if word not in self._known:
                new.append(word)
        if new:
            table = self._embedder.vectors(new).astype(np.float64)
            self._known |= dict(zip(new, table, strict=True))
        return np.array([self._known[word] for word in words])


def _own(function: OwnFunction) -> Linker:
    """Returns the linker that orders the sentences by a function's numbers."""

    def linker(clauses: Sequence[str], source: IndexedSource) -> Links:
        texts = [span.of(source.text) for span in source.sentences]
        wanted = len(clauses), len(texts)
        try:
            scores = np.asarray(function.call(list(clauses), texts), dtype=np.float64)
        except (Exception, SystemExit) as error:  # whatever the user's code does
            raise InputError(
                f"--linker {function.name}: failed: {type(error).__name__}: {error}"
            ) from error
        if scores.shape != wanted or np.isnan(scores).any():
            raise InputError(
                f"--linker {function.name}: gave no number for each sentence, a row a clause: "
                f"{wanted[0]} rows of {wanted[1]} numbers are wanted, higher is likelier."
            )
        return best_sentences(scores, source)

    return linker


def _entailment(folder: NliFolder) -> Linker:
    """Returns the linker by an entailment model: a sentence that entails or contradicts a clause is
    what it rests on."""
    from factmark.ask.weights.nli_judge import load_cross_encoder
    from factmark.ask.weights.pairs import Pair

    encoder, model = load_cross_encoder(folder)
    neither = folder.labels.index(NOT_SUPPORTED)

    def linker(clauses: Sequence[str], source: IndexedSource) -> Links:
        by_words = scores_by_words(clauses, source)
        scores = np.full(by_words.shape, -np.inf)
        pairs = [
            Pair(unit=f"{row} {at}", passage=source.sentences[at].of(source.text), claim=clause)
            for row, (clause, places) in enumerate(
                zip(clauses, best_places(by_words, _CANDIDATES), strict=True)
            )
            for at in places
        ]
        for batch in model.batches(encoder.windows(pairs)):
            for window, shares in zip(batch, model.shares(batch), strict=True):
                row, at = map(int, window.unit.split())
                scores[row, at] = max(scores[row, at], 1 - shares[neither])
        return best_sentences(scores, source)

    return linker
