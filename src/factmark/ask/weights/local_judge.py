"""`--judge local`: a small model in this process says whether a text states a claim.

It reads the sentences that name both ends of a triple, or those nearest to a claim, and answers yes
or no by the probability of its first token. From some probability on the claim is supported: by
people's labels of these very units where the ledger has enough of them, else as the table says.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import NamedTuple

from factmark.ask.budget import Spend
from factmark.ask.judges.unit_judge import NamedJudge, UnitJudge, verdict_by
from factmark.ask.weights.first_token import VERSION, FirstToken
from factmark.ask.weights.known_weights import KnownWeights, judging_weights
from factmark.ask.weights.pairs import labels_meant, pairs_of_unit
from factmark.ask.weights.threshold import kin_of, reason_of, shares_kept
from factmark.ask.weights.weight_files import file_hash, usable_cores
from factmark.errors import InputError
from factmark.label_values import NOT_SUPPORTED, SUPPORTED
from factmark.ledger.ledger import Ledger
from factmark.ledger.writer import LedgerWriter
from factmark.model import Judge, Unit, Verdict, content_hash
from factmark.text.excerpt import excerpt, likeliest

_ROOM = 600  # characters of the sentences that name both ends of a triple
_ROOM_OF_CLAIMS = 1_200  # of those nearest to any other claim
_LONGEST = 2_000  # characters of a claim
_UNITS = 16  # that are handed over at once
_TOO_LONG = "the claim is longer than the model can read"
_UNREAD = "the model could not read it"


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalWeights:
    """Weights that judge in this process.

    Attributes:
        option: by which they were named, for messages.
        known: their row of the table.
        threshold: the probability of yes from which a claim is supported.
        labels: of people by which it was learnt; 0 where it is the table's.
    """

    option: str
    known: KnownWeights
    threshold: float
    labels: int = 0

    @property
    def weights(self) -> str:
        """The hash of what is in them."""
        return self.known.sha256[:32]


def read_local(option: str, judge: str) -> LocalWeights:
    """Returns the weights that `local` or `local:NAME` names.

    Raises:
        InputError: they are not known, were not fetched, or are damaged.
    """
    option = f"{option} {judge}"
    known = judging_weights(option, judge)
    if file_hash(known.path) != known.sha256:
        raise InputError(
            f"{option}: {known.path} is damaged. Remove it, and fetch it again: factmark judge "
            f"fetch {known.name}"
        )
    return LocalWeights(option=option, known=known, threshold=known.threshold or 0.5)


def local_judge(
    local: LocalWeights,
    shown: Callable[[Unit], Mapping[str, object]],
    values: Mapping[str, float],
    **parameters: object,
) -> NamedJudge:
    """Returns a judge that asks weights in this process whether texts state claims.

    Args:
        shown: `claim` and `evidence` of a unit, of a triple `head` and `tail`; of an answer
            `question` and `references`.
        values: label -> value.
        parameters: what else could change a verdict, as JSON values.

    Raises:
        InputError: the labels are not those of claims that are supported or not.
    """
    meanings = labels_meant(local.option, values)
    identity = _identity(local, {"labels": list(values), **parameters})

    @asynccontextmanager
    async def opened(ledger: Ledger, writer: LedgerWriter) -> AsyncIterator[UnitJudge]:
        asking = _Asking(local, identity, shown, meanings, values, ledger)
        try:
            yield UnitJudge(identity=identity, judge=asking.judge, batch=_UNITS, spend=asking.spend)
        finally:
            await asyncio.to_thread(asking.close)

    return NamedJudge(identity=identity, opening=opened)


def _identity(local: LocalWeights, parameters: Mapping[str, object]) -> Judge:
    """Returns who judges: the weights, what they are asked, and the threshold."""
    everything = {
        "weights": local.weights,
        "version": VERSION,
        "room": [_ROOM, _ROOM_OF_CLAIMS],
        "rubric_name": "first token",
        **parameters,
        "threshold": local.threshold,
    }
    return Judge(  # another name in the table makes no other judge
        id=content_hash("model", "local", everything),
        kind="model",
        name=f"local:{local.known.name}",
        parameters=everything,
    )


class _Excerpt(NamedTuple):
    """The sentences that are read for a claim."""

    text: str
    claim: str


class _Asking:
    """The judge at work. The weights are loaded when the first unit needs them: of units that the
    ledger has a probability of, only the threshold is looked at again."""

    def __init__(
        self,
        local: LocalWeights,
        identity: Judge,
        shown: Callable[[Unit], Mapping[str, object]],
        meanings: Mapping[str, str],
        values: Mapping[str, float],
        ledger: Ledger,
    ) -> None:
        self._local = local
        self._identity = identity
        self._shown = shown
        self._meanings = meanings
        self._values = values
        self._ledger = ledger
        self._kin = kin_of(ledger, identity.parameters)
        self._model: FirstToken | None = None
        self._failures: Counter[str] = Counter()

    async def judge(self, units: Sequence[Unit]) -> AsyncIterator[Verdict]:
        """Yields the verdict on each unit; those that read the same sentences one after the
        other."""
        known = shares_kept(self._ledger, self._kin, [unit.id for unit in units])
        asked = []
        for unit in units:
            if unit.id in known:
                yield self._verdict(unit, known[unit.id])
            else:
                asked.append((unit, list(_reads(unit.id, self._shown(unit)))))
        for unit, reads in sorted(asked, key=lambda entry: [read.text for read in entry[1]]):
            if not reads:
                yield verdict_by(self._identity, unit, None, "no evidence", self._values)
            elif any(len(read.claim) > _LONGEST for read in reads):
                yield verdict_by(self._identity, unit, None, _TOO_LONG, self._values)
            else:
                yield self._verdict(unit, await asyncio.to_thread(self._share, reads))

    def spend(self) -> Spend:
        """Why units failed, and by which threshold labels were given."""
        local = self._local
        by = f"as it was learnt for {local.known.name}"
        if local.labels:
            by = (
                f"by {local.labels} labels of people, which it fits better than it fits others: "
                "its accuracy on them flatters"
            )
        note = f"supported from a probability of yes of {local.threshold:.2f} on, {by}"
        return Spend(failures=self._failures, notes=(note,))

    def close(self) -> None:
        """Lets go of the weights."""
        if self._model is not None:
            self._model.close()

    def _share(self, reads: Sequence[_Excerpt]) -> float | None:
        """Returns the largest probability of yes that a text gives its claim; None where the model
        could not read one."""
        if self._model is None:
            known = self._local.known
            self._model = FirstToken(self._local.option, known.path, known.template, usable_cores())
        shares = []
        for read in reads:
            share = self._model.share_of_yes(read.text, read.claim)
            if share is None:
                return None
            shares.append(share)
        return max(shares)

    def _verdict(self, unit: Unit, share: float | None) -> Verdict:
        """Returns the verdict that a probability of yes is."""
        if share is None:
            self._failures[_UNREAD] += 1
            return Verdict(unit=unit.id, judge=self._identity.id, status="failed", reason=_UNREAD)
        meaning = NOT_SUPPORTED
        if share >= self._local.threshold:
            meaning = SUPPORTED
        reason = reason_of(share, self._local.threshold)
        return verdict_by(self._identity, unit, self._meanings[meaning], reason, self._values)


def _reads(unit: str, shown: Mapping[str, object]) -> Iterator[_Excerpt]:
    """Yields what is read for a unit: once, or for each reference of an answer."""
    ends = [str(shown[name]) for name in ("head", "tail") if shown.get(name)]
    for pair in pairs_of_unit(unit, shown):
        if len(ends) == 2:
            text = excerpt(pair.passage, ends, _ROOM)
        else:
            text = likeliest(pair.passage, pair.claim, _ROOM_OF_CLAIMS)
        yield _Excerpt(text, pair.claim)
