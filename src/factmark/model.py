"""The nouns that all protocols share (DESIGN, "Nouns").

Records are frozen and keyword-only. What differs between protocols is data: the kind of a unit,
the labels of a rubric.
"""

from __future__ import annotations

import hashlib
import html
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from factmark.version import __version__

Status = Literal["ok", "undecided", "unparsed", "refused", "failed"]
JudgeKind = Literal["rule", "model", "person", "foreign"]
ToolStatus = Literal["ok", "error", "unknown", "invalid", "timeout", "lost"]

_HASHED = 10_000  # things of a list whose JSON is made at once
_canonical_json = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode


def content_hash(*parts: object) -> str:
    """Returns the first 32 hex digits of the SHA-256 of the parts' canonical JSON."""
    return hash_of_json(_canonical_json(parts).encode("utf-8", "surrogatepass"))


def hash_of_list(things: Sequence[object]) -> str:
    """Returns what `content_hash` does of a list, whose JSON is never held whole."""
    digest = hashlib.sha256(b"[[")
    for start in range(0, len(things), _HASHED):
        piece = _canonical_json(things[start : start + _HASHED])[1:-1]
        if start:
            piece = f",{piece}"
        digest.update(piece.encode("utf-8", "surrogatepass"))
    digest.update(b"]]")
    return digest.hexdigest()[:32]


def hash_of_json(*pieces: bytes) -> str:
    """Returns what `content_hash` does of the parts whose canonical JSON, as a list, has these
    pieces."""
    digest = hashlib.sha256()
    for piece in pieces:
        digest.update(piece)
    return digest.hexdigest()[:32]


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """What was sampled. Items with the same `cluster` are resampled together.

    Attributes:
        id: unique within a study.
        cluster: the id of the sampled thing: a question, a document, a head entity.
        strata: what results are broken down by (category, condition, model, ...).
        data: the item's own content as JSON values (an answer's text, its latency, ...).
    """

    id: str
    cluster: str
    strata: Mapping[str, str] = field(default_factory=dict)
    data: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    """What gets one verdict: a fact, an element of the ground truth, a triple with its passage.

    Attributes:
        id: the hash of the content, see `content_hash`.
        item: the id of the item that it belongs to.
        kind: what sort of unit it is; a rubric names the kinds that it judges.
        text: what is judged, as people read it.
        data: where it stands and what it is judged against, as JSON values.
    """

    id: str
    item: str
    kind: str
    text: str
    data: Mapping[str, object] = field(default_factory=dict)


@dataclass(slots=True)  # frozen and by keywords, it takes four times as long
class UserRow:
    """A row of a user's own file and the unit that it is about; several rows may be about one.

    Attributes:
        source: the file's name, with that of its folder.
        place: where it stands there: `line 12`.
        id: the user's own name of it; its place where the file names none.
        unit: the id of the unit.
        passage_id: the user's name of the passage; empty where there is none.
        data: the file's other columns, as JSON values.
    """

    source: str
    place: str
    id: str
    unit: str
    passage_id: str = ""
    data: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Judge:
    """Who gave a verdict: a rule, a model with its parameters, or an annotator.

    Attributes:
        id: the hash of all that could change its verdicts.
        kind: `rule`, `model`, `person`, or `foreign`: verdicts that another program gave, imported.
        name: as people read it.
        parameters: all that could change its verdicts, as JSON values.
    """

    id: str
    kind: JudgeKind
    name: str
    parameters: Mapping[str, object] = field(default_factory=dict)

    @classmethod
    def create(cls, kind: JudgeKind, name: str, **parameters: object) -> Judge:
        """A judge whose id follows from the other fields."""
        return cls(
            id=content_hash(kind, name, parameters), kind=kind, name=name, parameters=parameters
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What a judge said of a unit. Append-only; the newest per unit and judge counts.

    Attributes:
        status: `ok`, or why there is no label: `undecided` by a rule that knows too little,
            `unparsed`, `refused`, `failed`.
        label: one of the rubric's labels, or None when the status is not `ok`.
        value: the label's value in the rubric, or None.
        reason: what the judge gave as its reason.
        call: the key of the call to a model that it was read from, or None.
    """

    unit: str
    judge: str
    status: Status = "ok"
    label: str | None = None
    value: float | None = None
    reason: str = ""
    call: str | None = None


class Scale(NamedTuple):
    """The least and the greatest value that a measure can have."""

    low: float
    high: float

    @property
    def span(self) -> float:
        """How far apart the two can lie."""
        return self.high - self.low

    @property
    def of_differences(self) -> Scale:
        """The values that the difference of two can have."""
        return Scale(-self.span, self.span)

    def share(self, value: float) -> float:
        """Returns where a value lies between the least and the greatest, from 0 to 1."""
        return (value - self.low) / self.span

    def value(self, share: float) -> float:
        """Returns the value that lies there between the least and the greatest."""
        return self.low + self.span * share


SHARE = Scale(0.0, 1.0)
AMOUNT = Scale(0.0, math.inf)
"""Of counts, seconds and money, which have no greatest value."""

Target = Literal["units", "process"]
"""What an estimate speaks for: just these units (a graph, a whole collection), or the process that
made them (a model, a writer), of which these units are a sample."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """What is measured of a thing.

    Attributes:
        key: its name in files.
        symbol: its name where there is little room.
        name: its name in words.
        scale: the values that it can have.
        better: which direction is good.
        meaning: for newcomers, a sentence; empty where the name says it.
    """

    key: str
    symbol: str
    name: str
    scale: Scale = SHARE
    better: Literal["higher", "lower"] = "higher"
    meaning: str = ""

    @property
    def lower_is_better(self) -> bool:
        """Whether the lower of two values is the better one."""
        return self.better == "lower"

    def is_called(self, name: str) -> bool:
        """Whether `name` is the measure's key or symbol, in any case."""
        return name.casefold() in (self.key.casefold(), self.symbol.casefold())


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Estimate:
    """A number with what one must know to believe it.

    Attributes:
        value: the point estimate, or None when nothing was observed.
        low, high: the interval's bounds, or None when nothing was observed.
        level: the nominal coverage, 0.95 by default.
        method: how the interval was made.
        n_items: clusters that the estimate rests on.
        n_units: units that the estimate rests on.
        n_missing: units that should have been there and are not.
        worst, best: the value if all that is missing were as bad, as good, as can be.
        n_labels: units that people labelled, where their labels correct a judge's verdicts; the
            verdicts are then the `n_units`.
        design_effect: how many times the variance is that of as many independent units; None
            where it is not known. With `n_labels`, of the labels.
        seed: of the resampling, None where nothing was drawn.
        data: the hash of the tallies that went in.
        rubric: name and version of what the judges were asked; empty where none was.
        scale: the values that it can have; the interval lies within.
        target: what it speaks for.
    """

    value: float | None
    low: float | None
    high: float | None
    level: float
    method: str
    n_items: int
    n_units: int
    n_missing: int = 0
    worst: float | None = None
    best: float | None = None
    n_labels: int | None = None
    design_effect: float | None = None
    seed: int | None = None
    data: str = ""
    rubric: str = ""
    scale: Scale = SHARE
    target: Target = "process"

    def __float__(self) -> float:
        """The value; not a number where nothing was observed."""
        if self.value is None:
            return math.nan
        return self.value

    def __round__(self, digits: int = 0) -> float:
        """The value, rounded."""
        return round(float(self), digits)

    def __format__(self, spec: str) -> str:
        """The value as a number is formatted; without a format as `str` has it."""
        if spec:
            return format(float(self), spec)
        return str(self)

    def __str__(self) -> str:
        """The value with its interval, as `0.693 [0.573–0.791]`; `–` where nothing was observed."""
        if self.value is None:
            return "–"
        if self.low is None or self.high is None:
            return f"{self.value:z.3f}"
        return f"{self.value:z.3f} [{self.low:z.3f}–{self.high:z.3f}]"

    __repr__ = __str__

    def _repr_html_(self) -> str:
        """What a notebook shows: the value, its interval, and how they came about."""
        return f'<span title="{html.escape(self.signature)}">{html.escape(str(self))}</span>'

    @property
    def n_effective(self) -> float | None:
        """How many independent units, or labels, tell as much (Kish 1965, 8.2)."""
        if self.n_labels is None:
            units = self.n_units
        else:
            units = self.n_labels
        if self.design_effect:
            return units / self.design_effect
        return None

    @property
    def signature(self) -> str:
        """How the number was made, as one line: two equal ones name the same computation."""
        parts = {
            "method": self.method,
            "level": f"{self.level:g}",
            "clusters": self.n_items,
            "units": self.n_units,
            "labels": self.n_labels,
            "seed": self.seed,
            "data": self.data,
            "rubric": self.rubric,
            "factmark": __version__,
        }
        return "|".join(f"{name}:{part}" for name, part in parts.items() if part not in (None, ""))


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunk:
    """A passage that a model was given.

    Attributes:
        id: unique within its index.
        title: what it is about, as people read it.
        score: how well it fits the question; comparable within one question only.
    """

    id: str
    title: str
    text: str
    score: float = 0.0
