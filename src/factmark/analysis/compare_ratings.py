"""Systems by what people gave their summaries, compared on the same documents."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import ModuleType

from factmark.errors import InputError
from factmark.ledger.campaigns import campaigns_of
from factmark.ledger.ledger import Ledger
from factmark.model import content_hash
from factmark.people.core.scales import form_of
from factmark.people.ratings.entries import Scoring, annotator_values
from factmark.people.ratings.systems import system_units
from factmark.people.results import all_entries
from factmark.stats.comparison import Options, Units
from factmark.stats.contest import Contest, Score


@dataclass(frozen=True, slots=True, kw_only=True)
class RatedLedger:
    """What people gave systems in the campaigns of a ledger.

    Attributes:
        scores: one of each campaign that asks for labels of several systems.
        systems: system -> key of a score -> its units.
        left: campaigns that are not compared.
    """

    scores: tuple[Score, ...]
    systems: Mapping[str, Mapping[str, Units]]
    things: str
    left: tuple[str, ...] = ()

    @property
    def labels(self) -> Mapping[tuple[str, str], tuple[str, ...]]:
        """What its hash is of: system and score -> its units as text."""
        return {
            (name, key): (content_hash(units),)
            for name, scores in self.systems.items()
            for key, units in scores.items()
        }


def rated_ledger(ledger: Ledger) -> RatedLedger | None:
    """The systems that people rated in a ledger; None where it has no such campaign."""
    scores: list[Score] = []
    units: dict[str, dict[str, Units]] = {}
    left, things = [], "summaries"
    for campaign in campaigns_of(ledger):
        form = form_of(campaign)
        by_system: Mapping[str, Units] = {}
        if form.values:
            entries = all_entries(ledger, campaign, _no_marks)[1]
            scoring = Scoring(form=form, measure=form.measures[0], options=Options())
            by_system = system_units(annotator_values(scoring, entries))
        if len(by_system) < 2:
            left.append(campaign.name)
            continue
        measure, things = form.measures[0], form.things
        taken = any(score.key == measure.key for score in scores)
        key = campaign.name if taken else measure.key
        name = measure.name if measure.top == 1 else f"{measure.name} / {measure.top:g}"
        symbol = campaign.name if taken else measure.symbol
        scores.append(Score(key=key, symbol=symbol, name=name, per=measure.per))
        for system, some in by_system.items():
            units.setdefault(system, {})[key] = some
    if not scores:
        return None
    systems = {
        name: {score.key: units[name].get(score.key, {}) for score in scores}
        for name in sorted(units)
    }
    return RatedLedger(scores=tuple(scores), systems=systems, things=things, left=tuple(left))


def _no_marks(kind: str) -> ModuleType:
    raise InputError(f"Units of the kind {kind} are marked, not rated.")


def ratings_contest(files: Mapping[str, RatedLedger], signature: Mapping[str, object]) -> Contest:
    """The contest of the systems of one ledger.

    InputError: for several ledgers, whose documents are not known to be the same.
    """
    if len(files) > 1:
        raise InputError(
            f"{' and '.join(files)}: ratings are compared within one ledger. `factmark annotate "
            "import FILE... --ledger LEDGER` brings them into one."
        )
    ((name, rated),) = files.items()
    left = f"{name}: not compared, with no ratings of two systems: {', '.join(rated.left)}."
    return Contest(
        measure="ratings",
        item="documents",
        unit=rated.things,
        scores=rated.scores,
        systems=rated.systems,
        stratum="",
        strata={},
        problems=(left,) if rated.left else (),
        signature=signature,
    )
