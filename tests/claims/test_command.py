"""`factmark claims judge` and `fm.claims` as users run them, against a real model server."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

import factmark as fm
from envelope import envelope_in, written_in
from factmark.claim_support.evidence import NOTHING_FOUND
from factmark.claim_support.options import ClaimsOptions
from factmark.claim_support.study import judge_claims
from factmark.cli.asking import Asking
from factmark.report.correction_tables import correction_table
from factmark.report.files import RESULT_FILES
from servers.model_server import Running
from servers.scripted import running
from shell import Done, run

MODEL = "openai:test-model"
TABLE = """id,claim,passage,label,verdict:gpt,year,topic
a,Metformin treats diabetes,Metformin treats diabetes.,Supports,1,2020,x
b,Insulin causes asthma,Insulin lowers glucose.,Neutral,1,2021,x
c,Aspirin treats fever,Aspirin does not treat fever.,Refutes,0,2022,y
a,Metformin treats diabetes,Metformin treats diabetes.,,1,2023,y
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret-0123456789abcdef")
    (tmp_path / "c.csv").write_text(TABLE)
    (tmp_path / "r.jsonl").write_text(
        '{"id": "r1", "response": "Ada knows Ben and Ben knows Cem. Cem is old.", "system": "m"}\n'
        '{"id": "r2", "response": "Dor is young and Eve is tall.", "system": "n"}\n'
    )
    (tmp_path / "p.jsonl").write_text(
        "".join(
            json.dumps({"id": f"p{n}", "text": text}) + "\n"
            for n, text in enumerate(["Ada knows Ben well.", "Eve is tall.", "Rain falls."])
        )
    )
    return tmp_path


def judge(folder: Path, *more: object, status: int = 0) -> Done:
    done = run("claims", "judge", *more, cwd=folder)
    assert done.returncode == status, done.stderr
    return done


def results(done: Done) -> dict[str, Any]:
    return envelope_in(done.stdout)


def table(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_the_table_comes_back_with_labels_and_every_row(folder: Path) -> None:
    """Rows of the same claim and passage are one unit and stay two rows; own columns pass through,
    one that is called as a column of the results under another name."""
    judge(folder, "c.csv", "--column", "cluster=topic", "--out", "o")
    rows = table(folder / "o" / "rows.csv")
    assert [row["id"] for row in rows] == ["a", "b", "c", "a"]
    assert [row["year"] for row in rows] == ["2020", "2021", "2022", "2023"]
    assert [row["label_given"] for row in rows] == ["Supports", "Neutral", "Refutes", ""]
    assert [row["label"] for row in rows] == ["SUPPORTED", "", "CONTRADICTED", "SUPPORTED"]
    assert [row["status"] for row in rows] == ["ok", "undecided", "ok", "ok"]
    assert rows[2]["evidence"] == "Aspirin does not treat fever."
    assert [row["cluster"] for row in rows] == ["x", "x", "y", "y"]
    page = (folder / "o" / "report.html").read_text()
    assert "Aspirin does not treat fever." in page
    assert {*RESULT_FILES} <= {path.name for path in (folder / "o").iterdir()}
    for end in ("md", "tex"):  # the score, the judges beside people, and what they gave by whom
        text = (folder / "o" / f"tables.{end}").read_text()
        assert all(title in text for title in ("Claims of c.csv", "Judges of c.csv", "gave, by"))


def test_what_the_rules_leave_undecided_is_missing_and_makes_no_score(folder: Path) -> None:
    """3 of 4 decided are fewer than the 80 % that a score by rule needs; 2 of 4 are supported."""
    value = results(judge(folder, "c.csv", "--json"))
    assert value["score"]["score"] is None
    assert value["score"]["missing"]["undecided"] == 1
    assert (value["score"]["estimate"]["worst"], value["score"]["estimate"]["best"]) == (0.5, 0.75)
    assert any(note.startswith("The rules decided 3 of 4") for note in value["problems"])


def test_foreign_verdicts_are_compared_and_corrected(folder: Path) -> None:
    """gpt is right of the one supported and of one of the two others: (1 + 1/2) / 2."""
    gpt = results(judge(folder, "c.csv", "--json"))["judges"][1]
    assert (gpt["judge"], gpt["foreign"]) == ("gpt", True)
    assert gpt["balanced_accuracy"]["value"] == 0.75
    assert gpt["labels"]["NOT_SUPPORTED"]["SUPPORTED"] == 1
    assert gpt["correction"]["labels"] == 4
    assert gpt["correction"]["judge_only"]["value"] == 0.75


@pytest.mark.parametrize("order", [(0, 1, 2), (1, 0, 2), (2, 1, 0)])
def test_rows_of_one_claim_that_people_call_differently_say_nothing_of_a_third(
    order: tuple[int, ...],
) -> None:
    labels = (1, 0, None)
    rows = [{"claim": "A is B", "passage": "A is B.", "label": labels[n]} for n in order]
    judged = fm.claims(rows).json_rows()
    assert [row["people"] for row in judged] == [labels[n] for n in order]


def test_foreign_verdicts_are_in_the_ledger_as_any_other(folder: Path) -> None:
    """gpt judged all three units (two rows are one): the ledger compares it with the rules."""
    judge(folder, "c.csv", "--ledger", "l.db")
    kept = run("ledger", "info", "l.db", "--json", cwd=folder)
    assert kept.returncode == 0, kept.stderr
    judges = {entry["name"]: entry for entry in json.loads(kept.stdout)["rows"]}
    assert judges["gpt"]["kind"] == "foreign"
    assert sum(judges["gpt"]["statuses"].values()) == 3
    people = judges[f"people of {folder.name}/c.csv"]
    assert (people["kind"], sum(people["statuses"].values())) == ("person", 3)


def test_two_tables_are_compared_cluster_by_cluster(folder: Path) -> None:
    """Claims of two systems differ; what they were asked is the same."""
    (folder / "stated.py").write_text(
        "def judge(unit):\n"
        "    return 'SUPPORTED' if unit['claim'] == unit['evidence'] else 'NOT_SUPPORTED'\n"
    )
    for name, n_stated in (("x", 12), ("y", 6)):
        rows = (f"q{n},A is {n},A is {n if n < n_stated else -1}" for n in range(12))
        (folder / f"{name}.csv").write_text("cluster,claim,passage\n" + "\n".join(rows) + "\n")
        judge(folder, f"{name}.csv", "--judge", "stated:judge", "--out", name)
    done = run("compare", "x", "y", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert "By supported claims, x is better than y on 12 clusters: 1.00" in done.stdout


@pytest.mark.parametrize(
    ("parts", "claim"),
    [
        (['The song "Ran"', "was sung by", "'I'm'"], 'The song "Ran" was sung by I\'m'),
        (['"Ada"', "knows", "Ben"], "Ada knows Ben"),
    ],
)
def test_quotes_around_a_part_of_a_triple_go_and_those_within_stay(
    folder: Path, parts: list[str], claim: str
) -> None:
    (folder / "t.json").write_text(json.dumps([{"id": "-7", "triplet": parts}]))
    assert results(judge(folder, "t.json", "--json"))["rows"][0]["claim"] == claim
    judge(folder, "t.json", "--out", "o")
    assert table(folder / "o" / "rows.csv")[0]["id"] == "-7"


def test_what_the_results_name_does_not_pass_through_twice(folder: Path) -> None:
    (folder / "w.jsonl").write_text(
        json.dumps({"statement": " A is B. ", "evidence": ["A is B.", "So."], "n": 2, "t": "x"})
    )
    judge(folder, "w.jsonl", "--out", "o")
    (row,) = table(folder / "o" / "rows.csv")
    assert (row["claim"], row["evidence"], row["n"]) == ("A is B.", "A is B. So.", "2")
    assert not {"statement", "evidence_given", "claim_given"} & row.keys()


def test_another_program_is_the_judge_and_its_newer_verdict_counts(folder: Path) -> None:
    """A column that was changed since is read anew; a name that nobody has is told."""
    asked = ("c.csv", "--judge", "verdict:gpt", "--ledger", "l.db", "--json")
    first = results(judge(folder, *asked))
    assert (first["score"]["score"], [j["judge"] for j in first["judges"]]) == (0.75, ["gpt"])
    (folder / "c.csv").write_text(TABLE.replace("Neutral,1", "Neutral,0"))
    assert results(judge(folder, *asked))["score"]["score"] == 0.5
    done = judge(folder, "c.csv", "--judge", "verdict:nobody", "--ledger", "l.db", status=1)
    assert "no column 'verdict:nobody'" in done.stderr


def test_a_label_counts_for_every_row_of_its_claim(folder: Path) -> None:
    rows = results(judge(folder, "c.csv", "--json"))["rows"]
    assert [(row["id"], row["people"]) for row in rows] == [
        *(("a", 1.0), ("b", 0.0), ("c", 0.0), ("a", 1.0))
    ]


def test_what_people_say_is_the_result_where_the_rules_say_too_little(folder: Path) -> None:
    """The rules decide fewer than four of five, so that they have no score of their own."""
    (folder / "o.csv").write_text(
        "claim,passage,label\n" + "".join(f"A is {n},B is {n}.,{n % 2}\n" for n in range(20))
    )
    done = judge(folder, "o.csv")
    assert "There is no share" not in done.stdout
    said = re.compile(r"0\.50 \[(.+?)–(.+?)\] of 20 claims are supported by their evidence, as")
    speaks_for_process = said.match(done.stdout)
    assert speaks_for_process
    low, high = map(float, speaks_for_process.groups())
    # About as 10 of 20 labels tell of what wrote the claims, by Wilson 0.30 to 0.70.
    assert 0.25 < low < 0.32
    assert 0.68 < high < 0.75
    of_these = said.match(judge(folder, "o.csv", "--target", "units").stdout)
    assert of_these
    assert of_these.groups() == ("0.50", "0.50")
    judge(folder, "o.csv", "--out", "o")
    _, _, figures = (folder / "o" / "report.html").read_text().partition('<div class="main">')
    assert figures.split("<dt>")[1].startswith("Supported, corrected by 20 labels of people")
    assert figures.index("Claims, corrected by 20") < figures.rindex("all claims")


def test_a_model_judges_once_and_what_is_kept_is_not_asked_again(
    folder: Path, server: Running
) -> None:
    asked = ("c.csv", "--judge", MODEL, "--base-url", server.base_url, "--json")
    forecast = results(judge(folder, *asked, "--dry-run"))
    assert forecast["details"]["calls"] == 3
    assert server.stats()["requests"] == 0
    first = results(judge(folder, *asked))
    assert server.stats()["replies"] == 3
    assert first["score"]["total_facts"] == 4
    again = results(judge(folder, *asked))
    assert server.stats()["replies"] == 3
    assert again["score"] == first["score"]
    assert again["judges"][0]["balanced_accuracy"] == first["judges"][0]["balanced_accuracy"]


def test_a_budget_stops_and_the_same_command_goes_on(folder: Path, server: Running) -> None:
    asked = ("c.csv", "--judge", MODEL, "--base-url", server.base_url, "--json")
    part = results(judge(folder, *asked, "--max-calls", 1, status=3))
    assert part["left"] > 0
    whole = results(judge(folder, *asked))
    assert (whole["left"], whole["score"]["total_facts"]) == (0, 4)
    assert server.stats()["replies"] == 3


def test_responses_are_cut_into_claims_by_a_model_and_judged_by_the_corpus(
    folder: Path, server: Running
) -> None:
    """Three sentences, five claims; each sees the passages that share a word with it."""
    asked = ("r.jsonl", "--split", MODEL, "--judge", MODEL, "--base-url", server.base_url)
    done = judge(folder, *asked, "--corpus", "p.jsonl", "--k", 1, "--out", "o", "--all")
    rows = table(folder / "o" / "rows.csv")
    assert [row["claim"] for row in rows] == [
        *("Ada knows Ben", "Ben knows Cem", "Cem is old.".rstrip(".")),
        *("Dor is young", "Eve is tall"),
    ]
    assert [row["cluster"] for row in rows] == ["r1"] * 3 + ["r2"] * 2
    assert [row["system"] for row in rows] == ["m"] * 3 + ["n"] * 2
    assert (rows[0]["evidence"], rows[0]["passage_id"]) == ("Ada knows Ben well.", "p0")
    assert rows[4]["evidence"] == "Eve is tall."
    assert (rows[2]["evidence"], rows[2]["label"]) == ("", "")
    assert (rows[2]["status"], rows[2]["reason"]) == ("undecided", NOTHING_FOUND)
    assert "nothing in the corpus: 2 kept (line 1, claim 3: 'Cem is old';" in done.stderr
    assert "Mean of the clusters" in done.stdout
    replies = server.stats()["replies"]
    judge(folder, *asked, "--corpus", "p.jsonl", "--k", 1, "--out", "o")
    assert server.stats()["replies"] == replies
    known = results(
        judge(folder, *asked, "--corpus", "p.jsonl", "--k", 1, "--ledger", "o/ledger.db",
              "--dry-run", "--json")
    )  # fmt: skip
    assert known["details"]["calls"] == 0


def test_passages_that_are_named_and_not_given_are_told(folder: Path) -> None:
    (folder / "n.csv").write_text("claim,passage_id\nZinc helps,p7\n")
    done = judge(folder, "n.csv")
    assert "--passages FILE brings 'p7'" in done.stderr


def test_a_claim_without_its_passage_is_missing_and_in_every_file(tmp_path: Path) -> None:
    """Also a response: it is one row, and its label is that of a claim where it is one."""
    (tmp_path / "p.jsonl").write_text('{"id": "p1", "text": "A is B."}')
    (tmp_path / "c.csv").write_text("claim,passage_id,label\nA is B.,p1,\nA is C.,p2,Neutral\n")
    done = judge(tmp_path, "c.csv", "--passages", "p.jsonl", "--out", "o", "--judge", "rules")
    rows = [(row["status"], row["people"]) for row in table(tmp_path / "o" / "rows.csv")]
    assert rows == [("ok", ""), ("undecided", "0.0")]
    told = written_in(tmp_path / "o")
    assert told["score"]["missing"]["undecided"] == 1
    assert "no passage of that id (p2)" in " ".join(done.stderr.split())
    (tmp_path / "r.csv").write_text("response,passage_id\nA is B.,p1\nA is C. A is D.,p2\n")
    asked = ("r.csv", "--split", "sentences", "--passages", "p.jsonl", "--out", "r")
    done = judge(tmp_path, *asked, "--judge", "rules")
    rows = [(row["claim"], row["status"]) for row in table(tmp_path / "r" / "rows.csv")]
    assert rows == [("A is B.", "ok"), ("A is C. A is D.", "undecided")]


def test_a_judge_that_decides_nothing_has_no_sensitivity(tmp_path: Path) -> None:
    rows = [{"claim": f"X{n}", "passage": "Y.", "label": n % 2} for n in range(20)]
    judged = fm.claims(rows, judge="rules")
    own = judged.details.own.correction
    assert (own.sensitivity, own.specificity) == (None, None)
    notes = correction_table("Claims", own).notes
    assert "The judge decided no unit, so it has no sensitivity and specificity." in notes
    (tmp_path / "c.csv").write_text("claim,passage\nA is B.,A is B.\n")
    shown = " ".join(judge(tmp_path, "c.csv", "--judge", "rules").stdout.split())
    assert "of 1 claim is supported by its evidence" in shown


def test_each_system_has_its_score(folder: Path) -> None:
    judge(folder, "r.jsonl", "--split", "sentences", "--corpus", "p.jsonl", "--out", "o")
    value = written_in(folder / "o")
    missing = {name: sum(s["missing"].values()) for name, s in value["by_system"].items()}
    assert missing == {"m": 2, "n": 1}


def test_a_sentence_that_could_not_be_split_is_missing(folder: Path, server: Running) -> None:
    server.set(malformed=1.0)
    asked = ("r.jsonl", "--split", MODEL, "--base-url", server.base_url, "--json")
    value = results(judge(folder, *asked))
    assert value["score"]["missing"]["unparsed"] == 3


def test_sentences_are_claims_offline(folder: Path) -> None:
    judge(folder, "r.jsonl", "--split", "sentences", "--corpus", "p.jsonl", "--out", "o")
    claims = [row["claim"] for row in table(folder / "o" / "rows.csv")]
    assert claims == [
        *("Ada knows Ben and Ben knows Cem.", "Cem is old.", "Dor is young and Eve is tall.")
    ]


def test_an_index_of_passages_is_a_corpus(folder: Path) -> None:
    """Made once of a file of passages, kept while the file is the same, then made anew."""

    def chunks() -> tuple[int, str]:
        done = run("rag", "build", "i", "--passages", "p.jsonl", "--json", cwd=folder)
        assert done.returncode == 0, done.stderr
        told = results(done)
        return told["chunks"], (folder / "i" / "manifest.json").read_text()

    count, first = chunks()
    assert (count, chunks()) == (3, (3, first))
    asked = ("r.jsonl", "--split", "sentences", "--k", 1, "--out", "o")
    judge(folder, *asked, "--corpus", "i")
    from_index = [row["evidence"] for row in table(folder / "o" / "rows.csv")]
    assert from_index == ["Ada knows Ben well.", "", "Eve is tall."]
    judge(folder, *asked, "--corpus", "p.jsonl")
    assert [row["evidence"] for row in table(folder / "o" / "rows.csv")] == from_index
    with (folder / "p.jsonl").open("a") as file:
        file.write('{"id": "p3", "text": "Cem is old."}\n')
    assert chunks()[0] == 4


def test_a_response_without_a_claim_is_noted(folder: Path) -> None:
    (folder / "e.csv").write_text("response\nIt is old.\n...\nnan\n")
    value = results(judge(folder, "e.csv", "--split", "sentences", "--json"))
    assert value["score"]["missing"]["undecided"] == 2  # the claim, and the cell of pandas
    assert any("abstention" in note and "line 3" in note for note in value["problems"])
    assert any("no response but a message" in note for note in value["problems"])


def test_a_function_of_ones_own_sees_claim_and_evidence(folder: Path) -> None:
    (folder / "own_claims.py").write_text(
        "def judge(unit):\n"
        "    return 'SUPPORTED' if unit['claim'] in unit['evidence'] else 'NOT_SUPPORTED'\n"
    )
    value = results(judge(folder, "c.csv", "--judge", "own_claims:judge", "--json"))
    assert (value["score"]["correct_facts"], value["score"]["not_supported"]) == (2, 2)


def test_people_label_a_sheet_of_claims(folder: Path, server: Running) -> None:
    """Labels that come into the ledger correct the score as those in the table do."""
    (folder / "bare.csv").write_text("id,claim\n" + "".join(f"i{n},A is {n}\n" for n in range(30)))
    judging = ("--judge", MODEL, "--mode", "general", "--base-url", server.base_url)
    asked = ("bare.csv", *judging, "--ledger", "s.db")
    judge(folder, *asked)
    sheet = ("plan", "--ledger", "s.db", "--labels", "10", "--sheet", "sheet.csv")
    assert run(*sheet, cwd=folder).returncode == 0
    rows = table(folder / "sheet.csv")
    for row in rows:
        row |= {
            "annotator": "Ada",
            "label": "SUPPORTED" if len(row["claim"]) > 6 else "CONTRADICTED",
        }
    with (folder / "sheet.csv").open("w", newline="") as file:
        out = csv.DictWriter(file, list(rows[0]))
        out.writeheader()
        out.writerows(rows)
    brought = run("ledger", "import", "s.db", "sheet.csv", cwd=folder)
    assert brought.returncode == 0, brought.stderr
    value = results(judge(folder, *asked, "--json"))
    assert value["annotators"] == ["Ada"]
    assert value["judges"][0]["correction"]["labels"] == len(rows)


def test_summaries_of_a_campaign_go_in(folder: Path) -> None:
    (folder / "s.jsonl").write_text(
        json.dumps(
            {"article": "Metformin treats diabetes. It is old.", "a": "It is old. It is red."}
        )
    )
    made = run(
        "annotate", "create", "s.jsonl", "--annotators", "Ada", "--ledger", "s.db", cwd=folder
    )
    assert made.returncode == 0, made.stderr
    judge(folder, "s.db", "--split", "sentences", "--out", "o")
    rows = table(folder / "o" / "rows.csv")
    assert [(row["claim"], row["label"], row["system"]) for row in rows] == [
        ("It is old.", "SUPPORTED", "a"),
        ("It is red.", "", "a"),
    ]


def test_answers_of_a_folder_of_results_go_in(folder: Path) -> None:
    (folder / "q.jsonl").write_text(
        '{"id": "q1", "category": "x", "question": "Who?", "ground_truth": ["Ada"]}\n'
    )
    (folder / "answers.jsonl").write_text(
        '{"query_id": "q1", "answer": "It is Ada. She is tall."}\n'
    )
    scored = run("score", "answers.jsonl", "--benchmark", "q.jsonl", "--out", "res", cwd=folder)
    assert scored.returncode == 0, scored.stderr
    judge(folder, "res", "--split", "sentences", "--corpus", "p.jsonl", "--out", "o")
    rows = table(folder / "o" / "rows.csv")
    assert [(row["claim"], row["cluster"]) for row in rows] == [
        *(("It is Ada.", "q1"), ("She is tall.", "q1"))
    ]


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (("none.csv",), "there is no such file"),
        (("r.jsonl",), "--split MODEL"),
        (("c.csv", "--dry-run"), "--judge names none"),
        (("c.csv", "--judge", "nonsense"), "nonsense"),
        (("bare.csv", "--corpus", "."), "holds no index of passages"),
    ],
)
def test_bad_input_ends_with_2_and_says_what_to_do(
    folder: Path, more: tuple[str, ...], message: str
) -> None:
    (folder / "bare.csv").write_text("claim\nA is B\n")
    done = judge(folder, *more, status=2)
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_results_do_not_take_the_place_of_an_input(folder: Path) -> None:
    (folder / "o").mkdir()
    (folder / "o" / "rows.csv").write_text(TABLE)
    done = judge(folder, "o/rows.csv", "--out", "o", status=2)
    assert "would be written over" in done.stderr
    assert (folder / "o" / "rows.csv").read_text() == TABLE


def test_frames_go_in_and_come_out(folder: Path, server: Running) -> None:
    frame = list(csv.DictReader(TABLE.splitlines()))
    judged = fm.claims(frame, judge=MODEL, ledger=folder / "f.db", base_url=server.base_url)
    assert set(judged.averages) == {"claims", "balanced accuracy", "corrected by people"}
    assert list(judged.to_polars()["year"]) == ["2020", "2021", "2022", "2023"]
    assert set(judged.to_polars()["status"]) == {"ok"}
    judged.report(folder / "report")
    assert (folder / "report" / "report.html").is_file()
    assert "supported by their evidence" in repr(judged)
    agreed = fm.agree(folder / "f.db")
    assert "people of the frame" in repr(agreed)
    assert "rows.jsonl" not in repr(agreed)
    other = fm.claims(frame, judge="verdict:gpt", ledger=folder / "g.db")
    assert len(fm.compare(judged, other).rows) == 1


def test_contrary_verdicts_on_one_claim_are_told_and_missing_whoever_judges() -> None:
    row = {"passage": "A.", "label": 1}
    rows = [{"claim": f"A is B{n}", "verdict:x": n % 2, **row} for n in range(6)]
    rows += [{**rows[0], "verdict:x": 1}, {**rows[1], "verdict:x": None}]
    own, beside = (fm.claims(rows, judge=judge) for judge in ("verdict:x", "rules"))
    for results, place in ((own, 0), (beside, 1)):
        assert results.to_pandas("judges").to_dict("records")[place]["missing"] == 2
        (told,) = [text for text in results.problems if "contrary" in text]
        assert told == (
            "1 unit has rows with contrary verdicts in the column verdict:x; none is taken "
            "(the first: line 1 and line 7)"
        )
    assert own.averages["claims"].n_units == 6


def test_an_empty_cell_of_the_judging_column_is_missing_and_its_label_counts() -> None:
    """Nobody will judge it: whoever reads the score sees it missing, as beside another judge."""
    rows: list[dict[str, object]] = [
        {"claim": f"A is B{n}", "passage": "A.", "verdict:gpt": n % 2, "verdict:old": 1, "label": 1}
        for n in range(8)
    ]
    rows[3] |= {"verdict:gpt": None, "label": 0}
    own, beside = (fm.claims(rows, judge=f"verdict:{name}") for name in ("gpt", "old"))
    score = own.averages["claims"]
    assert (score.n_units, score.n_missing, own.averages["corrected by people"].n_labels) == (
        7,
        1,
        8,
    )
    assert (score.worst, score.best) == (0.375, 0.5)
    (gpt,) = [row for row in beside.to_pandas("judges").to_dict("records") if row["judge"] == "gpt"]
    assert own.to_pandas("judges").to_dict("records")[0]["corrected"] == gpt["corrected"]
    for n, row in enumerate(rows):  # two systems in one table are compared
        row |= {"system": "xy"[n % 2], "cluster": str(n // 2), "verdict:old": n % 2}
    compared = fm.compare(fm.claims(rows, judge="verdict:old"))
    assert compared.averages["share: x - y"].value == -1
    assert any("1 no verdict in the column verdict:gpt" in problem for problem in own.problems)


def test_systems_of_one_table_are_compared_alike_from_a_folder_and_in_python(
    tmp_path: Path,
) -> None:
    """Also where one claim is two systems', and where a column of another name tells them."""
    rows: list[dict[str, object]] = [
        {
            **{"claim": f"A is B{n % 8 // 3}", "passage": "A.", "verdict:old": n % 8 // 3 % 2},
            **{"who": "xyz"[n % 3], "cluster": str(n // 3)},
        }
        for n in range(24)
    ]
    (tmp_path / "c.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    judge(tmp_path, "c.jsonl", "--judge", "verdict:old", "--column", "system=who", "--out", "o")
    done = run("compare", "o", "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    compared = fm.compare(fm.claims(rows, judge="verdict:old", column={"system": "who"}))
    averages = {name: estimate.data for name, estimate in compared.averages.items()}
    printed = json.loads(done.stdout)["averages"]
    assert {name: average["data"] for name, average in printed.items()} == averages
    notes = " ".join(compared.problems)
    assert "labels of people" not in notes
    rows = [row | {"cluster": str(n // 6)} for n, row in enumerate(rows)]  # two claims of each
    rows[0] |= {"verdict:old": "", "claim": "C is D"}
    rows[1]["label"] = "SUPPORTED"
    judged = fm.claims(
        rows, judge="verdict:old", column={"system": "who"}, ledger=tmp_path / "l.db"
    )
    board, pairs_table = fm.compare(judged).tables.values()
    missing = {str(row["system"])[-1]: row["n_missing"] for row in board.rows()}
    assert missing == {"x": 1, "y": 0, "z": 0}
    assert any("Claims without a verdict: " in note for note in pairs_table.notes)
    assert any("A − B over all clusters" in note for note in pairs_table.notes)
    shown = run("compare", "l.db", "--all", cwd=tmp_path)
    assert "Claims without a verdict: x 1;" in shown.stdout
    for text in (shown.stdout + shown.stderr, " ".join(fm.compare(judged).problems)):
        assert text.count("People labelled fewer than 20 clusters of ") == 1
    whole = run("compare", "o", "--by", "file", cwd=tmp_path)
    assert whole.returncode == 2
    assert "o: is one system" in whole.stderr


BARE = """id,claim,passage
a,Ada is old,Ada is old.
b,Ben is old,
c,Cem is old,\u00a0
d,Dor is old,nan
e,Eve is old,"['', None]"
"""


@pytest.mark.parametrize("more", [(), ("--batch", "3"), ("--samples", "2")])
def test_a_claim_without_evidence_is_missing_and_nobody_is_asked(
    folder: Path, server: Running, more: tuple[str, ...]
) -> None:
    """Whatever the empty cell looks like, and whatever shares its call."""
    (folder / "b.csv").write_text(BARE)
    asked = ("b.csv", "--judge", MODEL, "--base-url", server.base_url, *more)
    forecast = results(judge(folder, *asked, "--dry-run", "--json"))
    value = results(judge(folder, *asked, "--json"))
    assert (
        forecast["details"]["calls"]
        == server.stats()["replies"]
        == (2 if "--samples" in more else 1)
    )
    assert (value["score"]["total_facts"], value["score"]["missing"]["undecided"]) == (1, 4)
    told = [(row["status"], row["reason"]) for row in value["rows"][1:]]
    assert told == [("undecided", "no passage")] * 4
    assert any("--mode general" in note for note in value["problems"])


def test_general_truth_has_a_line_of_its_own(folder: Path, server: Running) -> None:
    (folder / "b.csv").write_text(BARE)
    asked = ("b.csv", "--judge", MODEL, "--base-url", server.base_url, "--mode", "general")
    value = results(judge(folder, *asked, "--json"))
    parts = {name: part["total_facts"] for name, part in value["by_basis"].items()}
    assert parts == {"by general truth alone": 4, "with a passage": 1}
    shown = " ".join(judge(folder, *asked).stdout.split())
    assert "supported by their evidence or by general truth" in shown
    assert "judged by general" in shown


def test_a_function_of_ones_own_may_have_evidence_of_its_own(folder: Path) -> None:
    (folder / "b.csv").write_text(BARE)
    (folder / "looked_up.py").write_text("def judge(unit):\n    return 'SUPPORTED'\n")
    value = results(judge(folder, "b.csv", "--judge", "looked_up:judge", "--json"))
    assert value["score"]["total_facts"] == 5


ABSTAINS = """id,response,passage,model
a,"I'm sorry, I don't have that information. Is there anything else I can do for you?",It is old.,x
b,It is old. Would you like to know more?,It is old.,x
c,I cannot help with that.,It is old.,y
d,It is old. I hope this helps!,It is old.,y
e,I'm not sure about the colour. It is old.,It is old.,y
"""


def test_who_abstains_is_in_the_respond_ratio_alone(folder: Path, server: Running) -> None:
    """2 responses of 5 say nothing, 1 of x's 2 and 1 of y's 3; closing questions are no claims."""
    (folder / "a.csv").write_text(ABSTAINS)
    judge(folder, "a.csv", "--split", "sentences", "--out", "o", "--judge", "rules")
    value = written_in(folder / "o")
    assert (value["respond_ratio"], value["answered"]) == (0.6, {"x": [1, 2], "y": [2, 3]})
    claims = [row["claim"] for row in value["rows"]]
    assert claims == ["It is old.", "It is old.", "I'm not sure about the colour.", "It is old."]
    assert any("abstention, which gives no claim: 2 kept" in note for note in value["problems"])
    shown = " ".join((folder / "o" / "tables.md").read_text().split())
    assert "Of 5 responses 3 answer" in shown
    assert "respond ratio" in shown
    asked = ("a.csv", "--split", MODEL, "--base-url", server.base_url, "--json")
    judge(folder, *asked)
    assert server.stats()["requests"] == 4  # the sentences that are left; the same in two is two


async def test_what_a_splitting_model_adds_is_no_claim_of_the_response(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It adds to the second sentence, repeats the first, and has only its own of the third."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret-0123456789abcdef")
    table = tmp_path / "s.csv"
    response = "The Lindau bridge opened in 1931. It was sold in 1950. It has a tower."
    table.write_text(f"response,passage\n{response},x\n")
    replies = {
        "opened": ["The Lindau bridge opened in 1931."],
        "sold": [
            "The Lindau bridge was sold in 1950.",
            "The Lindau bridge is made of steel.",
            "The Lindau bridge was sold in 1960.",
            "The Lindau bridge opened in 1931.",
        ],
        "tower": ["Water boils at 100 degrees."],
    }

    async def answer(request: web.Request) -> web.Response:
        prompt = (await request.json())["messages"][-1]["content"]
        sentence = prompt.split("<<<SENTENCE")[1]
        claims = next(claims for word, claims in replies.items() if word in sentence)
        message = {"role": "assistant", "content": json.dumps({"claims": claims})}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        return web.json_response({"choices": [choice]})

    app = web.Application()
    app.router.add_post("/{path:.*}", answer)
    async with running(app) as url:
        asking = Asking(base_url=f"{url}/v1")
        given = ClaimsOptions(claims=table, split=MODEL, asking=asking, ledger=tmp_path / "l.db")
        judged = await judge_claims(given)
    rows = [(claim.row.text, claim.verdict.status) for claim in judged.rows]
    assert rows == [
        ("The Lindau bridge opened in 1931.", "undecided"),
        ("The Lindau bridge was sold in 1950.", "undecided"),
        ("It has a tower.", "unparsed"),  # the sentence: it is missing
    ]
    note = "claim that is not in the sentence it was cut from: 4 left out"
    assert any(note in problem for problem in judged.problems)


def test_the_first_screen_has_at_most_25_lines(folder: Path) -> None:
    """Also where people labelled claims and another judge stands beside."""
    for given in (("c.csv",), ("r.jsonl", "--split", "sentences", "--corpus", "p.jsonl")):
        done = run("claims", "judge", *given, cwd=folder, COLUMNS="80")
        shown = done.stdout.splitlines()
        assert len(shown) <= 25
        assert max(map(len, shown)) <= 85  # a command that is to be copied is not broken
        assert "--all" in shown[-1]
