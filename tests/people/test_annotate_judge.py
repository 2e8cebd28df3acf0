"""`factmark annotate judge` against a real model server, and `factmark agree` on what it said."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from campaigns import Documents, campaign_in, summaries, unit_of
from factmark.campaign_model import Campaign, Shown
from factmark.ledger.campaigns import pairs_of_kind
from factmark.ledger.ledger import Ledger
from factmark.model import Item, Unit
from servers.model_server import Running, verdict_of
from shell import Done, run

KEY = "sk-test-0123456789"
RATINGS = tuple("012345")


def judge(folder: Path, server: Running, *more: str, status: int = 0) -> Done:
    done = run(
        "annotate", "judge", "l.db", "--model", "openai:m", "--base-url", server.base_url, *more,
        cwd=folder, COLUMNS="120", OPENAI_API_KEY=KEY,
    )  # fmt: skip
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
    assert "12 units (summary)" in first.stdout
    assert "9 of which people are asked about: 12 ok" in first.stdout
    assert said(tmp_path, units) == [verdict_of(unit.text, RATINGS) for unit in units]
    again = judge(tmp_path, server, "--key-env", "OPENAI_API_KEY", "--json")
    told = json.loads(again.stdout)
    assert (told["calls"], told["judged_before"], told["verdicts"]) == (0, 12, {"ok": 12})
    assert server.stats()["requests"] == 12
    assert KEY not in first.stdout + first.stderr + again.stdout + again.stderr
    assert KEY.encode() not in (tmp_path / "l.db").read_bytes()


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
    told = json.loads(judge(tmp_path, server, "--dry-run", "--json").stdout)
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
    shown = Shown(evidence="Source.", text=text, marked=(0, 10))
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
    assert "1 units that nobody is asked about have no evidence" in done.stderr
    asked = server.stats()["last"]["messages"][-1]["content"]
    assert "Triple: entry" in asked


@pytest.mark.parametrize(
    ("form", "message"),
    [("facts", "factmark score --extractor"), ("graphrag", "no model")],
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
    assert "own_rating:judge on 12 units (summary)" in done.stdout
    assert "9 of which people are asked about: 12 ok" in done.stdout
    assert {frozenset(unit) for unit in seen(tmp_path)} == {
        frozenset({"kind", "claim", "evidence"})
    }, "whose summary it is is not told"
    with Ledger(tmp_path / "l.db", read_only=True) as ledger:
        rows = ledger.rows("SELECT DISTINCT status, label, value FROM newest_verdicts").fetchall()
    assert rows == [("ok", "4", 4.0)]
    again = json.loads(own(tmp_path, "own_rating", "return 4", "--json").stdout)
    assert (again["judged_before"], again["calls"], again["judge"]) == (12, 0, "own_rating:judge")


def test_a_function_sees_a_clause_and_its_summary(tmp_path: Path) -> None:
    shown = Shown(evidence="Source.", text="It rained. It was cold.", marked=(0, 10))
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
    assert "--model names a function" in " ".join(done.stderr.split())


def test_a_module_that_is_not_there_is_told(tmp_path: Path) -> None:
    four(tmp_path)
    done = run("annotate", "judge", "l.db", "--model", "not_there_at_all:judge", cwd=tmp_path)
    assert done.returncode == 2
    assert "No module named 'not_there_at_all'" in " ".join(done.stderr.split())
