"""Marks of a campaign as annotated answers: written, read back, scored, and used to correct."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from factmark.answers.marks.annotations import open_annotations
from factmark.campaign_model import Campaign, Marking
from factmark.cli.annotate import protocol_of
from factmark.ledger.ledger import Ledger
from factmark.people.annotated_answers import annotated_answers
from marked import fact_campaign, mark, rows_of, units_of
from shell import run

GOLD = Path(__file__).parents[1] / "data" / "answers_annotated.jsonl"


def marking_of(row: dict[str, Any], folder: Path) -> Marking:
    """What a row's annotator marked: grounded is what has a match, and the matches are ticked."""
    one = folder / "one.jsonl"
    one.write_text(json.dumps(row), "utf-8")
    ((facts, verdict, absence),) = open_annotations(one).marked.values()
    given = row["annotator_1"]["facts"]
    spans = [
        ((fact.start, fact.end), told["match"]) for fact, told in zip(facts, given, strict=True)
    ]
    return Marking(
        grounded=tuple(sorted(span for span, match in spans if match is not None)),
        ungrounded=tuple(sorted(span for span, match in spans if match is None)),
        covered=tuple(one for one in row["ground_truth"] if one in [match for _, match in spans]),
        verdict=verdict,
        absence=absence,
    )


def write_rows(ledger: Ledger, campaign: Campaign, path: Path) -> int:
    """Writes the marked answers of a campaign, annotators by their names; returns how many."""
    names = {person.name: person.name for person in campaign.annotators}
    rows = [row for _, row in annotated_answers(ledger, campaign, protocol_of, names)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return len(rows)


def score(folder: Path, *more: str) -> dict[str, Any]:
    done = run(
        "score",
        "answers.jsonl",
        "-b",
        "truth.jsonl",
        "--json",
        "--resamples",
        100,
        *more,
        cwd=folder,
    )
    assert done.returncode == 0, done.stderr
    made: dict[str, Any] = json.loads(done.stdout)
    return made


def test_the_whole_loop_gives_the_scores_of_the_annotated_answers(tmp_path: Path) -> None:
    """136 answers: marked in a campaign, exported, and scored by `factmark score --annotations`."""
    rows = [json.loads(line) for line in GOLD.read_text("utf-8").splitlines()]
    asked = {row["query_id"]: row for row in rows}
    truth = [
        {
            "query_id": name,
            "category": "c",
            "question": row["question"],
            "ground_truth": row["ground_truth"],
        }
        for name, row in asked.items()
    ]
    same = [row for row in rows if row["ground_truth"] == asked[row["query_id"]]["ground_truth"]]
    with Ledger(tmp_path / "l.db") as ledger:
        campaign = fact_campaign(ledger, same, "annotator_1")
        for row, (_, _, unit) in zip(same, units_of(same), strict=True):
            mark(ledger, campaign, "A1", unit, marking_of(row, tmp_path))
        assert write_rows(ledger, campaign, tmp_path / "marks.jsonl") == len(same)
    for name, lines in (("truth", truth), ("answers", same)):
        text = "".join(json.dumps(line) + "\n" for line in lines)
        (tmp_path / f"{name}.jsonl").write_text(text, "utf-8")
    made = score(tmp_path, "--annotations", "marks.jsonl", "--annotator", "annotator_1")
    exported = [json.loads(x) for x in (tmp_path / "marks.jsonl").read_text("utf-8").splitlines()]
    by_id = {row["id"]: row for row in made["rows"]}
    assert len(by_id) == len(same) >= 130
    differs = {}
    for row, out in zip(same, exported, strict=True):
        gold = [row["annotator_1"][name] for name in "CHS"]
        scored = by_id[row["id"]]
        rules = [scored[name] for name in ("completeness", "hallucination_rate", "combined_score")]
        people = [out["annotator_1"][name] for name in "CHS"]
        if rules != pytest.approx(gold, abs=1e-4) or people != pytest.approx(gold, abs=1e-4):
            differs[row["id"]] = (gold, rules, people)
    assert differs == {}


ROWS = rows_of(
    ("There are 30 datasets, on asthma and gout.", ["30", "asthma"]),
    ("Lupus, and none else.", ["lupus"]),
    ("Nothing was found.", []),
)


def spans(row: dict[str, Any], *texts: str) -> tuple[tuple[int, int], ...]:
    return tuple((at := row["answer"].index(text), at + len(text)) for text in texts)


def filled(folder: Path) -> Path:
    """Ann marks the first two answers, Ben the first and the last, one of them once more."""
    first, second, third = (unit for _, _, unit in units_of(ROWS))
    with Ledger(folder / "l.db") as ledger:
        campaign = fact_campaign(ledger, ROWS, "Ann", "answer")
        said = [
            ("A1", first, Marking(ungrounded=spans(ROWS[0], "datasets"))),
            (
                "A1",
                first,
                Marking(
                    grounded=spans(ROWS[0], "30", "asthma"),
                    covered=("30", "asthma"),
                    ungrounded=spans(ROWS[0], "gout"),
                ),
            ),
            ("A1", second, Marking(ungrounded=spans(ROWS[1], "Lupus"))),
            ("A1", second, Marking(grounded=spans(ROWS[1], "Lupus"), covered=("lupus",))),
            (
                "A2",
                first,
                Marking(
                    grounded=spans(ROWS[0], "30"),
                    covered=("30",),
                    ungrounded=spans(ROWS[0], "datasets", "asthma", "gout"),
                    verdict="no",
                ),
            ),
            ("A2", third, Marking(absence=True)),
        ]
        for turn, (code, unit, marking) in enumerate(said):
            mark(ledger, campaign, code, unit, marking, turn)
        assert write_rows(ledger, campaign, folder / "marks.jsonl") == 3
    return folder / "marks.jsonl"


def test_rows_hold_the_newest_marks_of_each_person(tmp_path: Path) -> None:
    rows = [json.loads(line) for line in filled(tmp_path).read_text("utf-8").splitlines()]
    by_id = {row["query_id"]: row for row in rows}
    assert [fact["quote"] for fact in by_id["Q0"]["Ann"]["facts"]] == ["30", "asthma", "gout"]
    assert [fact["match"] for fact in by_id["Q0"]["A2"]["facts"]] == ["30", None, None, None]
    assert by_id["Q0"]["A2"]["verdict"] == "no"  # the code: the name is that of a field
    assert (by_id["Q1"]["Ann"]["C"], by_id["Q1"]["Ann"]["H"]) == (1.0, 0.0)
    assert "A2" not in by_id["Q1"]
    assert by_id["Q2"]["A2"]["absence"] is True


def test_the_export_corrects_the_scores_of_the_rules(tmp_path: Path) -> None:
    filled(tmp_path)
    truth = [{name: value for name, value in row.items() if name != "id"} for row in ROWS]
    for name, rows in (("truth", truth), ("answers", ROWS)):
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    made = score(tmp_path, "--people", "marks.jsonl")
    assert made["signature"]["people"] == "Ann, A2"
    assert made["details"]["corrected"][0]["annotated"] == 3


def test_two_people_agree_on_facts_and_elements(tmp_path: Path) -> None:
    filled(tmp_path)
    done = run("agree", "l.db", "--json", "--resamples", 100, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    found = {
        panel["kind"]: next(row for row in panel["comparisons"] if row["stratum"] == "overall")
        for panel in json.loads(done.stdout)["details"]["kinds"]
    }
    # of Q0: 30, asthma and gout, which both marked; Ann took `datasets` back, and alone has Lupus
    assert found["fact"]["n_units"] == 3
    assert (found["fact"]["n_unlabelled"], found["fact"]["n_alone"]) == (0, 2)
    assert found["element"]["n_units"] == 2
    assert found["element"]["n_alone"] == 1
    assert (found["polarity"]["n_units"], found["absence"]["n_units"]) == (1, 1)
