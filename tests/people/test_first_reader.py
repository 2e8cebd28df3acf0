"""A first reader: its doubts are shown after the first rating, and of a half of the units never."""

from __future__ import annotations

from pathlib import Path

import pytest

from campaigns import campaign_in, people, summaries
from factmark.campaign_model import Doubt
from factmark.errors import InputError
from factmark.ledger.campaigns import tasks_of
from factmark.ledger.ledger import Ledger
from factmark.model import Judge, Unit, Verdict
from factmark.people.core.forms import COARSE
from factmark.people.desk.first_reader import first_reader_of
from factmark.people.ratings.entries import RatedTask, Scoring
from factmark.people.ratings.first_reader_effect import first_reader_effect
from sample_campaign import QUICK, entries, rating, summary
from shell import run

MODEL = Judge.create("model", "openai:m1")
HOSTILE = "<img src=x onerror=alert(1)>\u202e 9 of 20 is not few"
SCORING = Scoring(form=COARSE, measure=COARSE.measures[0], options=QUICK)


def judged(path: Path, labels: dict[str, str], judge: Judge = MODEL) -> None:
    """Writes what a judge gave units into a ledger."""
    with Ledger(path) as ledger, ledger.writing():
        ledger.add_judge(judge)
        for unit, label in labels.items():
            verdict = Verdict(unit=unit, judge=judge.id, label=label, reason=HOSTILE)
            ledger.add_verdict(verdict, "2026-01-01T00:00:00+00:00")


def units_of(documents: int) -> list[str]:
    return [f"d{number}-{place}" for number in range(documents) for place in range(3)]


@pytest.fixture(scope="module")
def ledger(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Eight documents; the model gives the first summary of each a 5, and doubts the others."""
    path = tmp_path_factory.mktemp("first") / "c.db"
    with Ledger(path) as opened:
        campaign_in(opened, summaries(8), annotators=people("Ada", "Ben"))
    labels = {unit: "5" if unit.endswith("-0") else "2" for unit in units_of(8)}
    judged(path, labels)
    return path


def test_half_of_what_it_doubts_is_shown_and_always_the_same(ledger: Path) -> None:
    reader = first_reader_of(ledger, None, "openai:m1")
    assert reader == first_reader_of(ledger, "one", MODEL.id[:10])
    assert reader.doubts.keys() == {unit for unit in units_of(8) if not unit.endswith("-0")}
    assert reader.shown < reader.doubts.keys()
    assert len(reader.shown) == 8
    for number in range(8):  # of the two of each document one
        assert len({f"d{number}-1", f"d{number}-2"} & reader.shown) == 1


def test_clauses_without_support_are_doubts_about_their_summary(tmp_path: Path) -> None:
    path = tmp_path / "c.db"
    with Ledger(path) as opened:
        campaign_in(opened, summaries(2), annotators=people("Ada"))
        with opened.writing():
            for summary, texts in {
                "d0-0": ("Cats bark.", "Dogs bark."),
                "d1-0": ("So it is.",),
            }.items():
                for n, text in enumerate(texts):
                    data = {"system": "s0", "summary": summary, "span": [9 * n, 9 * n + 5]}
                    item, name = summary[:2], f"{summary}-{n}"
                    opened.add_unit(Unit(id=name, item=item, kind="clause", text=text, data=data))
    judged(path, {"d0-0-0": "NO", "d0-0-1": "YES", "d1-0-0": "YES"})
    reader = first_reader_of(path, None, "openai:m1")
    assert reader.read == {"d0-0", "d1-0"}
    assert reader.doubts == {"d0-0": ("", "It finds no support for “Cats bark”.")}
    judged(path, {"d0-0": "4", "d1-0": "5"})
    reader = first_reader_of(path, None, "openai:m1")
    label, reason = reader.doubts["d0-0"]
    assert (label, "Cats bark" in reason, "9 of 20 is not few" in reason) == ("4", True, True)
    assert reader.doubts.keys() == {"d0-0"}


def test_who_cannot_be_a_first_reader(tmp_path: Path) -> None:
    path = tmp_path / "c.db"
    with Ledger(path) as opened:
        made = campaign_in(opened, summaries(1), annotators=people("Ada"))
        key = tasks_of(opened, made)[0].key
    with pytest.raises(InputError, match="has no judge"):
        first_reader_of(path, None, "openai:m1")
    judged(path, {"d0-0": "excellent"})
    with pytest.raises(InputError, match="other labels"):
        first_reader_of(path, None, "openai:m1")
    judged(path, {"d0-0": "1"}, Judge.create("person", "Ada"))
    with pytest.raises(InputError, match="has no judge"):
        first_reader_of(path, None, "Ada")
    other = Judge.create("rule", "rules")
    judged(path, {"d0-0": "1"}, other)
    doubt = Doubt(key=key, judge=MODEL.id, label="1", reason="", shown=True)
    with Ledger(path) as opened:
        from factmark.ledger.doubts import keep_doubts

        keep_doubts(opened, [doubt])
    with pytest.raises(InputError, match="another one"):
        first_reader_of(path, None, "rules")
    done = run("annotate", "serve", path, "--port", "0", "--first-reader", "nobody")
    assert (done.returncode, "Traceback" in done.stderr) == (2, False)


def rated_tasks(*changes: tuple[str, str, str]) -> list[RatedTask]:
    """A task for each document with its first and its last rating; the key names the place."""
    made = []
    for place, (document, first, last) in enumerate(changes):
        revisions = [rating(first), *[rating(last, at=1)] * (first != last)]
        made.append(("A1", summary(document, f"s{place}"), revisions))
    return [
        RatedTask(
            assignment=task.assignment,
            unit=task.unit,
            revisions=[type(r)(**{**fields_of(r), "key": f"k{n}"}) for r in task.revisions],
        )
        for n, task in enumerate(entries(made))
    ]


def fields_of(revision: object) -> dict[str, object]:
    return {name: getattr(revision, name) for name in revision.__dataclass_fields__}  # type: ignore[attr-defined]


def test_the_effect_worked_by_hand() -> None:
    # Shown: -2, 0, -1, mean -1. Held back: 0, 1, mean 1/2. The effect is -3/2.
    tasks = rated_tasks(
        ("d1", "4", "2"), ("d2", "3", "3"), ("d3", "5", "4"), ("d1", "1", "1"), ("d2", "2", "3")
    )
    doubts = {
        f"k{n}": Doubt(key=f"k{n}", judge="j", label="1", reason="", shown=n < 3) for n in range(5)
    }
    effect = first_reader_effect(SCORING, tasks, doubts, "m")
    assert effect is not None
    assert effect.effect.value == pytest.approx(-1.5)
    assert effect.effect.low is not None
    assert effect.effect.low < -1.5 < effect.effect.high  # type: ignore[operator]
    assert (effect.shown.n_changed, effect.held.n_changed) == (2, 1)
    assert first_reader_effect(SCORING, tasks, {}, "m") is None
    one_half = first_reader_effect(SCORING, tasks[:3], doubts, "m")
    assert one_half is not None
    assert (one_half.effect.value, one_half.effect.low) == (None, None)
