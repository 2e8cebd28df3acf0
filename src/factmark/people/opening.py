"""The sentence that results open with: what people, or a judge, gave each system. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from factmark.people.core.forms import Form
from factmark.people.ratings.agreement import JudgeScore
from factmark.people.ratings.judge_ratings import JudgeRatings
from factmark.people.ratings.systems import SystemScore, system_name
from factmark.people.results import CampaignResults
from factmark.report.sentence import (
    FirstSentence,
    aside,
    best_first,
    brackets,
    figure,
    figures,
    lacking,
)
from factmark.text.shown_text import count, named


def campaign_opening(results: CampaignResults) -> FirstSentence:
    """Returns what people gave each system by the first measure, the best first, in
    one sentence."""
    main = [score for score in results.scores if score.measure == results.form.measures[0]]
    if any(score.n_answered for score in main):
        return FirstSentence(sentence=f"{means_in_words('people', results.form, main)}.")
    asked = sum(score.n_asked for score in main)
    return FirstSentence(sentence=f"Nothing is rated yet, of {count(asked, 'rating', 'ratings')}.")


def means_in_words(by: str, form: Form, scores: Sequence[SystemScore], more: str = "") -> str:
    """Returns what somebody gave each system, the best first, as a sentence without its full stop.

    Args:
        by: who did.
        scores: of each system by the form's first measure.
        more: what follows the figures.
    """
    measure, several = form.measures[0], len(scores) > 1
    systems = best_first(
        (f"for {system_name(score.system)}" if several else "", score.final) for score in scores
    )
    asked = sum(score.n_asked for score in scores)
    missing = asked - sum(score.n_answered for score in scores)
    return (
        f"By {by}, the {measure.name} of {form.things} is "
        f"{figures(systems, f' of {measure.scale.high:g}')}{more}"
        f"{aside(brackets(*(estimate for _, estimate in systems)))}"
        f"{lacking(missing, asked, 'ratings missing')}"
    )


def judge_opening(ratings: JudgeRatings) -> FirstSentence:
    """Returns the judge's mean of each system, the best first, and how often people say the same,
    in one sentence."""
    form, beside, judge = ratings.form, ratings.beside, named(ratings.judge)
    if ratings.n_labelled:
        sentence = means_in_words(judge, form, ratings.scores, _agreement_in_words(beside))
    else:
        asked = sum(score.n_asked for score in ratings.scores)
        sentence = f"{judge} gave none of {count(asked, 'unit', 'units')} a label"
    return FirstSentence(sentence=f"{sentence}.", cautions=beside.cautions if beside else ())


def _agreement_in_words(beside: JudgeScore | None) -> str:
    """Returns the part of the sentence on how often the judge gave people's label."""
    agreement = beside and beside.agreement
    if not agreement or agreement.exact.value is None:
        return "; no label of people stands beside it, so how far that holds is not known"
    alpha = f", alpha {figure(agreement.alpha)}" * (agreement.alpha.value is not None)
    exact = figure(agreement.exact)
    return f"; where people labelled too, it gave their label {exact} of the time{alpha}"
