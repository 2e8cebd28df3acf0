"""The rules of the eight policies.

Permitted and prohibited actions, purposes and obligations are those published; where no IRI is
published for one, the name in the replica's own namespace is ours.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal


@dataclass(frozen=True, slots=True, kw_only=True)
class Constraint:
    """A condition of a rule. Operands and operator are CURIEs; a right one may be a duration."""

    left: str
    operator: str
    right: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """A permission, a prohibition, or an obligation of a policy; the action is a CURIE."""

    kind: Literal["permission", "prohibition", "obligation"]
    action: str
    constraints: tuple[Constraint, ...] = ()


def _when(left: str, operator: str, *right: str) -> Constraint:
    return Constraint(left=left, operator=f"odrl:{operator}", right=right)


def _for(*purposes: str) -> Constraint:
    return _when("odrl:purpose", "eq" if len(purposes) == 1 else "isAnyOf", *purposes)


def _may(action: str, *constraints: Constraint) -> Rule:
    return Rule(kind="permission", action=action, constraints=constraints)


def _may_not(action: str, *constraints: Constraint) -> Rule:
    return Rule(kind="prohibition", action=action, constraints=constraints)


def _must(action: str, *constraints: Constraint) -> Rule:
    return Rule(kind="obligation", action=action, constraints=constraints)


_RESEARCH = "dpv:ResearchAndDevelopment"
_CARE = "ehds:ClinicalCare"
_NO_COMMERCE = _may_not("odrl:use", _for("dpv:CommercialPurpose"))
_NO_REIDENTIFICATION = _may_not("ehds:re-identify")
_CREDIT = _must("odrl:attribute")
_TWO_YEARS = "P2Y"
_APPROVED = _when("ehds:ethicsApproval", "eq", "ehds:granted")
_NOT_APPROVED = _when("ehds:ethicsApproval", "neq", "ehds:granted")

RULES: Mapping[str, tuple[Rule, ...]] = MappingProxyType(
    {
        "P1": (
            _may("odrl:reproduce", _for(_RESEARCH)),
            _may("odrl:distribute", _for(_RESEARCH)),
            _NO_COMMERCE,
            _NO_REIDENTIFICATION,
            _CREDIT,
        ),
        "P2": (
            _may("odrl:reproduce", _for(_RESEARCH, _CARE)),
            _may("odrl:distribute", _for(_RESEARCH, _CARE)),
            _NO_COMMERCE,
            _NO_REIDENTIFICATION,
            _CREDIT,
            _must("ehds:minimiseData"),
        ),
        "P3": (
            _may("odrl:reproduce", _for(_RESEARCH), _APPROVED),
            _NO_COMMERCE,
            _NO_REIDENTIFICATION,
            _may_not("odrl:distribute", _NOT_APPROVED),
            _CREDIT,
            _must("odrl:inform"),
        ),
        "P4": (
            _may("odrl:reproduce", _for("dpv:AcademicResearch")),
            _NO_COMMERCE,
            _may_not("odrl:use", _for("ehds:GovernmentalPurpose")),
            _NO_REIDENTIFICATION,
            _CREDIT,
            _must("ehds:publishOpenAccess"),
        ),
        "P5": (
            _may("odrl:reproduce", _for("dpv:NonCommercialPurpose")),
            _may("odrl:distribute", _for("dpv:NonCommercialPurpose")),
            _may("odrl:derive", _for("dpv:NonCommercialPurpose")),
            _NO_COMMERCE,
            _CREDIT,
        ),
        "P6": (
            _may(
                "odrl:reproduce",
                _for("ehds:CancerResearch"),
                _when("ehds:irbApproval", "eq", "ehds:documented"),
            ),
            _NO_COMMERCE,
            _may_not("odrl:use", _for("ehds:NonCancerPurpose")),
            _NO_REIDENTIFICATION,
            _CREDIT,
            _must("odrl:delete"),
        ),
        "P7": (
            _may("odrl:reproduce", _for(_RESEARCH), _when("odrl:elapsedTime", "lteq", _TWO_YEARS)),
            _may("odrl:distribute", _for(_RESEARCH), _when("odrl:elapsedTime", "lteq", _TWO_YEARS)),
            _NO_COMMERCE,
            _may_not("ehds:retain", _when("odrl:elapsedTime", "gt", _TWO_YEARS)),
            _NO_REIDENTIFICATION,
            _CREDIT,
            _must("odrl:delete", _when("odrl:elapsedTime", "eq", _TWO_YEARS)),
        ),
        "P8": (
            _may(
                "odrl:reproduce",
                _for(_RESEARCH),
                _when("ehds:anonymisation", "eq", "ehds:verified"),
            ),
            _NO_COMMERCE,
            _may_not("odrl:use", _for("dpv:LawEnforcement")),
            _may_not("odrl:use", _when("odrl:recipient", "eq", "dpv:InsuranceCompany")),
            _NO_REIDENTIFICATION,
            _CREDIT,
            _must("ehds:ethicsBoardApproval"),
            _must("ehds:enhancedAnonymisation"),
        ),
    }
)
