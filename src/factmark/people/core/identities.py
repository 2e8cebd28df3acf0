"""Which user of a server is which annotator. Names prove nothing there; answers are believed of one
user per annotator, whom the owner named or who alone answered in the annotator's project."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from factmark.campaign_model import Annotator


@dataclass(frozen=True, slots=True, kw_only=True)
class Identities:
    """Who is who.

    Attributes:
        users: code of an annotator -> the user's id; annotators without are unknown so far.
        why: code -> why nobody is known, one sentence.
    """

    users: Mapping[str, int]
    why: Mapping[str, str]


def identify(
    annotators: Sequence[Annotator],
    *,
    emails: Mapping[int, str],
    bound: Mapping[str, int],
    raters: Mapping[str, Iterable[int]],
    owner: int,
) -> Identities:
    """Who is who: as bound before, then by e-mail address, then who alone answered.

    Args:
        emails: id of each user -> e-mail address.
        bound: code -> user, from an earlier pull or by the owner's word; never changed here.
        raters: code -> users with answers in the annotator's project.
        owner: the user of the token, who is an annotator only by word or address.
    """
    users = dict(bound)
    why: dict[str, str] = {}
    for one in annotators:
        if one.code in users or not one.email:
            continue
        found = _user_of(emails, one.email)
        if found is None:
            why[one.code] = f"nobody has signed up as {one.email}"
        elif found in users.values():
            why[one.code] = f"{one.email} is another annotator already"
        else:
            users[one.code] = found
    open_codes = [one.code for one in annotators if one.code not in users and one.code not in why]
    while found_alone := _alone(open_codes, users, raters, owner):
        users |= found_alone
    for code in open_codes:
        if code not in users:
            why[code] = _unknown(set(raters.get(code, ())), set(users.values()), owner, emails)
    return Identities(users=users, why=why)


def _alone(
    codes: Iterable[str], users: Mapping[str, int], raters: Mapping[str, Iterable[int]], owner: int
) -> dict[str, int]:
    """Who alone answered for one of those that are unknown; nobody who did so for several."""
    left = {
        code: set(raters.get(code, ())) - set(users.values()) - {owner}
        for code in codes
        if code not in users
    }
    one_each = {code: some.pop() for code, some in left.items() if len(some) == 1}
    often = Counter(one_each.values())
    return {code: user for code, user in one_each.items() if often[user] == 1}


def _unknown(raters: set[int], taken: set[int], owner: int, emails: Mapping[int, str]) -> str:
    left = raters - taken - {owner}
    names = ", ".join(sorted(emails.get(one, f"user {one}") for one in left))
    if len(left) > 1:
        return f"several people answered in this project ({names})"
    if left:
        return f"{names} alone answered in this project, and in another annotator's too"
    if raters & taken:
        return "only people who are other annotators answered in this project"
    if raters:
        return "only the owner of the token answered in this project"
    return "nobody has answered in this project"


def _user_of(emails: Mapping[int, str], email: str) -> int | None:
    wanted = email.strip().casefold()
    return next((user for user, one in emails.items() if one.strip().casefold() == wanted), None)
