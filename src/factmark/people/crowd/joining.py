"""People of a crowd in a campaign: who comes joins or goes on, under a pseudonym.

The platform's ids are personal data, and no ledger has them: what it has is their HMAC under the
campaign's secret. So the same id comes back to the same list, another campaign does not know it,
and the owner, who has the ids from the platform, can still name a person by one (`names_of_ids`).
"""

from __future__ import annotations

from collections.abc import Iterable

from factmark.campaign_model import Annotator, Campaign
from factmark.ledger.campaigns import campaign_named, keyed_hash, links_of, secret_of
from factmark.ledger.ledger import Ledger
from factmark.ledger.people.arrivals import Arrival, keep_arrival
from factmark.ledger.people.links import keep_link
from factmark.ledger.people.lists import add_people, change_lists
from factmark.ledger.people.queue import queue_of
from factmark.ledger.ratings import revisions_of
from factmark.people.changes.practice_lists import practice_for
from factmark.people.changes.queue import documents_waiting
from factmark.people.crowd.options import Crowd, code_in, crowd_of
from factmark.people.crowd.platforms import CrowdVisit


def pseudonym(ledger: Ledger, campaign: Campaign, kind: str, id: str) -> str:
    """Returns what stands for an id of the platform's: its kind and 12 hex digits."""
    return f"{kind}-{keyed_hash(secret_of(ledger, campaign), 'crowd', kind, id)[:12]}"


def names_of_ids(ledger: Ledger, campaigns: Iterable[Campaign], names: Iterable[str]) -> list[str]:
    """Returns names of people, each id of a platform's as the pseudonym of who came with it."""
    known = []
    for name in names:
        aliases = set()
        for campaign in campaigns:
            crowd = crowd_of(campaign)
            if crowd is None:
                continue
            alias = pseudonym(ledger, campaign, crowd.platform, name)
            if any(person.name == alias for person in campaign.annotators):
                aliases.add(alias)
        known += sorted(aliases) or [name]
    return known


def person_of(
    ledger: Ledger, campaign: Campaign, crowd: Crowd, visit: CrowdVisit
) -> Annotator | None:
    """Returns who came with this id before; None of somebody new."""
    name = pseudonym(ledger, campaign, crowd.platform, visit.person)
    return next((person for person in campaign.annotators if person.name == name), None)


def has_room(ledger: Ledger, campaign: Campaign) -> bool:
    """Whether somebody new would be dealt anything."""
    return not campaign.closed and any(row.seats for row in queue_of(ledger, campaign))


def arrive(ledger: Ledger, campaign: Campaign, crowd: Crowd, visit: CrowdVisit) -> Annotator | None:
    """Takes a person in who has agreed to the consent text, and notes that and when; returns them,
    None where nothing is left for somebody new."""
    with ledger.writing():
        campaign = campaign_named(ledger, campaign.name)
        person = person_of(ledger, campaign, crowd, visit)
        if person is None:
            if not has_room(ledger, campaign):
                return None
            name = pseudonym(ledger, campaign, crowd.platform, visit.person)
            (person,) = add_people(ledger, campaign, [Annotator(code="", name=name)])
            change_lists(ledger, campaign, (), practice_for(ledger, campaign, [person]))
        arrival = Arrival(
            annotator=person.code,
            study=pseudonym(ledger, campaign, "study", visit.study),
            session=pseudonym(ledger, campaign, "session", visit.session),
            consent=crowd.version,
        )
        keep_arrival(ledger, campaign, arrival)
        return person


def token_for(ledger: Ledger, campaign: Campaign, person: Annotator, visit: CrowdVisit) -> str:
    """Returns the token that opens a person's page, wherever they come from by their id; who reads
    the ledger cannot make it, since it has no id."""
    count = str(links_of(ledger, campaign)[person.code])
    token = keyed_hash(secret_of(ledger, campaign), "crowd link", visit.person, count)
    keep_link(ledger, campaign, person.code, token)
    return token


def completion_codes(ledger: Ledger, campaign: Campaign) -> dict[str, str]:
    """Returns code of a person of a crowd -> the code that tells their platform that they are done:
    everybody's, or their own; empty of who is screened out where there is none for these."""
    crowd = crowd_of(campaign)
    if crowd is None:
        return {}
    secret = secret_of(ledger, campaign)
    codes = {}
    for person in campaign.annotators:
        if person.withdrawn:
            codes[person.code] = code_in(crowd.screened_completion)
        else:
            own = keyed_hash(secret, "completion", person.code)[:10].upper()
            codes[person.code] = code_in(crowd.completion) or own
    return codes


def left_to_do(ledger: Ledger, campaign: Campaign, person: Annotator, keys: Iterable[str]) -> int:
    """Returns how much of what is dealt to a person is not rated, and how much they can still draw:
    nothing, and they are done.

    Args:
        keys: of the tasks on their list.
    """
    answered = revisions_of(ledger, campaign, person.code).keys()
    waiting = documents_waiting(ledger, campaign, person.code)
    return len(set(keys) - answered) + waiting
