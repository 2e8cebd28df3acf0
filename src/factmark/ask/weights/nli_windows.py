"""Pairs of texts as the tokens that a cross-encoder reads: long passages in overlapping windows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from factmark.ask.weights.nli_folder import NliFolder
from factmark.ask.weights.pairs import Pair
from factmark.errors import InputError

if TYPE_CHECKING:  # loaded by those who judge by such a model
    from tokenizers import Encoding, Tokenizer

OVERLAP = 4  # a window begins before the last one has ended, by this part of its length
LEAST = 32  # tokens of a passage in a window; with fewer, its claim is too long for the model


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """A stretch of a passage with a claim, as tokens.

    Attributes:
        types: 0 or 1 for each token, as the tokenizer tells the two texts apart.
        text: the stretch.
    """

    unit: str
    ids: Sequence[int]
    types: Sequence[int]
    text: str


class PairEncoder:
    """Makes windows of pairs; raises InputError where the folder has no tokenizer of pairs."""

    def __init__(self, folder: NliFolder, tokenizer: Tokenizer) -> None:
        self._tokenizer = tokenizer
        self._longest = folder.longest
        tokenizer.no_truncation()
        tokenizer.no_padding()
        pair = tokenizer.encode("a passage", "a claim")
        texts = pair.sequence_ids
        first = []
        for place, text in enumerate(texts):
            if text == 0:
                first.append(place)
        second = []
        for place, text in enumerate(texts):
            if text == 1:
                second.append(place)
        if not first or not second or second[0] == first[-1] + 1:
            raise InputError(
                f"{folder.option}: tokenizer.json puts nothing between two texts: it is not that "
                "of a cross-encoder."
            )
        parts = (slice(first[0]), slice(first[-1] + 1, second[0]), slice(second[-1] + 1, None))
        self._around = [(pair.ids[part], pair.type_ids[part]) for part in parts]
        self._types = pair.type_ids[first[0]], pair.type_ids[second[0]]
        self._room = folder.longest - sum(len(ids) for ids, _ in self._around)

    def windows(self, pairs: Sequence[Pair]) -> Iterator[Window]:
        """Yields the windows of each pair; none where the claim leaves no room for the passage."""
        texts = list(dict.fromkeys(text for pair in pairs for text in (pair.passage, pair.claim)))
        encoded = self._tokenizer.encode_batch(texts, add_special_tokens=False)
        tokens = dict(zip(texts, encoded, strict=True))
        for pair in pairs:
            yield from self._windows_of(pair, tokens[pair.passage], tokens[pair.claim].ids)

    def _windows_of(self, pair: Pair, passage: Encoding, claim: list[int]) -> Iterator[Window]:
        """Yields the windows of a pair, given its tokens."""
        ids = passage.ids
        offsets = passage.offsets
        length = self._room - len(claim)
        if length < min(LEAST, len(ids)):
            return
        (before, between, after), (first, second) = self._around, self._types
        overlap = length // OVERLAP
        for start in range(0, max(1, len(ids) - overlap), max(1, length - overlap)):
            stretch = ids[start : start + length]
            where = offsets[start : start + length] or [(0, 0)]
            types = [*before[1], *[first] * len(stretch), *between[1]]
            yield Window(
                unit=pair.unit,
                ids=[*before[0], *stretch, *between[0], *claim, *after[0]],
                types=[*types, *[second] * len(claim), *after[1]],
                text=pair.passage[where[0][0] : where[-1][1]],
            )


def open_tokenizer(folder: NliFolder) -> PairEncoder:
    """Returns what makes windows of pairs.

    Raises:
        InputError: the file is no tokenizer, or its package is not installed.
    """
    try:
        from tokenizers import Tokenizer
    except ImportError as error:
        raise InputError(
            f"{folder.option}: needs the package tokenizers: pip install 'factmark[nli]'."
        ) from error
    try:
        tokenizer = Tokenizer.from_file(str(folder.tokenizer))
    except Exception as error:  # of its own kinds, which are not told
        raise InputError(
            f"{folder.option}: tokenizer.json is no tokenizer: {error!s:.200}."
        ) from error
    return PairEncoder(folder, tokenizer)
