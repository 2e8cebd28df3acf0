"""How each relation reads in plain language.

`{head}` and `{tail}` stand as they are; `{a_tail}` and `{a_head}` take an article where one fits.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

IS_A = frozenset({"isa", "is_a", "subclass_of", "sub_class_of", "instance_of", "type", "rdf_type"})
"""The names under which graphs say that one thing is another."""

WORDINGS: Mapping[str, str] = MappingProxyType(
    {
        "isa": "{head} is {a_tail}",
        "inverse_isa": "{tail} is {a_head}",
        "cause_of": "{head} causes {tail}",
        "due_to": "{head} is caused by {tail}",
        "interprets": "{head} is an interpretation of {tail}",
        "is_interpreted_by": "{head} is interpreted by {tail}",
        "associated_finding_of": "{head} is the finding that {tail} is about",
        "has_disposition": "{head} acts as {a_tail}",
        "focus_of": "{head} is what {tail} is aimed at",
        "has_focus": "{head} is aimed at {tail}",
        "has_associated_morphology": "{head} shows the structural change {tail}",
        "associated_morphology_of": "{head} is a structural change seen in {tail}",
        "causative_agent_of": "{head} is the agent that causes {tail}",
        "has_causative_agent": "{head} is caused by the agent {tail}",
        "finding_site_of": "{head} is where {tail} is located",
        "has_finding_site": "{head} is located in the {tail}",
        "has_method": "{head} is done by {tail}",
        "possibly_equivalent_to": "{head} may be the same as {tail}",
        "same_as": "{head} is the same as {tail}",
        "has_component": "{head} has {tail} as a component",
        "has_part": "{head} has {tail} as a part",
        "part_of": "{head} is part of {tail}",
        "has_modification": "{tail} is a modified form of {head}",
        "associated_with": "{head} is associated with {tail}",
        "plays_role": "{head} plays the role of {a_tail}",
        "occurs_before": "{head} occurs before {tail}",
        "has_clinical_course": "The clinical course of {head} is {tail}",
        "occurs_in": "{head} occurs in {tail}",
        "has_symptom": "{head} has {tail} as a symptom",
        "treats": "{head} treats {tail}",
        "prevents": "{head} prevents {tail}",
    }
)
