"""What the replica holds, as records: the cohorts, policies and codes of `data/ehds/replica.toml`.

That file says which figures are published about the EHDS portal and which are invented.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any, Literal

Kind = Literal["permission", "prohibition", "obligation"]
KINDS: tuple[Kind, ...] = ("permission", "prohibition", "obligation")


@dataclass(frozen=True, slots=True, kw_only=True)
class Constraint:
    """A condition of a rule: CURIEs, of which a right operand may be a duration.

    As a store tells them (`factmark.ehds.catalogue`), they are local names and literals.
    """

    left: str
    operator: str
    right: tuple[str, ...]

    @property
    def text(self) -> str:
        """The constraint in words."""
        return f"{self.left or 'value'} {self.operator or 'eq'} {' or '.join(self.right)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyRule:
    """A permission, a prohibition, or an obligation of a policy; the action is named as above."""

    kind: Kind
    action: str
    constraints: tuple[Constraint, ...] = ()

    @property
    def text(self) -> str:
        """The rule in words."""
        when = " and ".join(constraint.text for constraint in self.constraints)
        if when:
            return f"{self.action} when {when}"
        return self.action


@dataclass(frozen=True, slots=True, kw_only=True)
class UsagePolicy:
    """One of the eight usage policies of the catalogue.

    Attributes:
        id: for example `P1`.
        name: local name of its IRI.
        start, end: the temporal coverage of the datasets under it, as ISO dates.
    """

    id: str
    name: str
    start: str
    end: str
    rules: tuple[PolicyRule, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Cohort:
    """One dataset with its clinical graph.

    Attributes:
        id: local name of its graph; `dataset-{id}` is that of its dataset.
        subject: the part of the title between "Synthetic" and "Cohort".
        snomed: the SNOMED CT code of its health category.
        policy: the id of its policy.
        patients: distinct patients in its graph.
        conditions, encounters: resources in its graph at full size.
        condition: the display that its own condition carries in the clinical graph.
    """

    id: str
    subject: str
    snomed: str
    policy: str
    patients: int
    conditions: int
    encounters: int
    condition: str
    description: str
    keywords: tuple[str, ...]

    @property
    def title(self) -> str:
        """The dataset's title as published."""
        return f"Synthetic {self.subject} Cohort"


@dataclass(frozen=True, slots=True, kw_only=True)
class Code:
    """A code of a code system, given as the namespace's prefix."""

    system: str
    code: str
    display: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ObservationType:
    """What is observed.

    Attributes:
        low, high: the range of invented values; unused where `answers` are given.
        unit: UCUM.
        weight: how often it occurs, relative to the others.
        answers: coded values, for a question.
        components: the parts of a panel, which then has no value of its own.
    """

    code: Code
    low: float = 0.0
    high: float = 0.0
    unit: str = ""
    weight: float = 1.0
    answers: tuple[Code, ...] = ()
    components: tuple[ObservationType, ...] = ()


def _read_rule(row: Mapping[str, Any]) -> PolicyRule:
    """Returns the rule that a row of the file states."""
    kind = next(kind for kind in KINDS if kind in row)
    constraints = tuple(
        Constraint(left=left, operator=operator, right=tuple(right))
        for left, operator, *right in row.get("when", ())
    )
    return PolicyRule(kind=kind, action=row[kind], constraints=constraints)


def _read_cohort(row: Sequence[Any]) -> Cohort:
    """Returns the cohort of a row, with its texts and keywords."""
    columns = ("id", "subject", "snomed", "policy", "patients", "conditions", "encounters")
    texts = dict(_DATA["texts"][row[0]])
    keywords = ("synthetic", texts.pop("field"))
    return Cohort(**dict(zip(columns, row, strict=True)), **texts, keywords=keywords)


def _read_codes(system: str, rows: Sequence[Sequence[str]]) -> tuple[Code, ...]:
    """Returns the codes in rows of code and display."""
    return tuple(Code(system=system, code=code, display=display) for code, display in rows)


def _read_quantities(rows: Sequence[Sequence[Any]]) -> tuple[ObservationType, ...]:
    """Returns the measured kinds of observation in rows of code, display, bounds, unit
    and weight.
    """
    return tuple(
        ObservationType(
            code=Code(system="loinc", code=code, display=display),
            low=low,
            high=high,
            unit=unit,
            weight=weight[0] if weight else 1.0,
        )
        for code, display, low, high, unit, *weight in rows
    )


def _read_observation(row: Mapping[str, Any]) -> ObservationType:
    """Returns a kind of observation that has answers or parts."""
    return ObservationType(
        code=Code(system="loinc", code=row["code"], display=row["display"]),
        weight=row.get("weight", 1.0),
        answers=_read_codes("snomed", row.get("answers", ())),
        components=_read_quantities(row.get("components", ())),
    )


_DATA: Mapping[str, Any] = tomllib.loads(
    files("factmark.data").joinpath("ehds", "replica.toml").read_text("utf-8")
)

POLICIES = tuple(
    UsagePolicy(id=id, **{**row, "rules": tuple(map(_read_rule, row["rules"]))})
    for id, row in _DATA["policies"].items()
)
COHORTS = tuple(map(_read_cohort, _DATA["cohorts"]))
DATA_STANDARD: str = _DATA["data_standard"]
LICENCE: str = _DATA["licence"]
NO_AI_TRAINING: str = _DATA["no_ai_training"]

DISTINCT_PATIENTS: int = _DATA["distinct_patients"]
OBSERVATIONS: int = _DATA["observations"]
MEDICATION_REQUESTS: int = _DATA["medication_requests"]
CODED_REQUESTS: float = _DATA["coded_requests"]
CONSENT_FLAGS: int = _DATA["consent_flags"]
CONSENT_FLAGS_IN: Mapping[str, int] = _DATA["patients"]["consent_flags_in"]
FEMALES_IN: Mapping[str, int] = _DATA["patients"]["females_in"]
EARLIEST_BIRTH_YEAR_IN: Mapping[str, int] = _DATA["patients"]["earliest_birth_year_in"]
ONLY_RACE_IN: Mapping[str, str] = _DATA["patients"]["only_race_in"]
TOP_MEDICATIONS: Mapping[str, Mapping[str, int]] = _DATA["top_medications"]

STROKE_OBSERVATIONS = (
    _read_observation(_DATA["blood_pressure"]),
    _read_observation(_DATA["smoking"]),
    *_read_quantities(_DATA["quantities"]["stroke"]),
)
OTHER_OBSERVATIONS = _read_quantities(_DATA["quantities"]["other"])
COMMON_CONDITIONS = _read_codes("snomed", _DATA["codes"]["conditions"])
ENCOUNTER_REASONS = _read_codes("snomed", _DATA["codes"]["encounter_reasons"])
MEDICATIONS = _read_codes("rxnorm", _DATA["codes"]["medications"])
