"""A cross-encoder for entailment as a judge: does the claim follow from its evidence?

Of a long passage each window is read. The surest window that entails or contradicts the claim
decides and is shown as evidence; where none does, the claim is not supported.
"""

from __future__ import annotations

import asyncio
import math
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from factmark.ask.budget import Spend
from factmark.ask.judges.unit_judge import (
    KEPT_TOGETHER,
    KEPT_WITHIN,
    NamedJudge,
    UnitJudge,
    verdict_by,
)
from factmark.ask.weights.nli_folder import NliFolder
from factmark.ask.weights.nli_scores import CrossEncoder, open_cross_encoder, try_cross_encoder
from factmark.ask.weights.nli_windows import LEAST, OVERLAP, PairEncoder, Window, open_tokenizer
from factmark.ask.weights.pairs import Pair, labels_meant, pairs_of_unit
from factmark.errors import InputError
from factmark.label_values import CONTRADICTED, NOT_SUPPORTED, SUPPORTED
from factmark.ledger.ledger import Ledger
from factmark.ledger.writer import LedgerWriter
from factmark.model import Judge, Unit, Verdict, content_hash

_VERSION = "1"  # part of the identity: raise it when it judges otherwise
_UNITS = 256  # that are handed over at once
_MOST_SHOWN = 600  # characters of a window
_TOO_LONG = "the claim leaves the model no room for its evidence"
_NO_NUMBERS = "the model gave no numbers"
_CAUTION = (NOT_SUPPORTED, CONTRADICTED, SUPPORTED)
_WORDS = {SUPPORTED: "entailment", CONTRADICTED: "contradiction", NOT_SUPPORTED: "no entailment"}


class _Reading(NamedTuple):
    """What the model says of a window: a label of `SUPPORT_LABELS`, with its probability and that
    of entailment; no label where it gave no numbers."""

    label: str | None
    share: float
    entailed: float
    window: Window


def nli_judge(
    folder: NliFolder,
    shown: Callable[[Unit], Mapping[str, object]],
    values: Mapping[str, float],
    **parameters: object,
) -> NamedJudge:
    """Returns a judge that asks a cross-encoder whether claims follow from their evidence.

    Args:
        shown: `claim` and `evidence` of a unit; of an answer `question` and `references`.
        values: label -> value.
        parameters: what else could change a verdict, as JSON values.

    Raises:
        InputError: the labels are not those of claims that are supported or not.
    """
    meanings = labels_meant(folder.option, values)
    everything = {
        "weights": folder.weights,
        "labels": list(values),
        "longest": folder.longest,
        "overlap": OVERLAP,
        "version": _VERSION,
        "rubric_name": "entailment",
        **parameters,
    }
    identity = Judge(  # another name of the folder makes no other judge
        id=content_hash("model", "nli", everything),
        kind="model",
        name=f"nli:{folder.name}",
        parameters=everything,
    )

    @asynccontextmanager
    async def opened(ledger: Ledger, writer: LedgerWriter) -> AsyncIterator[UnitJudge]:
        encoder, model = await asyncio.to_thread(load_cross_encoder, folder)
        entailing = _Entailing(
            identity=identity,
            encoder=encoder,
            model=model,
            labels=folder.labels,
            shown=shown,
            meanings=meanings,
            values=values,
        )
        yield UnitJudge(
            identity=identity,
            judge=entailing.judge,
            batch=_UNITS,
            kept_together=KEPT_TOGETHER,
            kept_within=KEPT_WITHIN,
            spend=lambda: Spend(failures=entailing.failures, notes=_notes(model)),
        )

    return NamedJudge(identity=identity, opening=opened)


def _notes(model: CrossEncoder) -> tuple[str, ...]:
    """Returns what the user should know of how a model is run."""
    if model.length is None:
        return ()
    return (
        f"the ONNX graph was exported for {model.length} tokens alone: shorter texts are padded to "
        "that, longer ones read in windows of it. Exported with free axes it is faster",
    )


def load_cross_encoder(folder: NliFolder) -> tuple[PairEncoder, CrossEncoder]:
    """Returns the tokenizer and the model, tried on a pair.

    Raises:
        InputError: one of them cannot be loaded, or they do not go together.
    """
    model = open_cross_encoder(folder)
    if model.length is not None:
        folder = replace(folder, longest=min(folder.longest, model.length))
    encoder = open_tokenizer(folder)
    sentence = "A passage." * LEAST  # longer than the least that a window must have room for
    trial = next(encoder.windows([Pair(unit="", passage=sentence, claim="A claim.")]), None)
    if trial is None:
        raise InputError(f"{folder.option}: the model reads only {folder.longest} tokens at once.")
    try_cross_encoder(folder, model, trial)
    return encoder, model


@dataclass(frozen=True, slots=True, kw_only=True)
class _Entailing:
    """The judge at work.

    Attributes:
        labels: of the model's numbers.
        meanings: label of `SUPPORT_LABELS` -> the protocol's.
    """

    identity: Judge
    encoder: PairEncoder
    model: CrossEncoder
    labels: Sequence[str]
    shown: Callable[[Unit], Mapping[str, object]]
    meanings: Mapping[str, str]
    values: Mapping[str, float]
    failures: Counter[str] = field(default_factory=Counter)

    async def judge(self, units: Sequence[Unit]) -> AsyncIterator[Verdict]:
        """Yields the verdict on each unit once all of its windows are read."""
        pairs = [pair for unit in units for pair in pairs_of_unit(unit.id, self.shown(unit))]
        windows = await asyncio.to_thread(lambda: list(self.encoder.windows(pairs)))
        left = Counter(window.unit for window in windows)
        by_id = {unit.id: unit for unit in units}
        with_evidence = {pair.unit for pair in pairs}
        for unit in units:
            if not left[unit.id]:
                why = "no evidence"
                if unit.id in with_evidence:
                    why = _TOO_LONG
                yield verdict_by(self.identity, unit, None, why, self.values)
        readings: defaultdict[str, list[_Reading]] = defaultdict(list)
        for batch in self.model.batches(windows):
            for reading in await asyncio.to_thread(self._read, batch):
                unit = by_id[reading.window.unit]
                readings[unit.id].append(reading)
                left[unit.id] -= 1
                if not left[unit.id]:
                    yield self._verdict(unit, readings.pop(unit.id))

    def _read(self, batch: Sequence[Window]) -> list[_Reading]:
        """Returns what the model says of each window; of equal probabilities the label that claims
        least counts."""
        cautious = sorted(range(len(self.labels)), key=lambda n: _CAUTION.index(self.labels[n]))
        entailment = self.labels.index(SUPPORTED)
        readings = []
        try:
            table = self.model.shares(batch).tolist()
        except Exception:  # of kinds that the packages do not list; one text must not end the run
            table = [[math.nan] * len(self.labels) for _ in batch]
        for shares, window in zip(table, batch, strict=True):
            best = max(cautious, key=lambda number: shares[number])
            known = not math.isnan(sum(shares))
            label = None
            if known:
                label = self.labels[best]
            readings.append(_Reading(label, shares[best], shares[entailment], window))
        return readings

    def _verdict(self, unit: Unit, readings: Sequence[_Reading]) -> Verdict:
        """Returns the verdict by the surest window that entails or contradicts the claim; where
        none does, by the one that comes nearest to entailing it."""
        if any(reading.label is None for reading in readings):
            self.failures[_NO_NUMBERS] += 1
            return Verdict(
                unit=unit.id, judge=self.identity.id, status="failed", reason=_NO_NUMBERS
            )
        sure = []
        for reading in readings:
            if reading.label != NOT_SUPPORTED:
                sure.append(reading)
        if sure:
            chosen = max(sure, key=lambda reading: reading.share)
        else:
            chosen = max(readings, key=lambda reading: reading.entailed)
        label = str(chosen.label)
        reason = f"{_WORDS[label]} {chosen.share:.2f}"
        if len(readings) > 1:
            reason += f", the best of {len(readings)} parts: {_shortened(chosen.window.text)}"
        return verdict_by(self.identity, unit, self.meanings[label], reason, self.values)


def _shortened(text: str) -> str:
    """Returns a text of bounded length: its beginning and its end."""
    text = " ".join(text.split())
    half = _MOST_SHOWN // 2
    if len(text) <= _MOST_SHOWN:
        return text
    return f"{text[:half]} [...] {text[-half:]}"
