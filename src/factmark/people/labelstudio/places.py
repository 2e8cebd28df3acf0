"""Which projects on a server are a campaign's: known by a line in their descriptions.

Titles need not be unique, and anybody can change them.
"""

from __future__ import annotations

import re

from factmark.campaign_model import Campaign
from factmark.errors import InputError
from factmark.ledger.campaigns import projects_of, servers_of, tasks_of
from factmark.ledger.ledger import Ledger
from factmark.people.labelstudio.client import LabelStudio
from factmark.people.labelstudio.records import Project

_MARK = re.compile(r"factmark:([0-9a-f]{32}):(A\d{1,6})\b")


def description(campaign: Campaign, code: str) -> str:
    """The description of an annotator's project, by which it is found again."""
    return f"Please leave this line as it is: factmark:{campaign.id}:{code}"


async def find_projects(
    ledger: Ledger, campaign: Campaign, client: LabelStudio
) -> dict[str, list[Project]]:
    """Code of an annotator -> the projects that are theirs, the one that the ledger knows first.

    One whose line was taken away is known by its id, if it holds the campaign's tasks: on a server
    that was set up anew the id may be another project's.
    """
    codes = {one.code for one in campaign.annotators}
    kept = {one.project: code for code, one in projects_of(ledger, campaign, client.url).items()}
    keys: set[str] | None = None
    out: dict[str, list[Project]] = {}
    for project in await client.projects():
        found = _MARK.search(project.description or "")
        code = found[2] if found and found[1] == campaign.id else None
        if not found and project.id in kept:
            keys = keys or {task.key for task in tasks_of(ledger, campaign)}
            if any(task.data.get("key") in keys for task in await client.tasks(project.id)):
                code = kept[project.id]
        if code in codes:
            out.setdefault(str(code), []).append(project)
    for projects in out.values():
        projects.sort(key=lambda one: (one.id not in kept, one.id))
    return out


def server_of(ledger: Ledger, campaign: Campaign, url: str | None) -> str:
    """The server that is named, else the one that the campaign was pushed to.

    Raises:
        InputError: it was pushed to none, or to several.
    """
    if url is not None:
        return url
    known = servers_of(ledger, campaign)
    if len(known) == 1:
        return known[0]
    if not known:
        raise InputError(
            f"The campaign {campaign.name!r} is on no Label Studio server yet; name one by --url."
        )
    raise InputError(f"The campaign {campaign.name!r} is on {', '.join(known)}; take one by --url.")
