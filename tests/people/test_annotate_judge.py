"""`factmark annotate judge` against a real model server, and `factmark agree` on what it said."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest

from campaigns import Documents, campaign_in, rated, results_of, summaries, unit_of
from factmark.campaign_model import Campaign, Shown
from factmark.cli.annotate import protocol_of
from factmark.ledger.campaigns import campaign_named, pairs_of_kind, tasks_of
from factmark.ledger.ledger import Ledger
from factmark.ledger.verdicts import judges_of
from factmark.model import Item, Judge, Unit, Verdict
from factmark.people.verdicts import take_ratings
from servers.model_server import Running, verdict_of
from shell import Done, run

KEY = "sk-test-0123456789"
RATINGS = tuple("012345")


def judge(folder: Path, server: Running, *more: str, status: int = 0) -> Done:
    done = run(
        "annotate",
        "judge",
        "l.db",
        "--model",
        "openai:m",
        "--base-url",
        server.base_url,
        *more,
        cwd=folder,
        COLUMNS="120",
        OPENAI_API_KEY=KEY,
    )
    assert done.returncode == status, done.stderr
    return done


def campaign(folder: Path, documents: Documents, *unasked: Unit, **kind: Any) -> Campaign:
    """A campaign in which two people are asked about all but some units."""
    with Ledger(folder / "l.db") as ledger:
        made = campaign_in(ledger, documents, **kind)
        with ledger.writing():
            for unit in unasked:
                ledger.add_new_item(
                    Item(id=unit.item, cluster=unit.item, data={"source": f"Of {unit.item}."})
                )
                ledger.add_unit(unit)
    return made


def four(folder: Path) -> list[Unit]:
    """Four documents with three summaries each; nobody is asked about those of the last one."""
    last = [unit_of("d3", place, f"{place}. summary") for place in range(3)]
    campaign(folder, summaries(3), *last)
    with Ledger(folder / "l.db") as ledger:
        return [unit for _, unit in pairs_of_kind(ledger, "summary")]


def said(folder: Path, units: list[Unit]) -> list[str | None]:
    """The model's newest label of each unit."""
    with Ledger(folder / "l.db", read_only=True) as ledger:
        (name,) = ledger.connection.execute("SELECT id FROM judges WHERE kind = 'model'").fetchone()
        found = ledger.newest(name, [unit.id for unit in units])
    return [found[unit.id].label if unit.id in found else None for unit in units]


def test_every_summary_is_judged_once_also_those_that_no_person_has(
    tmp_path: Path, server: Running
) -> None:
    units = four(tmp_path)
    server.set(key=KEY)
    first = judge(tmp_path, server, "--key-env", "OPENAI_API_KEY")
    assert "Unclosed" not in first.stderr, "connections are closed"
    shown = " ".join(first.stdout.split())
    assert "12 units (summary)" in shown
    assert "9 of which people are asked about: 12 ok" in shown
    assert said(tmp_path, units) == [verdict_of(unit.text, RATINGS) for unit in units]
    again = judge(tmp_path, server, "--key-env", "OPENAI_API_KEY", "--json")
    told = json.loads(again.stdout)
    assert (told["spent"]["calls"], told["spent"]["judged_before"]) == (0, 12)
    assert told["details"]["verdicts"] == {"ok": 12}
    assert server.stats()["requests"] == 12
    assert KEY not in first.stdout + first.stderr + again.stdout + again.stderr
    assert KEY.encode() not in (tmp_path / "l.db").read_bytes()


def rate(folder: Path, labels: dict[str, str]) -> None:
    """Ada's label of some units, as the page keeps it."""
    with Ledger(folder / "l.db") as ledger:
        one = campaign_named(ledger, None)
        tasks = [task for task in tasks_of(ledger, one) if task.assignment.annotator == "A1"]
        given = [
            rated(task.key, labels[task.assignment.unit], 1)
            for task in tasks
            if task.assignment.unit in labels
        ]
        take_ratings(ledger, one, given, protocol_of)


def test_the_ratings_per_system_are_shown_first_then_how_often_people_say_the_same(
    tmp_path: Path, server: Running
) -> None:
    units = four(tmp_path)
    labels = {unit.id: verdict_of(unit.text, RATINGS) for unit in units}
    alone = judge(tmp_path, server)
    sentence = " ".join(alone.stdout.split("\n\n")[0].split())
    means = {
        system: fmean(float(labels[unit.id]) for unit in units if unit.data["system"] == system)
        for system in ("s0", "s1", "s2")
    }
    best = max(means, key=lambda system: means[system])
    assert sentence.startswith(f"By openai:m, the mean rating of summaries is {means[best]:.2f} [")
    assert f"of 5 for {best}, " in sentence
    assert "no label of people stands beside it" in sentence
    assert "Judges beside people" not in alone.stdout
    row = next(line for line in alone.stdout.splitlines() if line.startswith(f" {best} "))
    counts = [
        sum(labels[unit.id] == label and unit.data["system"] == best for unit in units)
        for label in RATINGS
    ]
    assert row.split()[-7:] == [*map(str, counts), "0"]  # then those without a label
    # Ada gives the model's label to two of three summaries of the first document.
    mine = {unit.id: labels[unit.id] for unit in units[:3]}
    mine[units[2].id] = "0" if mine[units[2].id] != "0" else "1"
    rate(tmp_path, mine)
    beside = judge(tmp_path, server, "--all")
    assert "where people labelled too, it gave their label 0.67 [" in " ".join(
        beside.stdout.split()
    )
    assert "Judges beside people" in beside.stdout
    shown = json.loads(judge(tmp_path, server, "--json").stdout)
    assert [row["rating"] for row in shown["tables"]["scores"]] == pytest.approx(
        list(means.values())
    )
    assert shown["details"]["beside_people"]["agreement"]["exact"]["value"] == pytest.approx(2 / 3)
    assert server.stats()["requests"] == 12


def test_results_set_the_judges_that_are_named_beside_people(
    tmp_path: Path, server: Running
) -> None:
    units = four(tmp_path)
    judge(tmp_path, server)
    rate(tmp_path, {unit.id: "3" for unit in units[:3]})
    rule = Judge.create("rule", "length")
    with Ledger(tmp_path / "l.db") as ledger:
        verdicts = [(unit, Verdict(unit=unit.id, judge=rule.id, label="1")) for unit in units]
        ledger.record(rule, [], verdicts, {})
        (person,) = [known.name for known in judges_of(ledger) if known.kind == "person"]

    def judges_of_results(*named: str) -> list[str]:
        chosen = [part for name in named for part in ("--judge", name)]
        shown = run("annotate", "results", "l.db", *chosen, "--json", cwd=tmp_path)
        assert shown.returncode == 0, shown.stderr
        return sorted(judged["name"] for judged in results_of(shown.stdout)["judges"])

    assert judges_of_results() == ["length", "openai:m"]
    assert judges_of_results("length") == ["length"]
    refused = run("annotate", "results", "l.db", "--judge", person, cwd=tmp_path)
    assert refused.returncode == 2
    assert f"--judge {person}: is a person" in refused.stderr


@pytest.mark.parametrize(("text", "is_told"), [("One text.", True), ("", False)])
def test_a_judge_that_rates_all_alike_is_told_beside_the_figure(
    tmp_path: Path, server: Running, text: str, is_told: bool
) -> None:
    """The server's rating follows from the text, so that the same text gets the same rating."""
    campaign(tmp_path, summaries(4, text=text))
    shown = judge(tmp_path, server).stdout
    note = f"openai:m said {verdict_of(text, RATINGS)} of all 12 units"
    assert (note in " ".join(shown.split())) is is_told
    assert shown.find("openai:m said") < shown.index("What openai:m gave")


def test_a_model_that_rates_its_own_summaries_is_told(tmp_path: Path, server: Running) -> None:
    campaign(tmp_path, summaries(2))
    own = judge(tmp_path, server, "--model", "openai:S1")
    told = " ".join(own.stdout.split())
    assert "openai:S1 judges its own summaries (s1), and models tend" in told
    assert "its own" not in judge(tmp_path, server).stdout


def test_the_model_sees_the_source_as_people_do_and_no_system(
    tmp_path: Path, server: Running
) -> None:
    campaign(tmp_path, [("d0", [Shown(evidence="Normalised source.", text="It rained.")])])
    with sqlite3.connect(tmp_path / "l.db") as ledger:
        ledger.execute('UPDATE items SET data = \'{"source": "The original."}\'')
    judge(tmp_path, server)
    asked = server.stats()["last"]["messages"][-1]["content"]
    assert "Normalised source." in asked
    assert "The original" not in asked
    assert "s0" not in json.dumps(server.stats()["last"])


def test_dry_run_and_budget(tmp_path: Path, server: Running) -> None:
    units = four(tmp_path)
    told = json.loads(judge(tmp_path, server, "--dry-run", "--json").stdout)["details"]
    assert (told["calls"], told["units"]) == (12, 12)
    assert server.stats()["requests"] == 0
    stopped = judge(tmp_path, server, "--max-calls", "5", "--concurrency", "1", status=3)
    assert "--max-calls 5" in stopped.stderr
    judge(tmp_path, server)
    assert server.stats()["requests"] == 12
    assert None not in said(tmp_path, units)


def test_clauses_are_judged_in_their_summary(tmp_path: Path, server: Running) -> None:
    text = "It rained. It was cold."
    whole = Unit(id="w", item="d0", kind="summary", text=text)
    data = {"summary": "w", "span": [11, 23]}
    other = Unit(id="c", item="d0", kind="clause", text=text[11:], data=data)
    shown = Shown(evidence="Source.", text=text, clause=(0, 10))
    campaign(tmp_path, [("d0", [shown])], whole, other, form="fine")
    judge(tmp_path, server)
    assert said(tmp_path, [unit_of("d0", 0), other]) == [
        verdict_of(f"Clause: {clause}\nIts summary: {text}", ("YES", "NO"))
        for clause in (text[:10], text[11:])
    ]


def test_claims_go_by_their_passage_and_triples_by_what_is_shown(
    tmp_path: Path, server: Running
) -> None:
    shown = [Shown(evidence="Triple: entry", text="Aspirin treats pain")]
    campaign(tmp_path, [("t0", shown)], form="support", name="pairs")
    other = Unit(id="o", item="t2", kind="triple", text="Pain treats aspirin")
    campaign(tmp_path, [("t1", shown)], other, form="validity", name="triples")
    judge(tmp_path, server, "--campaign", "pairs")
    done = judge(tmp_path, server, "--campaign", "triples")
    assert "1 unit without evidence that nobody is asked about" in done.stderr
    asked = server.stats()["last"]["messages"][-1]["content"]
    assert "Triple: entry" in asked


@pytest.mark.parametrize(
    ("form", "message"),
    [("facts", "factmark score --judge"), ("graphrag", "no model")],
)
def test_forms_without_a_rubric_are_told(
    tmp_path: Path, server: Running, form: str, message: str
) -> None:
    campaign(tmp_path, [("d0", [Shown(evidence="", text="An answer.")])], form=form)
    done = judge(tmp_path, server, status=2)
    assert message in " ".join(done.stderr.split())
    assert server.stats()["requests"] == 0


def own(folder: Path, name: str, source: str, *more: str, status: int = 0) -> Done:
    """A function of the user's own judges, and keeps what it saw."""
    (folder / f"{name}.py").write_text(
        "import json\n\n\ndef judge(unit):\n"
        "    with open('seen.jsonl', 'a') as file:\n"
        "        file.write(json.dumps(unit) + '\\n')\n"
        f"    {source}\n"
    )
    done = run("annotate", "judge", "l.db", "--model", f"{name}:judge", *more, cwd=folder)
    assert done.returncode == status, done.stderr
    return done


def seen(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "seen.jsonl").read_text().splitlines()]


def test_a_function_rates_summaries_by_what_people_see(tmp_path: Path) -> None:
    """Also those that nobody is asked about; a rating may be a number."""
    four(tmp_path)
    done = own(tmp_path, "own_rating", "return 4")
    shown = " ".join(done.stdout.split())
    assert "What own_rating:judge gave" in shown
    assert "12 units (summary) of the campaign" in shown
    assert "9 of which people are asked about: 12 ok" in shown
    assert {frozenset(unit) for unit in seen(tmp_path)} == {
        frozenset({"kind", "claim", "evidence"})
    }, "whose summary it is is not told"
    with Ledger(tmp_path / "l.db", read_only=True) as ledger:
        rows = ledger.rows("SELECT DISTINCT status, label, value FROM newest_verdicts").fetchall()
    assert rows == [("ok", "4", 4.0)]
    again = json.loads(own(tmp_path, "own_rating", "return 4", "--json").stdout)
    assert (again["spent"]["judged_before"], again["spent"]["calls"]) == (12, 0)
    assert again["judge"] == "own_rating:judge"


def test_a_function_sees_a_clause_and_its_summary(tmp_path: Path) -> None:
    shown = Shown(evidence="Source.", text="It rained. It was cold.", clause=(0, 10))
    campaign(tmp_path, [("d0", [shown])], form="fine")
    own(tmp_path, "own_clause", "return 'YES'")
    assert [unit["claim"] for unit in seen(tmp_path)] == ["It rained."]
    assert seen(tmp_path)[0]["summary"] == "It rained. It was cold."


def test_a_functions_failures_are_counted_and_told(tmp_path: Path) -> None:
    four(tmp_path)
    done = own(tmp_path, "own_fails", "return unit['nothing']", status=3)
    assert "12 units failed: KeyError: 'nothing'" in done.stderr
    assert "not complete: 12 failed" in done.stderr
    done = own(tmp_path, "own_fails", "return unit['nothing']", "--dry-run", status=2)
    assert "--model names none that is asked" in " ".join(done.stderr.split())


def test_a_module_that_is_not_there_is_told(tmp_path: Path) -> None:
    four(tmp_path)
    done = run("annotate", "judge", "l.db", "--model", "not_there_at_all:judge", cwd=tmp_path)
    assert done.returncode == 2
    assert "No module named 'not_there_at_all'" in " ".join(done.stderr.split())
