"""`factmark annotate import` as a user runs it, and what results, agree, compare and plan make of
the ratings: one ledger, one scale, all people."""

from __future__ import annotations

import csv
import json
import math
import re
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from campaigns import results_of
from factmark.ledger.campaigns import campaigns_of, tasks_of
from factmark.ledger.ledger import Ledger
from factmark.ledger.ratings import revisions_of
from shell import Done, run

QUICK = ("--resamples", 200)
# Three documents, two systems, two people: 1 to 5 for coherence, and what is consistent.
GIVEN = {
    ("d1", "a"): ((4, 5), (5, 5)),
    ("d1", "b"): ((2, 3), (5, 4)),
    ("d2", "a"): ((5, 5), (4, 4)),
    ("d2", "b"): ((1, 2), (5, 5)),
    ("d3", "a"): ((3, 4), (5, 3)),
    ("d3", "b"): ((2, 2), (1, 2)),
}


def annotate(*arguments: object, cwd: Path, status: int = 0) -> Done:
    done = run("annotate", *arguments, cwd=cwd)
    assert done.returncode == status, done.stderr
    assert "Traceback" not in done.stderr
    return done


def sheets(path: Path) -> Path:
    """In SummEval's layout."""
    rows = [
        {
            "id": document,
            "model_id": system,
            "decoded": f"what {system} says of {document}, in a few words .",
            "expert_annotations": [
                {"coherence": coherence[person], "consistency": consistency[person]}
                for person in range(2)
            ],
        }
        for (document, system), (coherence, consistency) in GIVEN.items()
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def results(cwd: Path, ledger: str, *more: object) -> dict[str, Any]:
    done = annotate("results", ledger, *more, "--json", *QUICK, cwd=cwd)
    return results_of(done.stdout)


def alphas(cwd: Path, ledger: str, kind: str) -> list[float]:
    done = run("agree", ledger, "--kind", kind, "--json", *QUICK, cwd=cwd)
    assert done.returncode == 0, done.stderr
    return [row["alpha"] for row in json.loads(done.stdout)["rows"]]


@pytest.fixture
def rated(tmp_path: Path) -> Path:
    annotate("import", sheets(tmp_path / "aligned.jsonl"), "--ledger", "r.db", cwd=tmp_path)
    return tmp_path


def test_a_closed_campaign_for_each_dimension_with_every_rating(rated: Path) -> None:
    with Ledger(rated / "r.db", read_only=True) as ledger:
        coherence, consistency = campaigns_of(ledger)
        assert [coherence.name, consistency.name] == ["aligned: coherence", "aligned: consistency"]
        assert [person.name for person in coherence.annotators] == ["expert 1", "expert 2"]
        assert coherence.closed
        assert len(tasks_of(ledger, coherence)) == 12
        kept = revisions_of(ledger, coherence)
        labels = [revision.response.label for (revision,) in kept.values()]
        assert sorted(map(int, filter(None, labels))) == [1, 2, 2, 2, 2, 3, 3, 4, 4, 5, 5, 5]
    value = results(rated, "r.db", "--campaign", "aligned: coherence")
    # a: 4.5, 5 and 3.5; b: 2.5, 1.5 and 2.
    finals = {score["system"]: score["final"]["value"] for score in value["scores"]}
    assert finals == pytest.approx({"a": 13 / 3, "b": 2.0})
    assert value["scores"][0]["scale"] == [1, 5]
    assert "brought in from files" in value["problems"][0]


def test_the_same_file_again_changes_nothing_and_another_person_joins(rated: Path) -> None:
    again = annotate("import", "aligned.jsonl", "--ledger", "r.db", cwd=rated)
    assert "0 of 24 ratings by 2 people in 2 dimensions are new" in again.stdout
    more = rated / "more.csv"
    more.write_text(
        "document,system,annotator,dimension,label\nd1,a,Cleo,coherence,2\nd9,a,Cleo,coherence,3\n"
    )
    done = annotate("import", more, "--ledger", "r.db", "--name", "aligned", cwd=rated)
    assert "2 of 2 ratings by 1 person in 1 dimension are new" in done.stdout
    with Ledger(rated / "r.db", read_only=True) as ledger:
        campaign = campaigns_of(ledger)[0]
        assert [person.code for person in campaign.annotators] == ["A1", "A2", "A3"]
    value = results(rated, "r.db", "--campaign", "aligned: coherence")
    # a: (4 + 5 + 2) / 3, 5, 3.5 and 3.
    assert value["scores"][0]["final"]["value"] == pytest.approx((11 / 3 + 5 + 3.5 + 3) / 4)


def test_a_report_of_a_ledger_with_ratings_alone_is_that_of_its_people(tmp_path: Path) -> None:
    (tmp_path / "r.csv").write_text("document,system,annotator,label\nd,s,Ann,3\nd,s,Ben,4\n")
    annotate("import", "r.csv", "--ledger", "r.db", "--labels", "1-5", cwd=tmp_path)
    report = run("report", "r.db", "--json", cwd=tmp_path)
    assert report.returncode == 0, report.stderr
    assert results_of(report.stdout)["scores"][0]["final"]["value"] == 3.5
    csv_table = run("report", "r.db", "--format", "csv", cwd=tmp_path)
    assert csv_table.returncode == 2
    assert "of a campaign there are several tables" in csv_table.stderr


def test_of_several_ratings_the_last_counts_also_where_it_was_given_before(tmp_path: Path) -> None:
    rows = "".join(f"d,{system},A,{label}\n" for system, label in ("a3", "b2", "a4", "a3"))
    (tmp_path / "r.csv").write_text(f"document,system,annotator,label\n{rows}")
    asked = ("import", "r.csv", "--ledger", "r.db", "--labels", "1-5")
    refused = annotate(*asked, cwd=tmp_path, status=2)
    assert "no time says which came later" in refused.stderr
    annotate(*asked, "--column", "annotator=annotator", cwd=tmp_path)
    scores = results(tmp_path, "r.db")["scores"]
    assert [score["final"]["value"] for score in scores if score["system"] == "a"] == [3.0]


def newest_labels(path: Path) -> list[str]:
    with Ledger(path, read_only=True) as ledger:
        return [
            label for (label,) in ledger.rows("SELECT label FROM newest_verdicts ORDER BY label")
        ]


def number_of_verdicts(path: Path) -> int:
    with Ledger(path, read_only=True) as ledger:
        return int(ledger.rows("SELECT count(*) FROM verdicts").fetchone()[0])


HEAD = "document,system,annotator,label,timestamp\n"
MORNING, NOON, EVENING = (f"2026-05-04T{hour}:00:00+00:00" for hour in ("08", "12", "18"))


@pytest.mark.parametrize("late_row_first", [True, False])
def test_what_somebody_said_last_counts_wherever_its_row_stands(
    tmp_path: Path, late_row_first: bool
) -> None:
    """In results, which count ratings, and for agree, compare and plan, which count verdicts."""
    rows = [f"d,s,Ann,2,{MORNING}\n", f"d,s,Ann,5,{NOON}\n"]
    (tmp_path / "r.csv").write_text(HEAD + "".join(rows[::-1] if late_row_first else rows))
    annotate("import", "r.csv", "--ledger", "r.db", "--labels", "1-5", cwd=tmp_path)
    assert newest_labels(tmp_path / "r.db") == ["5"]
    assert results(tmp_path, "r.db")["scores"][0]["final"]["value"] == 5


@pytest.mark.parametrize(
    ("label", "time", "counts", "verdicts"),
    [
        (2, EVENING, "2", 2),
        (4, EVENING, "4", 1),  # the same again is no second verdict
        (2, MORNING, "2", 2),  # said before, and it came in later: that decides
        (2, NOON, "2", 2),
    ],
)
def test_a_rating_that_comes_in_later(
    tmp_path: Path, label: int, time: str, counts: str, verdicts: int
) -> None:
    for name, row in (("a", f"d,s,Ann,4,{NOON}\n"), ("b", f"d,s,Ann,{label},{time}\n")):
        (tmp_path / f"{name}.csv").write_text(HEAD + row)
        more = ("--ledger", "r.db", "--labels", "1-5", "--name", "study")
        done = annotate("import", f"{name}.csv", *more, cwd=tmp_path)
        assert "1 of 1 rating" in done.stdout  # each is kept, also where it does not count
    assert newest_labels(tmp_path / "r.db") == [counts]
    assert number_of_verdicts(tmp_path / "r.db") == verdicts
    assert results(tmp_path, "r.db")["scores"][0]["final"]["value"] == int(counts)


def test_tables_as_spreadsheets_write_them(tmp_path: Path) -> None:
    """Semicolons, a byte order mark, decimal commas, cells without a rating, a row twice."""
    text = "document;system;annotator;label\nd;s;Ann;3,5\nd;s;Ben;4\ne;s;Ann;NA\ne;s;Ben;4,0\n"
    (tmp_path / "r.csv").write_text(f"{text}e;s;Ben;4\nd;s;Ann;2,5\n", encoding="utf-8-sig")
    last = ("--column", "annotator=annotator")
    done = annotate("import", "r.csv", *last, "--json", cwd=tmp_path)
    value = json.loads(done.stdout)
    assert (value["details"]["new"], value["rows"][0]["ratings"]) == (4, 3)
    assert "1 label that say nothing (NA), left out" in value["problems"]
    scores = results(tmp_path, "campaign.db")["scores"]
    assert scores[0]["final"]["value"] == pytest.approx(((2.5 + 4) / 2 + 4) / 2)


def test_yes_and_no_in_several_writings_are_a_dimension(tmp_path: Path) -> None:
    text = "document,system,annotator,faithful\nd,s,A,Y\nd,s,B,yes\ne,s,A,No\ne,s,B,n/a\n"
    (tmp_path / "r.csv").write_text(text)
    annotate("import", "r.csv", cwd=tmp_path)
    assert results(tmp_path, "campaign.db")["scores"][0]["final"]["value"] == 0.5


def test_who_was_forgotten_does_not_come_back_with_the_same_file(rated: Path) -> None:
    annotate("forget", "r.db", "expert 1", cwd=rated)
    annotate("import", "aligned.jsonl", "--ledger", "r.db", cwd=rated)
    with Ledger(rated / "r.db", read_only=True) as ledger:
        for campaign in campaigns_of(ledger):
            assert [person.code for person in campaign.annotators] == ["A1", "A2"]
            assert len(tasks_of(ledger, campaign)) == 12


def test_nothing_is_written_where_one_of_several_dimensions_cannot_be(tmp_path: Path) -> None:
    (tmp_path / "s.csv").write_text("id,article,a\n1,A man lives here.,He lives.\n")
    annotate(
        *("create", "s.csv", "--annotators", "Ada", "--name", "n: b", "--ledger", "r.db"),
        cwd=tmp_path,
    )
    text = "document,system,annotator,dimension,label\nd,s,A,a,4\nd,s,A,b,3\n"
    (tmp_path / "r.csv").write_text(text)
    more = ("--ledger", "r.db", "--name", "n", "--labels", "0-5")
    done = annotate("import", "r.csv", *more, cwd=tmp_path, status=2)
    assert "n: b" in done.stderr
    with Ledger(tmp_path / "r.db", read_only=True) as ledger:
        assert [campaign.name for campaign in campaigns_of(ledger)] == ["n: b"]


@pytest.mark.parametrize("scale", ["", "interval", "nominal"])
def test_results_and_agree_tell_one_alpha_on_the_scale_of_the_form(
    tmp_path: Path, scale: str
) -> None:
    more = ("--scale", scale) if scale else ()
    annotate("import", sheets(tmp_path / "s.jsonl"), "--ledger", "r.db", *more, cwd=tmp_path)
    value = results(tmp_path, "r.db", "--campaign", "s: consistency")
    assert value["agree_on"] == (scale or "ordinal")
    assert alphas(tmp_path, "r.db", "consistency") == [value["agreement"]["alpha"]["value"]]
    assert value["agreement"]["icc"] is None or scale != "nominal"


def test_compare_and_plan_read_the_ratings(rated: Path) -> None:
    done = run("compare", "r.db", "--metric", "coherence", "--json", *QUICK, cwd=rated)
    assert done.returncode == 0, done.stderr
    compared = {row["score"]: row for row in json.loads(done.stdout)["rows"]}
    # In points from 1 to 5, as `results` has them: a 13/3, b 2.
    assert compared["coherence"]["value_a"] == pytest.approx(13 / 3)
    assert compared["coherence"]["value_b"] == pytest.approx(2.0)
    assert compared["coherence"]["value_b_low"] >= 1
    assert set(compared) == {"coherence", "consistency"}
    done = run("plan", "--ledger", "r.db", "--half-width", 0.5, "--json", cwd=rated)
    assert done.returncode == 0, done.stderr
    needs = json.loads(done.stdout)["rows"]
    of_two = next(row for row in needs if (row["score"], row["raters"]) == ("coherence", 2))
    # Variances over documents: a (4.5, 5, 3.5): 7/12, b (2.5, 1.5, 2): 1/4. Mean 5/12.
    assert of_two["mean"] == 7  # 1.96² * 5/12 / 0.25 = 6.4
    done = run("plan", "--ledger", "r.db", "--half-width", 2, cwd=rated)
    assert done.returncode == 2
    assert "on a scale of 4 points" in done.stderr
    done = run("plan", "--ledger", "r.db", "--labels", 10, cwd=rated)
    assert done.returncode == 2
    assert "say --half-width" in done.stderr


SUMMARIES = [
    {"id": "d1", "article": "It rained. The cat slept.", "a": "It rained.", "b": "It snowed."},
    {"id": "d2", "article": "A dog ran. Birds sang.", "a": "A dog ran.", "b": "A cat ran."},
]


def campaign_with_ratings(cwd: Path) -> list[str]:
    """Of 0 to 5, where nobody has answered yet; returns the ids of its units."""
    (cwd / "s.jsonl").write_text("".join(json.dumps(row) + "\n" for row in SUMMARIES))
    annotate("create", "s.jsonl", "--annotators", "Ann,Ben", "--overlap", 1, cwd=cwd)
    with Ledger(cwd / "campaign.db", read_only=True) as ledger:
        (campaign,) = campaigns_of(ledger)
        return list(dict.fromkeys(task.assignment.unit for task in tasks_of(ledger, campaign)))


def test_results_count_what_ledger_import_brought_in(tmp_path: Path) -> None:
    """By annotators, who then lack it no more, and by others; agree has counted them all along."""
    units = campaign_with_ratings(tmp_path)
    before = results(tmp_path, "campaign.db")
    assert sum(score["n_answered"] for score in before["scores"]) == 0
    sheet = tmp_path / "sheet.csv"
    labels = {"Ann": "5443", "Cleo": "4543"}
    rows = [
        f"{u},{name},{label}"
        for name, some in labels.items()
        for u, label in zip(units, some, strict=True)
    ]
    sheet.write_text("unit,annotator,label\n" + "\n".join(rows) + "\n")
    assert run("ledger", "import", "campaign.db", "sheet.csv", cwd=tmp_path).returncode == 0
    after = results(tmp_path, "campaign.db")
    assert sum(score["n_answered"] for score in after["scores"]) == 8
    assert sum(score["n_asked"] for score in after["scores"]) == 12  # Ben owes four
    assert [person["code"] for person in after["annotators"]] == ["A1", "A2", "P1"]
    assert after["agreement"]["n_units"] == 4
    assert alphas(tmp_path, "campaign.db", "summary") == [after["agreement"]["alpha"]["value"]]


def test_ratings_of_summaries_that_a_campaign_has_are_on_the_same_units(tmp_path: Path) -> None:
    units = campaign_with_ratings(tmp_path)
    (tmp_path / "old.csv").write_text(
        "document,system,annotator,label\nd1,a,Dan,5\nd1,b,Dan,1\nd2,a,Dan,4\nd2,b,Dan,2\n"
    )
    annotate("import", "old.csv", "--ledger", "campaign.db", cwd=tmp_path)
    with Ledger(tmp_path / "campaign.db", read_only=True) as ledger:
        old = campaigns_of(ledger)[-1]
        assert old.form == "coarse"
        assert {task.assignment.unit for task in tasks_of(ledger, old)} == set(units)
    value = results(tmp_path, "campaign.db", "--campaign", "s")
    finals = {score["system"]: score["final"]["value"] for score in value["scores"]}
    assert finals == {"a": 4.5, "b": 1.5}
    assert value["scores"][0]["longeval"]["value"] == 90


@pytest.mark.parametrize("source", ["", "It rained ; the cat slept ."])
def test_a_campaign_and_ratings_from_elsewhere_are_of_the_same_documents(
    tmp_path: Path, source: str
) -> None:
    """Though a file lacks the sources, or has them in another form."""
    campaign_with_ratings(tmp_path)
    text = "document,system,annotator,label,source,summary\n"
    text += f"d1,a,Zoe,4,{source},It rained.\nd1,b,Zoe,2,{source},It snowed.\n"
    (tmp_path / "r.csv").write_text(text)
    done = annotate("import", "r.csv", *("--column", "source=source"), cwd=tmp_path)
    assert "annotate results campaign.db --campaign r`" in " ".join(done.stdout.split())
    both = results(tmp_path, "campaign.db", "--campaign", "s", "--campaign", "r")
    assert [score["final"]["n_items"] for score in both["scores"]] == [1, 1]
    assert [score["n_asked"] for score in both["scores"]] == [5, 5]  # two people of d1, d2; Zoe


def test_sentences_make_the_value_of_their_summary(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(
        "doc_id,topic,model_name,sent_idx,summ_sent,sent_label\n"
        "m,x,A,1,One thing is so.,yes\nm,x,A,2,Another is not.,no\nm,y,A,1,All is well.,yes\n"
        "m,x,B,1,Nothing is so.,no\n"
    )
    done = annotate("import", "t.csv", "--ledger", "t.db", cwd=tmp_path)
    assert "all ratings are taken for one person's" in done.stderr
    value = results(tmp_path, "t.db")
    # A: a half and a whole of one document's two summaries; B: none.
    finals = {score["system"]: score["final"]["value"] for score in value["scores"]}
    assert finals == {"A": 0.75, "B": 0.0}


def test_a_dry_run_tells_and_writes_nothing(tmp_path: Path) -> None:
    done = annotate("import", sheets(tmp_path / "s.jsonl"), "--dry-run", "--json", cwd=tmp_path)
    value = json.loads(done.stdout)
    assert not value["details"]["written"]
    assert [row["ratings"] for row in value["rows"]] == [12, 12]
    assert not (tmp_path / "campaign.db").exists()


@pytest.mark.parametrize(
    ("text", "more", "says"),
    [
        ("document,system,label\nd,s,7\n", ("--labels", "1-5"), "'7' is none of 1, 2, 3, 4, 5"),
        ("document,system,label\nd,s,9\n", ("--form", "coarse"), "'9' is none of 0, 1, 2"),
        ("document,system,label\nd,s,3\n", ("--form", "fine"), "these are summaries"),
        ("document,system,label\nd,,3\nd,s,3\n", (), "line 2: the system ('system') is empty"),
        ("document,system,label\nd,s,4\ne,s,4o\n", (), "r.csv, line 3: '4o' is no number"),
        ("document,system,label\nd,s,\n", (), "no column tells the label"),
        ("document,system,label\n", (), "holds no rows"),
        (
            "document,system,Input.q,Answer.a,Answer.b\nd,s,x,p,n\ne,s,y,n,n\n",
            (),  # the lone `n` of b is no `no`
            "no column tells the label. It holds: document, system, Input.q, Answer.a, Answer.b. "
            "Say which: --column label=Answer.a.",
        ),
        (
            "LLM,first,second\nm,good,d1\nn,poor,d2\nm,poor,d3\n",
            (),
            "the label or the document. It holds: LLM, first, second. Say "
            "which: --column label=first --column document=second",
        ),
        (
            "document,system,label,summary\nd,s,3,one of the two summaries that there are here\n"
            "d,s,4,the other of the two summaries that there are\n",
            (),
            "has another summary by 's' in r.csv, line 2",
        ),
    ],
)
def test_what_cannot_be_read_is_refused_and_nothing_is_written(
    tmp_path: Path, text: str, more: tuple[str, ...], says: str
) -> None:
    (tmp_path / "r.csv").write_text(text)
    done = annotate("import", "r.csv", *more, cwd=tmp_path, status=2)
    assert says in done.stderr
    assert not (tmp_path / "campaign.db").exists()


FRANK = {"hash": "h", "model_name": "m", "summary_sentences": ["It rains."]}


@pytest.mark.parametrize(
    ("row", "says"),
    [
        ({"questions": {"1": 3}, "passage-id": 1}, "line 1: 'questions' is no object"),
        (
            {"questions": {"1": {"a": {"reviews": 3}}}, "passage-id": 1},
            "line 1: 'questions.reviews' is no list",
        ),
        (FRANK | {"summary_sentences_annotations": 3}, "'summary_sentences_annotations' is no obj"),
        (FRANK | {"summary_sentences_annotations": [3]}, "line 1, 1: 'summary_sentences_annotati"),
        ({"annotations": [3], "data": {}}, "no column tells the document"),
        ({"annotations": [{"result": [3]}], "data": {}}, "no column tells the label"),
        ({"document": "d", "system": math.nan, "label": 3}, "no column tells the system"),
        ({"Answer.semantic-similarity.label": 1, "Input.annotated_summary": 2}, "no clause"),
    ],
)
def test_damaged_files_of_a_published_layout(
    tmp_path: Path, row: dict[str, object], says: str
) -> None:
    (tmp_path / "r.json").write_text(json.dumps([row]))
    done = annotate("import", "r.json", cwd=tmp_path, status=2)
    assert "r.json" in done.stderr
    assert says in done.stderr


def test_another_scale_under_the_same_name_is_refused(rated: Path) -> None:
    (rated / "x.csv").write_text("document,system,annotator,dimension,label\nd1,a,X,coherence,9\n")
    done = annotate("import", "x.csv", "--ledger", "r.db", "--name", "aligned", cwd=rated, status=2)
    assert "'9' is none of 1, 2, 3, 4, 5" in done.stderr
    done = annotate(
        *("import", "x.csv", "--ledger", "r.db", "--name", "aligned", "--labels", "1-9"),
        cwd=rated,
        status=2,
    )
    assert "Name them otherwise (--name)" in done.stderr


def test_raters_have_codes_and_ratings_their_rows_wherever_they_are_written(tmp_path: Path) -> None:
    """One code in all dimensions, also of who joins by one of them; names only where asked for."""
    text = "id,doc,system,rater,dimension,label\n7,d,s,Ada Lee,x,4\n8,d,s,Ben,x,3\n9,d,s,Cleo,y,3\n"
    (tmp_path / "lee.csv").write_text(text + "10,e,s,Ben,y,5\n11,e,s,Cleo,y,1\n")
    columns = ("--column", "document=doc")
    done = annotate("import", "lee.csv", "--ledger", "r.db", *columns, cwd=tmp_path)
    assert "the file's name holds a rater's ('Ada Lee')" in done.stderr
    annotate("results", "r.db", "--campaign", "lee: y", "--out", "o", *QUICK, cwd=tmp_path)
    rows = list(csv.DictReader(StringIO((tmp_path / "o/rows.csv").read_text())))
    assert [row["annotator"] for row in rows] == ["A2", "A3", "A3"]  # Ben and Cleo
    places = [(row["input_file"], row["input_row"], row["input_id"]) for row in rows]
    file = f"{tmp_path.name}/lee.csv"
    assert places == [(file, f"line {n}", str(n + 5)) for n in (5, 4, 6)]
    page = (tmp_path / "o/report.html").read_text()
    assert "Progress of each annotator" not in page
    assert "The files do not hold the text." in page
    assert run("agree", "r.db", "--out", "a", *QUICK, cwd=tmp_path).returncode == 0
    run("ledger", "export", "r.db", "x.csv", cwd=tmp_path)
    for path in (
        "a/results.json",
        "a/rows.csv",
        "a/tables.md",
        "x.csv",
        *(f"o/{p.name}" for p in tmp_path.glob("o/*")),
    ):
        assert not re.search(rb"Ada|Ben|Cleo", (tmp_path / path).read_bytes()), path
    assert ",A3,person,A3," in (tmp_path / "x.csv").read_text()
    run("ledger", "export", "r.db", "x.csv", "--names", cwd=tmp_path)
    assert ",Cleo,person," in (tmp_path / "x.csv").read_text()
    of_two = run(
        "agree", "r.db", "--judge", "A1", "--judge", "Ben", "--names", *QUICK, cwd=tmp_path
    )
    assert "Ada Lee × Ben" in of_two.stdout


def test_a_scale_whose_end_nobody_gave_is_doubted_and_settled(tmp_path: Path) -> None:
    text = "document,system,annotator,label\nd,s,A,4\nd,s,B,2\ne,s,A,1\n"
    (tmp_path / "r.csv").write_text(text)
    done = annotate("import", "r.csv", cwd=tmp_path)
    assert "1 to 4 is taken for the whole scale; if it was 1-5 or 0-5" in done.stderr
    assert results(tmp_path, "campaign.db")["scores"][0]["scale"] == [1, 4]
    done = annotate("import", "r.csv", "--labels", "1-5", cwd=tmp_path)
    assert "whole scale" not in done.stderr
    assert results(tmp_path, "campaign.db")["scores"][0]["scale"] == [1, 5]
    done = annotate("import", "r.csv", "--labels", "1-7", cwd=tmp_path, status=2)  # it is settled
    assert "Name them otherwise" in done.stderr


def test_nobody_is_added_to_imported_ratings_and_what_to_do_is_told(rated: Path) -> None:
    asked = ("add", "r.db", "--annotators", "Ada", "--campaign", "aligned: coherence")
    refused = annotate(*asked, cwd=rated, status=2)
    assert "holds ratings from files" in refused.stderr
    assert "annotate import" in refused.stderr


def test_who_withdraws_from_imported_ratings_leaves_nothing_to_be_asked(rated: Path) -> None:
    here = ("--campaign", "aligned: coherence")
    annotate("withdraw", "r.db", "expert 1", *here, cwd=rated)
    value = results(rated, "r.db", *here)
    finals = {score["system"]: score["final"]["value"] for score in value["scores"]}
    assert finals == pytest.approx({"a": 14 / 3, "b": 7 / 3})  # of expert 2 alone
    assert [(row["n_asked"], row["n_answered"]) for row in value["scores"]] == [(3, 3), (3, 3)]
    state = annotate("status", "r.db", *here, "--json", cwd=rated)
    assert json.loads(state.stdout)["details"]["waiting"] == 0


def last_labels(path: Path) -> list[list[str | None]]:
    """The labels of each task, the one that counts last."""
    with Ledger(path) as ledger:
        (campaign,) = campaigns_of(ledger)
        given = revisions_of(ledger, campaign).values()
        return [[one.response.label for one in several] for several in given]


def test_of_a_file_the_later_rating_counts_and_of_two_files_the_one_that_came_last(
    tmp_path: Path,
) -> None:
    """Rows of a file come in at once, and their times are all that says which was given later."""
    head = "document,system,annotator,score,timestamp\n"
    both = [
        f"d{n},{system},Ann,{label},2024-05-0{day}T10:00:00Z\n"
        for n in (1, 2)
        for system in "ab"
        for label, day in ((4, 2), (3, 1))
    ]
    tmp_path.joinpath("one.csv").write_text(head + "".join(both), encoding="utf-8")
    arguments = ("--ledger", "r.db", "--labels", "1-5", "--name", "r")
    annotate("import", "one.csv", *arguments, cwd=tmp_path)
    assert last_labels(tmp_path / "r.db") == [["3", "4"]] * 4
    correction = head + "d1,a,Ann,1,2023-01-01T10:00:00Z\n"  # by a clock that is wrong
    tmp_path.joinpath("two.csv").write_text(correction, encoding="utf-8")
    annotate("import", "two.csv", *arguments, cwd=tmp_path)
    assert sorted(last_labels(tmp_path / "r.db")) == [["3", "4"]] * 3 + [["3", "4", "1"]]
    with Ledger(tmp_path / "r.db") as ledger:
        newest = ledger.rows("SELECT label, count(*) FROM newest_verdicts GROUP BY label")
        assert newest.fetchall() == [("1", 1), ("4", 3)]


def test_an_interval_stays_on_the_scale_of_the_ratings(tmp_path: Path) -> None:
    """From 1 to 5, two documents rated 1 and 2: no mean below 1 is within the interval, and a
    document that nobody rated makes the mean a 1 at worst, not a 0."""
    text = "document,system,annotator,label\nd,s,A,1\ne,s,A,2\nf,s,A,\nd,t,A,5\ne,t,A,5\nf,t,A,5\n"
    (tmp_path / "r.csv").write_text(text)
    annotate("import", "r.csv", "--labels", "1-5", cwd=tmp_path)
    s, t = (score["final"] for score in results(tmp_path, "campaign.db")["scores"])
    assert (s["value"], s["scale"]) == (1.5, [1, 5])
    assert 1 <= s["low"] < 1.5 < s["high"] < 5
    assert (t["value"], t["high"]) == (5, 5)
    # Three that agree: Wilson's lower bound of 3 of 3, 1 / (1 + 1.96² / 3), as a share of 4 points.
    assert t["low"] == pytest.approx(1 + 4 / (1 + 1.959964**2 / 3))


def test_of_just_these_summaries_ratings_leave_no_chance(tmp_path: Path) -> None:
    """All that was asked for is rated; the boards compare systems, not these summaries."""
    annotate("import", sheets(tmp_path / "s.jsonl"), "--ledger", "r.db", cwd=tmp_path)
    value = results(tmp_path, "r.db", "--campaign", "s: coherence", "--target", "units")
    finals = [score["final"] for score in value["scores"]]
    assert all(final["low"] == final["value"] == final["high"] for final in finals)
    assert {final["target"] for final in finals} == {"units"}
    (pair,) = value["boards"]["coherence"]["comparisons"]
    assert pair["difference"]["target"] == "process"
    assert pair["difference"]["low"] < pair["difference"]["high"]
