"""`factmark annotate create` and `close` as a user runs them."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest

from factmark.campaign_model import Campaign, CampaignTask
from factmark.cli.annotate import protocol_of
from factmark.cli.unit_files import UnitFiles
from factmark.ledger.campaigns import campaign_named, tasks_of
from factmark.ledger.ledger import Ledger
from factmark.people.create import draft_campaign
from factmark.people.options import CampaignOptions
from shell import Done, run

SAMPLE = Path(__file__).parents[2] / "examples" / "summaries"


def create(*arguments: object, cwd: Path, status: int = 0) -> Done:
    done = run("annotate", "create", *arguments, cwd=cwd)
    assert done.returncode == status, done.stderr
    assert "Traceback" not in done.stderr
    return done


def kept(path: Path, name: str | None = None) -> tuple[Campaign, list[CampaignTask]]:
    with Ledger(path, read_only=True) as ledger:
        campaign = campaign_named(ledger, name)
        return campaign, tasks_of(ledger, campaign)


def rows(path: Path, *given: dict[str, object]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in given), encoding="utf-8")
    return path


SUMMARIES = SAMPLE / "summaries.jsonl"
PEOPLE = SAMPLE / "people.csv"


def test_the_sample(tmp_path: Path) -> None:
    done = create(SUMMARIES, "--annotators", PEOPLE, "--ledger", "c.db", "--all", cwd=tmp_path)
    for told in ("editor", "model_n", "model_pad", "blanks before marks", "special tokens"):
        assert told in done.stdout
    assert "<pad>" in done.stdout  # the owner sees what was changed
    assert "annotate push c.db" in done.stdout
    campaign, tasks = kept(tmp_path / "c.db")
    assert [one.name for one in campaign.annotators] == ["Ada", "Ben", "Cleo"]
    assert len(tasks) == 12  # nine summaries; one of the three documents twice
    assert len({task.assignment.unit for task in tasks}) == 9
    assert campaign.settings["systems"] == ["editor", "model_n", "model_pad"]
    seen = " ".join(task.shown.text + task.shown.evidence for task in tasks)
    assert not [trace for trace in ("<n>", "<pad>", " .", "editor", "model_") if trace in seen]
    assert "How correct" not in campaign.guidelines
    assert "Rating how correct summaries are" in campaign.guidelines


def test_once_more_is_an_error_and_changes_nothing(tmp_path: Path) -> None:
    arguments = (SUMMARIES, "--annotators", "Ada,Ben", "--ledger", "c.db")
    create(*arguments, cwd=tmp_path)
    before = kept(tmp_path / "c.db")
    again = create(*arguments, cwd=tmp_path, status=2)
    assert "has a campaign 'summaries'" in again.stderr
    assert "--name" in again.stderr
    assert kept(tmp_path / "c.db") == before


def test_a_dry_run_writes_nothing(tmp_path: Path) -> None:
    done = create(
        SUMMARIES, "--annotators", "Ada,Ben", "--dry-run", "--json", "--overlap", "1", cwd=tmp_path
    )
    told = json.loads(done.stdout)
    assert told["details"]["written"] is False
    assert [one["rows"] for one in told["rows"]] == [9, 9]
    assert [one["shared"] for one in told["rows"]] == [9, 9]
    assert [one["hours"] for one in told["rows"]] == [1.25, 1.25]  # 3 × 25 minutes
    assert told["details"]["settings"]["blinding"]["model_pad"]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ((SUMMARIES,), "--annotators"),
        ((SUMMARIES, "--annotators", "Ada,Ben", "--form", "fine", "--clauses", "0"), "--clauses 0"),
        (
            (SUMMARIES, "--annotators", "Ada,Ben", "--guidelines", "g.md"),
            "g.md: there is no such",
        ),
        ((SUMMARIES, "--annotators", "Ada,Ben", "--name", "a\x07"), "--name"),
        (("--annotators", "Ada,Ben", "--form", "support", "--ledger", "g.db"), "no such ledger"),
        (("--annotators", "Ada,Ben", "--form", "facts"), "name the file"),
    ],
)
def test_what_is_wrong_is_told_and_nothing_is_written(
    tmp_path: Path, arguments: tuple[str | Path, ...], told: str
) -> None:
    assert told in create(*arguments, cwd=tmp_path, status=2).stderr
    assert list(tmp_path.iterdir()) == []


def test_another_document_of_the_same_id_in_one_ledger(tmp_path: Path) -> None:
    first = rows(tmp_path / "a.jsonl", {"id": "d", "article": "One.", "s": "One is one."})
    other = rows(tmp_path / "b.jsonl", {"id": "d", "article": "Two.", "s": "One is one."})
    create(first, "--annotators", "Ada", cwd=tmp_path)
    done = create(other, "--annotators", "Ada", cwd=tmp_path, status=2)
    assert "has another document 'd'" in done.stderr


def test_a_summary_has_the_clauses_of_one_cut_only(tmp_path: Path) -> None:
    text = "Hens ate oats all day. They slept well at night."
    source = rows(tmp_path / "a.jsonl", {"id": "d", "article": "Hens.", "s": text})
    fine = (source, "--annotators", "Ada", "--form", "fine", "--ledger", "c.db", "--name")
    for name in ("one", "two"):  # the same clauses
        create(*fine, name, cwd=tmp_path)
    with sqlite3.connect(tmp_path / "c.db") as ledger:
        ledger.execute(
            "INSERT INTO kept_units (id, item, kind, text, data, layout, passage) "
            "SELECT 'whole', item, kind, text, data, layout, passage FROM kept_units "
            "WHERE kind = 'clause' LIMIT 1"
        )
    assert "cut otherwise" in create(*fine, "three", cwd=tmp_path, status=2).stderr


def test_hostile_texts_and_names_are_kept_and_never_run(tmp_path: Path) -> None:
    evil = "<script>alert(1)</script> \x1b[31m {{ 7*7 }} =1+1 \u202e ../../etc"
    source = rows(
        tmp_path / "s.jsonl",
        {"id": "../d", "article": f"Source. {evil}", "=cmd|x": f"It is. {evil}", "<b>": "It is."},
    )
    people = "../../Ada,=1+1,<script>alert(2)</script>"
    done = create(source, "--annotators", people, "--overlap", "1", cwd=tmp_path)
    assert "\x1b" not in done.stdout + done.stderr
    assert "\u202e" not in done.stdout + done.stderr
    campaign, tasks = kept(tmp_path / "campaign.db")
    assert [one.name for one in campaign.annotators] == people.split(",")
    assert len(tasks) == 4
    assert all("\x1b" not in task.shown.text for task in tasks)
    assert any("<script>alert(1)</script>" in task.shown.text for task in tasks)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["campaign.db", "s.jsonl"]


def test_a_sample_of_documents_and_guidelines_of_ones_own(tmp_path: Path) -> None:
    (tmp_path / "g.md").write_text("# Mine\n\n{{rows}} stays as it is.\n")
    create(
        SUMMARIES,
        "--annotators",
        "Ada",
        "--sample",
        "2",
        "--guidelines",
        "g.md",
        "--systems",
        "editor,model_n",
        cwd=tmp_path,
    )
    campaign, tasks = kept(tmp_path / "campaign.db")
    assert campaign.guidelines == "# Mine\n\n{{rows}} stays as it is.\n"
    assert len(tasks) == 4
    sample = campaign.settings["sample"]
    assert isinstance(sample, dict)
    assert (sample["drawn"], sample["of"]) == (2, 3)
    with Ledger(tmp_path / "campaign.db", read_only=True) as ledger:
        assert ledger.counts()["units"] == 6  # the others are there for a judge


TRIPLES = """head,relation,tail,passage
insulin,treats,diabetes mellitus,Insulin treats diabetes mellitus.
metformin,treats,diabetes mellitus,Metformin is given in diabetes mellitus.
insulin,isa,hormone,Insulin is a hormone.
insulin,causes,hunger,
"""


@pytest.mark.parametrize(("form", "units"), [("support", 3), ("validity", 4)])
def test_triples_of_a_file(tmp_path: Path, form: str, units: int) -> None:
    (tmp_path / "t.csv").write_text(TRIPLES)
    done = create("t.csv", "--annotators", "Ada", "--form", form, cwd=tmp_path)
    campaign, tasks = kept(tmp_path / "campaign.db")
    assert campaign.form == form
    assert len(tasks) == units
    if form == "support":
        assert "no passage" in done.stderr
    else:
        assert all("Definition of the relation" in task.shown.evidence for task in tasks)


def test_facts_of_answers(tmp_path: Path) -> None:
    rows(
        tmp_path / "b.jsonl",
        {"id": "Q1", "category": "c", "question": "Which two?", "ground_truth": ["a", "b"]},
    )
    rows(tmp_path / "a.jsonl", {"query_id": "Q1", "answer": "It is a .", "model": "m"})
    create(
        "a.jsonl", "--annotators", "Ada", "--form", "facts", "--benchmark", "b.jsonl", cwd=tmp_path
    )
    _, tasks = kept(tmp_path / "campaign.db")
    assert [(task.shown.text, task.shown.elements) for task in tasks] == [("It is a .", ("a", "b"))]


def test_close_and_open_again(tmp_path: Path) -> None:
    create(SUMMARIES, "--annotators", "Ada", cwd=tmp_path)
    close = ("annotate", "close", "campaign.db")
    assert run(*close, cwd=tmp_path).returncode == 0
    since = kept(tmp_path / "campaign.db")[0].closed
    again = run(*close, cwd=tmp_path)
    assert (again.returncode, f"is closed since {since}" in again.stderr) == (0, True)
    assert since == kept(tmp_path / "campaign.db")[0].closed != ""
    assert run(*close, "--reopen", cwd=tmp_path).returncode == 0
    assert kept(tmp_path / "campaign.db")[0].closed == ""
    wrong = run(*close, "--campaign", "other", cwd=tmp_path)
    assert (wrong.returncode, "--campaign other" in wrong.stderr) == (2, True)
    assert run("annotate", "close", "none.db", cwd=tmp_path).returncode == 2
    assert not (tmp_path / "none.db").exists()


def test_ledgers_of_one_file_have_titles_of_their_own(tmp_path: Path) -> None:
    (tmp_path / "s.jsonl").write_text('{"article": "It rained.", "x": "It was wet."}\n')
    titles = [
        draft_campaign(
            CampaignOptions(
                files=UnitFiles(source=tmp_path / "s.jsonl"), annotators=who, ledger=tmp_path / name
            ),
            protocol_of,
        ).campaign.settings["title"]
        for name, who in (("a.db", "Ada"), ("b.db", "Ada"), ("a.db", "Ben"), ("a.db", "Ada"))
    ]
    assert len(set(titles[:3])) == 3
    assert titles[3] == titles[0]
