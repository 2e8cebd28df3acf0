"""Results of a campaign: examples worked by hand, and what other tools say."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from factmark.answers.campaign import score_marks
from factmark.campaign_model import Marking
from factmark.people.ratings.agreement import JudgeLabels
from factmark.people.ratings.entries import RatedUnit
from factmark.people.ratings.systems import SystemScore
from factmark.people.report import first_sentence, ratings_report
from factmark.people.results import CampaignResults
from factmark.people.study import rate_campaign
from later import later
from sample_campaign import QUICK, campaign, entries, judge_table, rated, rating, summary

stats = later("scipy.stats")


def score(found: CampaignResults, system: str = "s", key: str = "") -> SystemScore:
    return next(
        one for one in found.scores if one.system == system and key in ("", one.measure.key)
    )


def test_a_mean_over_people_then_documents_with_what_is_missing() -> None:
    # d1: (5 + 3) / 2 = 4. d2: 2, and A2 owes a rating. Mean (4 + 2) / 2 = 3, so 60 of 100.
    # At worst d2 is (2 + 0) / 2 = 1: (4 + 1) / 2 = 2.5; at best (2 + 5) / 2 = 3.5: 3.75.
    found = score(
        rated(
            {
                ("A1", "d1", "s"): "5",
                ("A2", "d1", "s"): "3",
                ("A1", "d2", "s"): "2",
                ("A2", "d2", "s"): None,
            }
        )
    )
    final = found.final
    assert (final.value, final.worst, final.best) == pytest.approx((3.0, 2.5, 3.75))
    assert found.longeval is not None
    assert found.longeval.value == pytest.approx(60)
    assert found.longeval.low == pytest.approx(20 * (final.low or 0))
    assert (final.n_items, final.n_units, final.n_missing) == (2, 2, 0)
    assert (found.n_asked, found.n_answered) == (4, 3)
    assert "rubric:coarse@1" in final.signature
    assert "data:" in final.signature
    assert found.deviation is not None  # of d1 alone: |5 - 3| / sqrt(2)
    assert found.deviation.value == pytest.approx(math.sqrt(2))


def test_first_ratings_stand_beside_the_newest_and_never_in_them() -> None:
    # s: final (4 + 1) / 2 = 2.5, first (3 + 1) / 2 = 2, so +0.5.
    found = rated({("A1", "d1", "s"): ["3", "5", "4"], ("A1", "d2", "s"): ["1", "1"]}, people=1)
    one = score(found)
    assert (one.final.value, one.first.value, one.change.value) == pytest.approx((2.5, 2.0, 0.5))
    assert found.annotators[0].n_recalibrated == 1


def test_a_first_rating_that_is_not_known_is_in_no_value_by_first_ratings() -> None:
    one, other = summary("d1", "s"), summary("d2", "s")
    changed = [rating("4", first=False), rating("5", at=1, first=False)]
    tasks = entries([("A1", one, changed), ("A1", other, [rating("2")])])
    found = rate_campaign(campaign(people=1), tasks, options=QUICK)
    system = score(found)
    assert system.final.value == pytest.approx(3.5)
    assert system.first.value == pytest.approx(2.0)
    assert system.first.n_missing == 1
    assert system.change.n_units == 1
    assert "Of 1 tasks the first answer is not known" in found.problems[0]


def test_leniency_and_time() -> None:
    # A1 gives 5, 3 where A2 gives 4, 3: half a point more in the mean. d1 took 2 min, d2 4 min.
    one, other, own = summary("d1", "s"), summary("d2", "s"), summary("d3", "s")
    found = rate_campaign(
        campaign(),
        entries(
            [
                ("A1", one, [rating("5", seconds=120)]),
                ("A1", other, [rating("3", seconds=30), rating("3", seconds=240, at=1)]),
                ("A1", own, []),
                ("A2", one, [rating("4", seconds=None)]),
                ("A2", other, [rating("3")]),
            ]
        ),
        options=QUICK,
    )
    a1, a2 = found.annotators
    assert a1.leniency is not None
    assert a2.leniency is not None
    assert a1.leniency.value == pytest.approx(0.5)
    assert a2.leniency.value == pytest.approx(-0.5)
    assert (a1.n_asked, a1.n_answered, a1.n_documents, a1.n_shared) == (3, 2, 2, 2)
    assert (a1.minutes, a2.minutes) == (3.0, 1.0)  # A2's of d1 are not known


def test_systems_are_compared_in_pairs_as_another_tool_does() -> None:
    a, b = (5, 4, 4, 5, 3, 5, 4, 5), (3, 4, 2, 4, 3, 2, 3, 4)
    found = rated(
        {("A1", f"d{at}", s): str(v) for s, of in (("a", a), ("b", b)) for at, v in enumerate(of)}
    )
    board = found.boards["rating"]
    pair = board.comparisons[0]
    assert (pair.a, pair.b) == ("a", "b")
    assert pair.difference.value == pytest.approx(np.mean(a) - np.mean(b))
    other_tool = stats.permutation_test(
        (a, b), lambda x, y: np.mean(x) - np.mean(y), permutation_type="samples", n_resamples=np.inf
    )
    assert pair.p_permutation == pytest.approx(other_tool.pvalue)
    assert [place.name for place in board.places] == ["a", "b"]
    assert board.places[0].value.value == pytest.approx(4.375)


def test_alpha_exact_and_within_one() -> None:
    # A1 says 5 5 0 0, A2 says 5 0 0 0. Coincidences of 8 values: one pair of unlike ones, counted
    # twice, so 2 / 8 observed; 2 * 3 * 5 / (8 * 7) expected. Alpha = 1 - (2 / 8) / (30 / 56) = 8/15
    # whatever the distance between 0 and 5 is, since there is no other.
    said = {"A1": "5500", "A2": "5000"}
    labels = {(a, f"d{d}", "s"): of[d] for a, of in said.items() for d in range(4)}
    found = rated(labels | {("A1", "d9", "s"): "3"}).agreement
    assert found is not None
    assert found.alpha.value == pytest.approx(8 / 15)
    assert found.exact.value == pytest.approx(3 / 4)
    assert found.within_one is not None
    assert found.within_one.value == pytest.approx(3 / 4)
    assert found.n_units == 4


def clauses(labels: dict[tuple[str, str], str]) -> CampaignResults:
    """(annotator, summary) -> a letter per clause: y, n, or - where it is not answered."""
    given = {"y": [rating("YES")], "n": [rating("NO")], "-": []}
    tasks = []
    for (annotator, name), said in labels.items():
        document, system = name.split("/")
        for at, letter in enumerate(said):
            unit = RatedUnit(
                id=f"{name}/{at}", cluster=document, system=system, part=name, order=at
            )
            tasks.append((annotator, unit, given[letter]))
    return rate_campaign(campaign("fine"), entries(tasks), options=QUICK)


def test_fine_is_100_times_yes_over_yes_and_no_of_each_summary() -> None:
    # d1: 2 of 3 yes = 66.7; d2: 0 of 1 = 0; mean 33.3. Over all clauses alike: 2 of 4 = 50.
    found = score(clauses({("A1", "d1/s"): "yyn", ("A1", "d2/s"): "n"}))
    assert found.final.value == pytest.approx(100 / 3)
    assert found.longeval == found.final
    assert found.pooled is not None
    assert found.pooled.value == pytest.approx(50)
    # Two people say the same of d1: its clauses do not count twice among all.
    twice = clauses({("A1", "d1/s"): "yyn", ("A2", "d1/s"): "yyn", ("A1", "d2/s"): "n"})
    assert score(twice).pooled == found.pooled
    # One clause more, not answered: at worst d2 stays 0, at best 1 of 2: (66.7 + 50) / 2.
    found = score(clauses({("A1", "d1/s"): "yyn", ("A1", "d2/s"): "n-"}))
    assert (found.final.value, found.final.worst) == pytest.approx((100 / 3, 100 / 3))
    assert found.final.best == pytest.approx((200 / 3 + 50) / 2)


def test_marks_become_c_h_and_s() -> None:
    # Of G = {30, 40} the person ticked 30, marked one fact as grounded and one as not:
    # C = 1/2, H = 1/2, S = 2 * 1/2 * 1/2 / (1/2 + 1/2) = 1/2.
    text, truth = "30 or 50.", ("30", "40")
    one = RatedUnit(
        id="u",
        cluster="q",
        system="m",
        text=text,
        score_marks=partial(score_marks, text, truth),
    )
    marks = Marking(grounded=((0, 2),), ungrounded=((6, 8),), covered=("30",))
    found = rate_campaign(
        campaign("facts"),
        entries((who, one, [rating(None, marking=marks)]) for who in ("A1", "A2")),
        options=QUICK,
    )
    for key in ("combined_score", "completeness", "hallucination_rate"):
        assert score(found, "m", key).final.value == pytest.approx(0.5)
    assert found.shares == ()
    assert found.agreement is None  # `factmark agree` compares marks


def test_labels_with_values() -> None:
    subjects = [RatedUnit(id=f"u{at}", cluster=f"h{at // 2}") for at in range(4)]
    said = ("SUPPORTED", "NOT_SUPPORTED", "SUPPORTED", "SUPPORTED")
    found = rate_campaign(
        campaign("support", 1),
        entries(("A1", one, [rating(label)]) for one, label in zip(subjects, said, strict=True)),
        options=QUICK,
    )
    assert score(found, "").final.value == pytest.approx(0.75)
    shares = {one.label: (one.count, one.share.value) for one in found.shares}
    assert shares["SUPPORTED"] == (3, 0.75)
    assert shares["NOT_SUPPORTED"] == (1, 0.25)
    assert shares["CONTRADICTED"] == (0, 0.0)


def judge(labels: dict[str, str], people: dict[int, float]) -> JudgeLabels:
    return JudgeLabels(
        id="j",
        kind="model",
        name="judge",
        table=judge_table(
            list(labels.values()),
            people,
            ids=[f"{d}-s" for d in labels],
            clusters=list(labels),
            systems=["s"] * len(labels),
        ),
    )


def test_a_judge_beside_people() -> None:
    # People rated d1..d4: 4 4 2 2; the judge said 5 5 1 1 of them, and 5 5 5 5 of d5..d8. By its
    # verdicts: 6 fives at 4 each, 2 ones at 2 each: (6 * 4 + 2 * 2) / 8 = 3.5. Alone: 32 / 8 = 4.
    labels = {f"d{at}": "5" if at not in (3, 4) else "1" for at in range(1, 9)}
    said = {("A1", f"d{at}", "s"): v for at, v in enumerate("4422", 1)}
    found = rated(said, judges=[judge(labels, {0: 4.0, 1: 4.0, 2: 2.0, 3: 2.0})]).judges[0]
    assert found.overall is not None
    assert found.overall.corrected.value == pytest.approx(3.5)
    assert found.overall.judge_only.value == pytest.approx(4.0)
    assert found.agreement is not None
    assert found.agreement.exact.value == 0.0
    assert found.agreement.within_one is not None
    assert found.agreement.within_one.value == 1.0
    assert found.agreement.n_units == 4
    assert found.systems == {}


def test_what_makes_a_judge_worth_less_stands_first_below_its_figures() -> None:
    """It gave all twelve one rating, and is called as the system that it rated."""
    labels = {f"d{at}": "5" for at in range(12)}
    alike = replace(judge(labels, {0: 4.0}), name="openai:s")
    results = rated({("A1", "d0", "s"): "4"}, judges=[alike])
    notes = ratings_report(results).tables["judges"].notes
    cautions = [note for note in notes if note.startswith("openai:s ")]
    assert cautions[0].startswith("openai:s said 5 of all 12 units")
    assert cautions[1].startswith("openai:s judges its own summaries (s), and models tend")
    mixed = judge({f"d{at}": "51"[at % 2] for at in range(12)}, {0: 4.0})
    rule = replace(mixed, kind="rule")
    (score,) = rated({("A1", "d0", "s"): "4"}, judges=[rule]).judges
    assert score.cautions == ()


def test_the_sentence_tells_systems_the_best_first_and_what_is_missing() -> None:
    ratings = {("A1", "d1", "s"): "2", ("A1", "d1", "t"): "4", ("A1", "d2", "t"): None}
    sentence = first_sentence([rated(ratings)]).sentence
    assert sentence.startswith("By people, the mean rating of summaries is 4.00 [")
    assert "of 5 for t and 2.00 [" in sentence
    assert sentence.endswith("; 1 of 3 ratings missing.")
    alone = first_sentence([rated({("A1", "d1", "s"): "2"})]).sentence
    assert " for " not in alone  # a single system needs no name


def test_a_judge_with_other_labels_is_told_and_not_compared() -> None:
    found = rated({("A1", "d1", "s"): "4"}, judges=[judge({"d1": "good"}, {0: 4.0})])
    assert found.judges[0].agreement is None
    told = [one for one in found.problems if "The judge judge is not compared" in one]
    assert len(told) == 1
    assert "other labels than people may ('good')" in told[0]
    assert "nothing" not in told[0]
