"""What Prolific and Mechanical Turk add to a link: ids of a person, a study, a session. Pure.

Sources: Prolific's API reference ("the study object": `external_study_url` and its placeholders,
completion codes), Mechanical Turk's API reference ("ExternalQuestion": the parameters that are
appended to the URL, preview, `externalSubmit`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Platform:
    """What a platform's links look like.

    Attributes:
        key, title: as options and as people name it.
        person, study, session: names of the parameters with these ids.
        ids: what an id looks like.
        query: what the owner puts behind the link, where the platform does not add it by itself.
        frames: sites that may show the way in within their own page.
        preview: the session's id while somebody only looks.
    """

    key: str
    title: str
    person: str
    study: str
    session: str
    ids: re.Pattern[str]
    query: str = ""
    frames: tuple[str, ...] = ()
    preview: str = ""


PLATFORMS = {
    "prolific": Platform(
        key="prolific",
        title="Prolific",
        person="PROLIFIC_PID",
        study="STUDY_ID",
        session="SESSION_ID",
        ids=re.compile(r"[0-9a-fA-F]{24}"),
        query="?PROLIFIC_PID={{%PROLIFIC_PID%}}&STUDY_ID={{%STUDY_ID%}}&SESSION_ID={{%SESSION_ID%}}",
    ),
    "mturk": Platform(
        key="mturk",
        title="Mechanical Turk",
        person="workerId",
        study="hitId",
        session="assignmentId",
        ids=re.compile(r"[0-9A-Z]{5,64}"),
        frames=("https://worker.mturk.com", "https://workersandbox.mturk.com"),
        preview="ASSIGNMENT_ID_NOT_AVAILABLE",
    ),
}
_SUBMIT = ("https://www.mturk.com", "https://workersandbox.mturk.com")
"""Where Mechanical Turk takes what a worker submits, as it names it in `turkSubmitTo`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CrowdVisit:
    """Who comes by a link, by the ids of the platform.

    Attributes:
        submit: where the platform takes what the person submits; empty where it is not told.
    """

    person: str
    study: str
    session: str
    submit: str = ""


def read_visit(platform: Platform, query: Sequence[tuple[str, str]]) -> CrowdVisit | None:
    """Returns who comes by a link with these parameters; None of who only looks at the study.

    Raises:
        ValueError: an id is missing, stands twice or is none, with what to do.
    """
    given: dict[str, str] = {}
    for name, value in query:
        if name in given:
            raise ValueError(f"The link has {name} twice. Open the study from {platform.title}.")
        given[name] = value
    if platform.preview and given.get(platform.session) == platform.preview:
        return None
    for name in (platform.person, platform.study, platform.session):
        if not platform.ids.fullmatch(given.get(name, "")):
            raise ValueError(
                f"The link has no {name} of {platform.title}. Open the study from {platform.title}."
            )
    return CrowdVisit(
        person=given[platform.person],
        study=given[platform.study],
        session=given[platform.session],
        submit=_submit_address(given),
    )


def _submit_address(given: Mapping[str, str]) -> str:
    """Returns where a worker's form goes; empty where the link names no site of the platform's."""
    site = given.get("turkSubmitTo", "").rstrip("/")
    if site in _SUBMIT:
        return f"{site}/mturk/externalSubmit"
    return ""
