"""Who is who on a server."""

from __future__ import annotations

from factmark.campaign_model import Annotator
from factmark.people.labelstudio.incoming import identify

OWNER = 1
EMAILS = {1: "owner@x.org", 2: "ada@x.org", 3: "ben@x.org", 4: "eve@x.org"}
ADA, BEN = Annotator(code="A1", name="Ada"), Annotator(code="A2", name="Ben")


def found(
    *people: Annotator, bound: dict[str, int] | None = None, **raters: set[int]
) -> tuple[dict[str, int], dict[str, str]]:
    return identify(
        people or (ADA, BEN), emails=EMAILS, bound=bound or {}, raters=raters, owner=OWNER
    )


def test_who_alone_answered_is_the_annotator() -> None:
    who = found(A1={2}, A2={3})
    assert who == ({"A1": 2, "A2": 3}, {})


def test_nobody_is_guessed_among_several() -> None:
    who = found(A1={2, 4}, A2=set())
    assert who[0] == {}
    assert "several people" in who[1]["A1"]
    assert "ada@x.org, eve@x.org" in who[1]["A1"]
    assert who[1]["A2"] == "nobody has answered in this project"


def test_others_who_are_known_do_not_confuse() -> None:
    assert found(A1={2, 3}, A2={3})[0] == {"A1": 2, "A2": 3}
    assert found(A1={OWNER, 2})[0] == {"A1": 2}


def test_who_alone_answered_in_two_projects_is_guessed_to_be_nobody() -> None:
    who = found(A1={3}, A2={3})
    assert who[0] == {}
    assert "ben@x.org alone answered in this project, and in another" in who[1]["A1"]
    assert found(ADA, BEN, Annotator(code="A3", name="Cy"), A1={3}, A2={3}, A3={4})[0] == {"A3": 4}


def test_owner_and_other_annotators_are_not_taken() -> None:
    who = found(A1={OWNER}, A2={3})
    assert "only the owner" in who[1]["A1"]
    assert "other annotators" in found(bound={"A1": 2}, A2={2})[1]["A2"]


def test_what_was_known_stays() -> None:
    assert found(bound={"A1": 4}, A1={2}, A2={3})[0] == {"A1": 4, "A2": 3}


def test_an_address_is_believed_before_deeds() -> None:
    ada = Annotator(code="A1", name="Ada", email=" ADA@x.org ")
    later = Annotator(code="A2", name="Ben", email="later@x.org")
    who = found(ada, later, A1={4}, A2={3})
    assert who[0] == {"A1": 2}
    assert who[1] == {"A2": "nobody has signed up as later@x.org"}
    twin = Annotator(code="A2", name="Ben", email="ada@x.org")
    assert "another annotator already" in found(ada, twin)[1]["A2"]
