"""FActScore*: is a claim supported by its passage?"""

from __future__ import annotations

from dataclasses import replace

from factmark.replies.rubric import Rubric

_VALUES = {"SUPPORTED": 1.0, "CONTRADICTED": 0.0, "NOT_SUPPORTED": 0.0}

SUPPORT_CONTEXT = Rubric(
    name="support-context",
    version=1,
    values=_VALUES,
    criterion=(
        "Decide whether the passage supports the claim. Go by the passage alone; what you know "
        "besides does not count.\n"
        "SUPPORTED: the passage clearly states the claim or implies it.\n"
        "CONTRADICTED: the passage states or implies that the claim is false.\n"
        "NOT_SUPPORTED: neither; the passage is silent, or only mentions the things without the "
        "relation that the claim makes between them."
    ),
)

SUPPORT_GENERAL = Rubric(
    name="support-general",
    version=1,
    values=_VALUES,
    criterion=(
        "Decide whether the claim holds, by the passage and what is generally accepted as true.\n"
        "SUPPORTED: the passage clearly states or implies the claim, or the claim is generally "
        "accepted as true and nothing in the passage speaks against it.\n"
        "CONTRADICTED: the passage states or implies that the claim is false.\n"
        "NOT_SUPPORTED: neither; the passage is silent and the claim is not generally accepted."
    ),
)

SUPPORT_ALIGNED = Rubric(
    name="support-aligned",
    version=1,
    values={"SUPPORTED": 1.0, "NOT_SUPPORTED": 0.0},
    answers={"YES": "SUPPORTED", "NO": "NOT_SUPPORTED"},
    criterion=(
        "Decide whether the claim passes two tests. First, the passage clearly states or implies "
        "it. Second, it makes logical sense: its relation fits the kinds of things that it joins, "
        "in this direction.\n"
        "YES: it passes both.\n"
        "NO: it fails at least one."
    ),
)

SUPPORT_ALIGNED_GENERAL = replace(
    SUPPORT_ALIGNED,
    name="support-aligned-general",
    criterion=SUPPORT_ALIGNED.criterion.replace(
        "the passage clearly states or implies it", "it is generally accepted as true"
    ),
)
