"""Pull against a real Label Studio server: answers, changes, and all that must not count."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from campaigns import people, rating_campaign, revised
from factmark.campaign_model import Annotator, Campaign, Rating
from factmark.cli.annotate import protocol_of
from factmark.errors import InputError
from factmark.ledger.campaigns import projects_of
from factmark.ledger.ledger import Ledger
from factmark.ledger.ratings import refused_of
from factmark.people.labelstudio.client import LabelStudio
from factmark.people.labelstudio.pull import AnnotatorPull, PullResult, pull
from factmark.people.labelstudio.push import push
from servers.label_studio import Person, RealServer, choice, studio

pytestmark = pytest.mark.label_studio


def rated(label: str, *comments: str) -> list[dict[str, Any]]:
    """The regions of a rating, as the editor sends them."""
    out = [choice("label", label, of="text")]
    out += [
        {
            "from_name": "comment",
            "to_name": "text",
            "type": "textarea",
            "value": {"text": [comment]},
        }
        for comment in comments
    ]
    return out


@dataclass(slots=True)
class Case:
    """A campaign on the server, and its tasks there."""

    ledger: Ledger
    campaign: Campaign
    client: LabelStudio
    tasks: dict[str, list[int]]

    async def pull(self, **who: str) -> PullResult:
        return await pull(self.ledger, self.campaign, self.client, protocol_of, who)

    def ratings(self) -> list[Rating]:
        """Of A1, in the order of the tasks."""
        rows = revised(self.ledger, self.campaign)
        return [revision for task, revision in rows if task.annotator == "A1"]

    def labels(self) -> str:
        return "".join(rating.response.label or "" for rating in self.ratings())

    def project(self, code: str = "A1") -> int:
        return projects_of(self.ledger, self.campaign, self.client.url)[code].project


async def case(
    ledger: Ledger,
    client: LabelStudio,
    *annotators: Annotator,
    documents: int = 2,
    name: str = "pilot",
) -> Case:
    campaign = rating_campaign(
        ledger, annotators=annotators or people("Ada", "Ben"), documents=documents, name=name
    )
    done = await push(ledger, campaign, client)
    tasks = {
        one.code: [task.id for task in await client.tasks(one.project)] for one in done.annotators
    }
    return Case(ledger, campaign, client, tasks)


def part(pulled: PullResult, code: str = "A1") -> AnnotatorPull:
    return next(one for one in pulled.annotators if one.code == code)


def reasons(pulled: PullResult, code: str = "A1") -> list[str]:
    return [one.reason for one in part(pulled, code).refused]


@pytest.fixture
async def client(label_studio: RealServer) -> Any:
    async with studio(label_studio) as opened:
        yield opened


async def test_answers_and_changes_become_revisions(
    ledger: Ledger, client: LabelStudio, ada: Person, ben: Person
) -> None:
    with pytest.raises(InputError, match="has no project of the campaign 'other'"):
        await pull(ledger, rating_campaign(ledger, name="other"), client, protocol_of)
    one = await case(ledger, client)
    made = [ada.annotate(task, rated(str(n), "why")) for n, task in enumerate(one.tasks["A1"])]
    ben.annotate(one.tasks["A2"][0], rated("3"))
    pulled = await one.pull()
    assert (part(pulled).answered, part(pulled).new, part(pulled).refused) == (6, 6, ())
    assert (part(pulled, "A2").answered, part(pulled, "A2").user) == (1, "ben@example.org")
    assert not pulled.done
    found = one.ratings()
    assert one.labels() == "012345"
    assert {rating.response.comment for rating in found} == {"why"}
    assert all(rating.first and rating.seconds == 60.0 for rating in found)
    again = await one.pull()
    assert (again.new, again.refused_new) == (0, 0)
    ada.change(made[0], result=rated("5"), lead_time=90.0)  # 0 -> 5
    assert (await one.pull()).new == 1
    ada.change(made[0], result=rated("0"), lead_time=95.0)  # and back
    ada.change(made[1], result=rated("1", "why"))  # pressed Update, changed nothing
    assert (await one.pull()).new == 1
    values = [(r.response.label, r.first, r.seconds) for r in one.ratings()[:3]]
    assert values == [("0", True, 60.0), ("5", False, 90.0), ("0", False, 95.0)]
    ada.annotate(one.tasks["A1"][3], rated("4"))  # a second one, beside what was taken
    ada.done("DELETE", f"/api/annotations/{made[2]}/")
    gone = part(await one.pull())
    assert len(gone.gone) == 1
    assert (gone.answered, gone.new) == (6, 1)
    assert len(one.ratings()) == 9


async def test_answers_of_others_do_not_count(
    ledger: Ledger, client: LabelStudio, label_studio: RealServer, ada: Person, ben: Person
) -> None:
    one = await case(ledger, client)
    task = (await client.tasks(one.project()))[0]
    forged = {"result": rated("0"), "completed_by": ada.id}
    import_path = f"/api/projects/{one.project()}/import"
    ben.done("POST", import_path, [{"data": dict(task.data), "annotations": [forged]}])
    pulled = await one.pull()
    assert (pulled.new, part(pulled).user) == (0, "")  # nor does it tell who Ada is
    mine = ada.annotate(one.tasks["A1"][0], rated("3"))
    ben.annotate(one.tasks["A2"][0], rated("4"))
    await one.pull()  # now both are known
    ben.annotate(one.tasks["A1"][1], rated("0"))
    ben.annotate(one.tasks["A1"][2], rated("0"), completed_by=ada.id)
    ben.change(mine, result=rated("0"))
    label_studio.owner().annotate(one.tasks["A1"][3], rated("1"))
    pulled = await one.pull()
    assert pulled.new == 0
    assert sorted(reasons(pulled)) == [
        "it is not by the annotator",
        "it is not by the annotator",
        "it was last changed by somebody else than its writer",
        "it was last changed by somebody else than its writer",
        "the server does not tell who wrote it: it was imported",
    ]
    assert one.labels() == "3"


async def test_project_that_cannot_be_read_keeps_no_other_from_being_pulled(
    ledger: Ledger, client: LabelStudio, ada: Person, ben: Person
) -> None:
    one = await case(ledger, client)
    ada.annotate(one.tasks["A1"][0], rated("3"))
    await one.pull(Ada=ada.email, Ben=ben.email)
    ben.annotate(one.tasks["A2"][0], rated("4"))
    status, _ = ben.call("PATCH", f"/api/tasks/{one.tasks['A1'][1]}/", {"data": "x"})
    assert status == 500  # and yet it has been written
    pulled = await one.pull()
    assert "fails on the tasks of project" in part(pulled).problem
    assert (part(pulled).answered, part(pulled).gone, part(pulled).missing) == (1, (), 0)
    assert part(pulled, "A2").new == 1
    cy = await case(ledger, client, *people("Cy", "Di"), name="other")
    ada.annotate(cy.tasks["A1"][0], rated("2"))
    ben.call("PATCH", f"/api/tasks/{cy.tasks['A2'][1]}/", {"data": "x"})
    pulled = await cy.pull()
    assert (pulled.new, part(pulled).user) == (0, "")
    assert "nobody is guessed" in part(pulled).problem


async def test_several_unknown_people_wait_for_a_word(
    ledger: Ledger, client: LabelStudio, ada: Person, ben: Person
) -> None:
    one = await case(ledger, client, *people("Ada"))
    ada.annotate(one.tasks["A1"][0], rated("3"))
    ben.annotate(one.tasks["A1"][1], rated("4"))
    pulled = await one.pull()
    assert pulled.new == 0
    assert "say it by --who" in part(pulled).problem
    assert (reasons(pulled), refused_of(ledger, one.campaign)) == ([], [])
    with pytest.raises(InputError, match="nobody has signed up"):
        await one.pull(Ada="nobody@example.org")
    with pytest.raises(InputError, match="no annotator of"):
        await one.pull(Zoe=ada.email)
    pulled = await one.pull(Ada=ada.email.upper())
    assert (pulled.new, part(pulled).user) == (1, ada.email)
    assert one.labels() == "3"
    assert part(await one.pull()).user == ada.email  # once said, it holds
    assert (await one.pull(A1=ben.email)).new == 1  # and changes by word only
    assert one.labels() == "34"
