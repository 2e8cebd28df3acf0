"""People who are screened out by what they answer where the right answer is known."""

from __future__ import annotations

from factmark.campaign_model import Campaign
from factmark.ledger.campaigns import campaign_named, units_shown_of_kind
from factmark.ledger.ledger import Ledger
from factmark.ledger.people.withdrawals import withdraw
from factmark.people.core.forms import FACTS, Form
from factmark.people.crowd.options import crowd_of
from factmark.people.practice.known import PRACTICE
from factmark.people.practice.scores import PracticeScore, practice_scores_of


def rule_in_words(form: Form, screen: float, gold: int) -> str:
    """Returns by which rule people are screened out, as their owner reads it."""
    near = ""
    if form.scale == "ordinal":
        near = ", one step off being right"
    return (
        f"who can no longer get {screen:.0%} of {gold} known answers right{near}, is screened out "
        "at once"
    )


def reason_to_screen(score: PracticeScore, screen: float, gold: int) -> str:
    """Returns why a person is to be screened out; empty where they are not. Pure.

    Args:
        score: on gold.
        gold: how many units of it the campaign has.
    """
    right = score.n_right
    if score.n_near is not None:
        right = score.n_near
    wrong = score.n_answered - right
    if gold - wrong < screen * gold - 1e-9:
        return f"{wrong} of {gold} known answers wrong, {screen:.0%} wanted right"
    return ""


def screen_out(ledger: Ledger, campaign: Campaign, code: str) -> bool:
    """Screens a person out where the campaign's rule says so; returns whether it did. Who was
    counted again by the owner after that is not screened a second time. Inside `writing`."""
    crowd = crowd_of(campaign)
    if crowd is None or crowd.screen is None:
        return False
    person = next(p for p in campaign_named(ledger, campaign.name).annotators if p.code == code)
    if person.screened or person.withdrawn:
        return False
    scores = practice_scores_of(ledger, campaign, code)
    gold = [score for score in scores if score.role == "gold"]
    if not gold:
        return False
    reason = reason_to_screen(gold[0], crowd.screen, gold_units(ledger, campaign))
    if reason:
        marks = campaign.form == FACTS.name
        withdraw(ledger, campaign, [person], marks=marks, screened=reason)
    return bool(reason)


def gold_units(ledger: Ledger, campaign: Campaign) -> int:
    """Returns how many units with a known answer are among everybody's work."""
    units = units_shown_of_kind(ledger, campaign, PRACTICE)
    return sum(unit.data["role"] == "gold" for unit in units)
