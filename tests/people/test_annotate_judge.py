"""`factmark annotate judge` against a real model server, and `factmark agree` on what it said."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from factmark.campaign_model import Annotator, Assignment, Campaign, PersonResponse, Revision, Shown
from factmark.cli.annotate import protocol_of
from factmark.ledger.campaigns import create_campaign, secret_of, task_key
from factmark.ledger.ledger import Ledger
from factmark.model import Item, Unit, content_hash
from factmark.people.core.forms import FORMS
from factmark.people.verdicts import take_ratings
from servers.model_server import Running, verdict_of
from shell import Done, run

KEY = "sk-test-0123456789"
RATINGS = tuple("012345")
PEOPLE = (Annotator(code="A1", name="Ann"), Annotator(code="A2", name="Ben"))


def command(folder: Path, *arguments: str) -> Done:
    return run(*arguments, cwd=folder, COLUMNS="120", OPENAI_API_KEY=KEY)


def judge(folder: Path, server: Running, *more: str) -> Done:
    return command(
        folder, "annotate", "judge", "l.db", "--model", "openai:m", "--base-url", server.base_url,
        *more,
    )  # fmt: skip


def made(kind: str, document: str, text: str, **data: object) -> Unit:
    return Unit(
        id=content_hash(kind, document, text), item=document, kind=kind, text=text, data=data
    )


def campaign(
    folder: Path, form: str, units: list[Unit], shown: dict[str, Shown], name: str = "one",
    labels: tuple[str, ...] = (),
) -> None:  # fmt: skip
    """A campaign where two people are asked about what is shown; they rate it where labels are."""
    with Ledger(folder / "l.db") as ledger:
        documents = dict.fromkeys(unit.item for unit in units)
        kept = create_campaign(
            ledger,
            Campaign(id="", name=name, form=form, annotators=PEOPLE, guidelines=""),
            items=[
                Item(id=one, cluster=one, data={"source": f"Source of {one}."}) for one in documents
            ],
            units=units,
            shown=shown,
            assignments=[
                Assignment(annotator=one.code, batch=1, position=at, unit=unit, document="d")
                for one in PEOPLE
                for at, unit in enumerate(shown)
            ],
        )
        secret = secret_of(ledger, kept)
        for one in PEOPLE:
            revisions = [
                Revision(
                    id=f"{one.code}{unit}", key=task_key(secret, one.code, unit), seconds=1.0,
                    response=PersonResponse(label=label), source="page",
                    at="2026-01-01T00:00:00.000000+00:00",
                )
                for unit, label in zip(shown, labels, strict=False)
            ]  # fmt: skip
            take_ratings(ledger, kept, revisions, protocol_of)


def summaries(folder: Path, *, labels: tuple[str, ...] = ()) -> list[Unit]:
    """Four documents with three summaries each; nobody is asked about those of the last one."""
    units = [
        made("summary", f"d{n}", f"Summary {n} by {who}.", system=who)
        for n in range(4)
        for who in ("a", "b", "c")
    ]
    shown = {
        unit.id: Shown(evidence=f"Source of {unit.item}.", text=unit.text)
        for unit in units
        if unit.item != "d3"
    }
    campaign(folder, "coarse", units, shown, labels=labels)
    return units


def said(folder: Path, units: list[Unit]) -> list[str | None]:
    """The model's newest label of each unit."""
    with Ledger(folder / "l.db", read_only=True) as ledger:
        (name,) = ledger.connection.execute("SELECT id FROM judges WHERE kind = 'model'").fetchone()
        found = ledger.newest(name, [unit.id for unit in units])
    return [found[unit.id].label if unit.id in found else None for unit in units]


def test_every_summary_is_judged_once_also_those_that_no_person_has(
    tmp_path: Path, server: Running
) -> None:
    units = summaries(tmp_path)
    server.set(key=KEY)
    first = judge(tmp_path, server, "--key-env", "OPENAI_API_KEY")
    assert first.returncode == 0, first.stderr
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
    units = [made("summary", "d0", "It rained.", system="secret-system")]
    shown = {units[0].id: Shown(evidence="Normalised source.", text="It rained.")}
    campaign(tmp_path, "coarse", units, shown)
    judge(tmp_path, server)
    asked = server.stats()["last"]["messages"][-1]["content"]
    assert "Normalised source." in asked
    assert "Source of d0" not in asked
    assert "secret-system" not in json.dumps(server.stats()["last"])


def test_dry_run_and_budget(tmp_path: Path, server: Running) -> None:
    units = summaries(tmp_path)
    told = json.loads(judge(tmp_path, server, "--dry-run", "--json").stdout)
    assert (told["calls"], told["units"]) == (12, 12)
    assert server.stats()["requests"] == 0
    stopped = judge(tmp_path, server, "--max-calls", "5", "--concurrency", "1")
    assert stopped.returncode == 3
    assert "--max-calls 5" in stopped.stderr
    assert judge(tmp_path, server).returncode == 0
    assert server.stats()["requests"] == 12
    assert None not in said(tmp_path, units)


def test_agree_compares_it_with_people(tmp_path: Path, server: Running) -> None:
    units = summaries(tmp_path)
    judge(tmp_path, server)
    labels = tuple(str(label) for label in said(tmp_path, units[:9]))
    (tmp_path / "l.db").unlink()
    summaries(tmp_path, labels=labels)  # two people who rate as the model does
    judge(tmp_path, server)
    done = command(
        tmp_path, "agree", "l.db", "--kind", "summary", "--scale", "ordinal", "--json",
        "--resamples", "100",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    (panel,) = json.loads(done.stdout)["kinds"]
    found = {(one["a"], one["b"]): one for one in panel["comparisons"]}
    assert panel["scale"] == "ordinal"
    versus = found["openai:m", "people (2)"]
    assert (versus["n_units"], versus["n_alone"]) == (9, 3)
    assert versus["labels"] == list(RATINGS)
    assert versus["alpha"]["value"] == pytest.approx(1.0)
    assert found["Ann", "Ben"]["n_units"] == 9


def test_clauses_are_judged_in_their_summary(tmp_path: Path, server: Running) -> None:
    text = "It rained. It was cold."
    whole = made("summary", "d0", text, system="a")
    units = [
        made("clause", "d0", text[start:end], system="a", summary=whole.id, span=[start, end])
        for start, end in ((0, 10), (11, 23))
    ]
    shown = {units[0].id: Shown(evidence="Source of d0.", text=text, marked=(0, 10))}
    campaign(tmp_path, "fine", [whole, *units], shown)
    done = judge(tmp_path, server)
    assert done.returncode == 0, done.stderr
    assert said(tmp_path, units) == [
        verdict_of(f"Clause: {unit.text}\nIts summary: {text}", ("YES", "NO")) for unit in units
    ]


def test_claims_go_by_their_passage_and_triples_by_what_is_shown(
    tmp_path: Path, server: Running
) -> None:
    pair = made("pair", "t0", "Aspirin treats pain", passage="Aspirin relieves pain.")
    triple = made("triple", "t1", "Aspirin treats pain")
    other = made("triple", "t2", "Pain treats aspirin")
    campaign(tmp_path, "support", [pair], {pair.id: Shown(evidence="P", text=pair.text)}, "pairs")
    shown = {triple.id: Shown(evidence="Triple: entry", text=triple.text)}
    campaign(tmp_path, "validity", [triple, other], shown, "triples")
    assert judge(tmp_path, server, "--campaign", "pairs").returncode == 0
    done = judge(tmp_path, server, "--campaign", "triples")
    assert done.returncode == 0, done.stderr
    assert "1 units that nobody is asked about have no evidence" in done.stderr
    asked = server.stats()["last"]["messages"][-1]["content"]
    assert "Triple: entry" in asked


@pytest.mark.parametrize(
    ("form", "kind", "message"),
    [("facts", "answer", "factmark score --extractor"), ("graphrag", "graphrag", "no model")],
)
def test_forms_without_a_rubric_are_told(
    tmp_path: Path, server: Running, form: str, kind: str, message: str
) -> None:
    assert FORMS[form].kind == kind
    unit = made(kind, "d0", "An answer.")
    campaign(tmp_path, form, [unit], {unit.id: Shown(evidence="", text=unit.text)})
    done = judge(tmp_path, server)
    assert done.returncode == 2
    assert message in " ".join(done.stderr.split())
    assert "Traceback" not in done.stderr
    assert server.stats()["requests"] == 0


def test_what_cannot_work_is_status_2(tmp_path: Path, server: Running) -> None:
    summaries(tmp_path)
    for more, message in (
        (("--campaign", "two"), "--campaign two: l.db has 'one'"),
        (("--model", "nobody:x"), "nobody"),
    ):
        done = judge(tmp_path, server, *more)
        assert (done.returncode, server.stats()["requests"]) == (2, 0)
        assert message in " ".join(done.stderr.split())
