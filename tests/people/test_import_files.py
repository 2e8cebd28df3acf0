"""Files of ratings in every layout that is read: what is taken for what, and what is refused."""

from __future__ import annotations

import csv
import hashlib
import json
from pathlib import Path

import pytest

from factmark.errors import InputError
from factmark.people.core.scales import plain_labels, scale_given, scales_of
from factmark.people.imports.rating_files import GivenColumns, read_ratings
from factmark.people.imports.rating_rows import RatingRow, moment


def table(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def as_json(path: Path, *rows: object) -> Path:
    lines = path.suffix == ".jsonl"
    text = "\n".join(map(json.dumps, rows)) if lines else json.dumps(rows)
    return table(path, text + "\n")


def read(
    *paths: Path, columns: tuple[str, ...] = (), siblings: str = ""
) -> tuple[list[RatingRow], str]:
    notes: list[str] = []
    given = GivenColumns(columns=columns, siblings=siblings)
    return read_ratings(paths, given, "utf-8", notes.append).rows, "\n".join(notes)


def facts(rows: list[RatingRow]) -> list[tuple[str, ...]]:
    return [(row.document, row.system, row.annotator, row.dimension, row.label) for row in rows]


def test_a_row_a_rating_with_a_dimension(tmp_path: Path) -> None:
    path = table(
        tmp_path / "r.csv",
        "Doc ID,model_name,Rater,criterion,score,comment\nd1,a,Ann,fluency,4,dull\n"
        "d1,a,Ben,fluency,,\nd1,b,Ann,coherence,2.0,\n",
    )
    rows, notes = read(path)
    assert facts(rows) == [
        ("d1", "a", "Ann", "fluency", "4"),
        ("d1", "b", "Ann", "coherence", "2"),
    ]
    assert rows[0].comment == "dull"
    assert "document 'Doc ID'; system 'model_name'; annotator 'Rater'; label 'score'" in notes
    assert "1 empty labels, left out" in notes


def test_a_column_for_each_dimension_and_one_person_where_nobody_is_named(tmp_path: Path) -> None:
    """FRANK's file by summary is such a table; its flipped labels and its split are no ratings."""
    path = as_json(
        tmp_path / "frank.json",
        *(
            {
                "hash": name,
                "model_name": system,
                "dataset": "x",
                "Factuality": value,
                "RelE": 1.0,
                "Flip_RelE": 0.0,
                "split": "test",
            }
            for name, system, value in [("h1", "bart", 0.5), ("h1", "pgn", 1.0)]
        ),
    )
    rows, notes = read(path)
    assert facts(rows) == [
        ("h1", "bart", "annotator", "Factuality", "0.5"),
        ("h1", "bart", "annotator", "RelE", "1"),
        ("h1", "pgn", "annotator", "Factuality", "1"),
        ("h1", "pgn", "annotator", "RelE", "1"),
    ]
    assert "all ratings are taken for one person's" in notes
    only, _ = read(path, columns=("label=Factuality",))
    assert [row.label for row in only] == ["0.5", "1"]


def test_a_sentence_a_row_as_tofueval_has_it(tmp_path: Path) -> None:
    path = table(
        tmp_path / "tofu.csv",
        "doc_id,annotation_id,topic,model_name,sent_idx,summ_sent,sent_label,exp,type\n"
        "m1,100,Roads,model_A,1,Roads are long.,yes,,\n"
        "m1,100,Roads,model_A,2,Roads are red.,no,They are grey.,Extrinsic\n",
    )
    rows, _ = read(path)
    assert facts(rows) == [
        ("m1", "model_A", "annotator", "", "yes"),
        ("m1", "model_A", "annotator", "", "no"),
    ]
    assert [(row.item, row.place, row.part, row.comment) for row in rows] == [
        ("Roads", "1", "Roads are long.", ""),
        ("Roads", "2", "Roads are red.", "They are grey."),
    ]


def test_mechanical_turk_whose_last_columns_have_no_cells(tmp_path: Path) -> None:
    source = "She goes to the market at noon, and buys apples and two pears."
    path = table(
        tmp_path / "batch.csv",
        "HITId,WorkerId,SubmitTime,WorkTimeInSeconds,Input.model_type,Input.dialogue,"
        "Input.summary,Answer.Fluency,Answer.Relevance,Approve,Reject\n"
        f'H1,W7,Sun Nov 14 08:25:04 PST 2021,31,E,"{source}",'
        "She buys fruit at noon on the market.,4,5\n",
    )
    rows, _ = read(path)
    assert [(row.annotator, row.system, row.dimension, row.label) for row in rows] == [
        ("W7", "E", "Fluency", "4"),
        ("W7", "E", "Relevance", "5"),
    ]
    assert rows[0].source == source
    assert (rows[0].seconds, rows[0].at) == (31.0, "2021-11-14T16:25:04.000000+00:00")


def test_summevals_layout_takes_the_experts_and_names_the_others(tmp_path: Path) -> None:
    path = as_json(
        tmp_path / "aligned.jsonl",
        {
            "id": "dm-1",
            "decoded": "a cat sat on the mat , it is said .",
            "expert_annotations": [
                {"coherence": 2, "fluency": 5},
                {"coherence": 1, "fluency": 5},
            ],
            "turker_annotations": [{"coherence": 3, "fluency": 3}],
            "references": ["A cat sat."],
            "model_id": "M11",
            "filepath": "cnndm/dm-1.story",
        },
    )
    rows, notes = read(path)
    assert facts(rows) == [
        ("dm-1", "M11", "expert 1", "coherence", "2"),
        ("dm-1", "M11", "expert 1", "fluency", "5"),
        ("dm-1", "M11", "expert 2", "coherence", "1"),
        ("dm-1", "M11", "expert 2", "fluency", "5"),
    ]
    assert rows[0].summary.startswith("a cat")
    assert "--column ratings=turker_annotations" in notes
    turkers, _ = read(path, columns=("ratings=turker_annotations",))
    assert facts(turkers)[0] == ("dm-1", "M11", "turker 1", "coherence", "3")


def test_franks_sentences_are_factual_where_nobody_saw_an_error(tmp_path: Path) -> None:
    path = as_json(
        tmp_path / "sentences.json",
        {
            "hash": "h1",
            "model_name": "bart",
            "summary": "It rains. It snows.",
            "summary_sentences": ["It rains.", "It snows."],
            "summary_sentences_annotations": [
                {"annotator_0": ["NoE"], "annotator_1": ["EntE", "OutE"]},
                {"annotator_0": ["NoE"], "annotator_1": ["NoE"]},
            ],
        },
    )
    rows, _ = read(path)
    assert [(row.annotator, row.part, row.label, row.comment, row.start) for row in rows] == [
        ("annotator_0", "It rains.", "yes", "", 0),
        ("annotator_1", "It rains.", "no", "EntE, OutE", 0),
        ("annotator_0", "It snows.", "yes", "", 10),
        ("annotator_1", "It snows.", "yes", "", 10),
    ]


def test_qags_sentences_by_several_workers(tmp_path: Path) -> None:
    first = [{"worker_id": 0, "response": "yes"}, {"worker_id": 3, "response": "no"}]
    sentences = [
        {"sentence": "They land.", "responses": first},
        {"sentence": "All live.", "responses": first[:1]},
    ]
    path = as_json(
        tmp_path / "q.jsonl", {"article": "They landed.", "summary_sentences": sentences}
    )
    rows, _ = read(path)
    assert [(row.annotator, row.label, row.place) for row in rows] == [
        ("0", "yes", "1"),
        ("3", "no", "1"),
        ("0", "yes", "2"),
    ]
    assert [row.part for row in rows] == ["They land.", "They land.", "All live."]
    assert (rows[0].system, rows[0].source) == ("", "They landed.")


def test_squalitys_reviews_of_each_question(tmp_path: Path) -> None:
    review = {"worker_id": "3", "system": "bart", "correctness-rating": 10, "correctness-rank": 3}
    answer = {"response": "They land.", "reviews": [review | {"overall-rating": 5}]}
    path = as_json(
        tmp_path / "all.jsonl", {"passage-id": "50827", "questions": {"0": {"bart": answer}}}
    )
    rows, _ = read(path)
    assert facts(rows) == [
        ("50827", "bart", "3", "correctness", "10"),
        ("50827", "bart", "3", "overall", "5"),
    ]
    assert rows[0].item == "0"


def label_studio(path: Path, data: dict[str, object], label: str, *, by: object = 7) -> Path:
    choice = {"from_name": "rating", "type": "choices", "value": {"choices": [label]}}
    text = {"from_name": "why", "type": "textarea", "value": {"text": ["so", "so"]}}
    annotation = {
        "completed_by": by,
        "result": [text, choice],
        "was_cancelled": False,
        "created_at": "2022-06-30T18:50:39.008766Z",
        "updated_at": "2022-06-30T20:50:39.008766+02:00",
        "lead_time": 883.7,
    }
    cancelled = {**annotation, "was_cancelled": True}
    return as_json(path, {"id": 1, "data": data, "annotations": [annotation, cancelled]})


def test_label_studios_json(tmp_path: Path) -> None:
    data = {"doc_id": "d9", "system": "s", "text": "A summary that is long enough to be one."}
    rows, notes = read(label_studio(tmp_path / "export.json", data, "4", by={"email": "a@b.org"}))
    assert facts(rows) == [("d9", "s", "a@b.org", "", "4")]
    assert (rows[0].comment, rows[0].seconds) == ("so so", 883.7)
    assert rows[0].at == "2022-06-30T18:50:39.008766+00:00"
    assert "1 cancelled annotations, left out" in notes


def test_label_studios_csv_with_ratings_as_json(tmp_path: Path) -> None:
    path = tmp_path / "export.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        write = csv.writer(file)
        write.writerow(
            ["annotation_id", "annotator", "doc_id", "id", "lead_time", "rating", "system"]
        )
        write.writerow([26, 1, "d1", 141, 88.5, json.dumps([{"rating": 3}]), "s"])
    rows, _ = read(path)
    assert facts(rows) == [("d1", "s", "1", "", "3")]
    assert rows[0].seconds == 88.5


def fine(path: Path) -> Path:
    marked = "<span id='claim-sent' style='background-color: #ffd500'>it &lt; 5</span>"
    with path.open("w", encoding="utf-8", newline="") as file:
        write = csv.writer(file)
        write.writerow(
            [
                *("WorkerId", "Input.doc_id", "Input.model", "Input.annotated_summary"),
                *("Input.source_doc", "Answer.semantic-similarity.label"),
            ]
        )
        write.writerow(
            ["W1", "12", "bigbird_pegasus", f"We say {marked}, today.", "a<br />b", "No"]
        )
    return path


def test_longevals_fine_has_the_clause_in_its_summary(tmp_path: Path) -> None:
    rows, _ = read(fine(tmp_path / "fine.csv"))
    assert facts(rows) == [("12", "bigbird_pegasus", "W1", "", "NO")]
    (row,) = rows
    assert row.summary == "We say it < 5, today."
    assert row.summary[row.start : (row.start or 0) + len(row.part)] == row.part == "it < 5"
    assert (row.source, row.form) == ("a\nb", "fine")


def test_longevals_coarse_is_known_by_name_where_fine_is_read_too(tmp_path: Path) -> None:
    code = hashlib.md5(b"12_bigbird-pegasus", usedforsecurity=False).hexdigest()
    data = {
        "model_article_code": code,
        "original_source_doc": "A source of some words, all in one line of the file.",
        "original_summary": "A summary of some words, all in one line of the file.",
    }
    coarse = label_studio(tmp_path / "coarse.json", data, "5")
    alone, notes = read(coarse)
    assert (alone[0].system, alone[0].label, alone[0].form) == (code, "5", "coarse")
    assert "name the FINE files as well" in notes
    both, _ = read(coarse, fine(tmp_path / "fine.csv"))
    assert both[0].document == "12"
    assert both[0].system == "bigbird_pegasus"


def test_a_column_that_may_name_systems_is_told(tmp_path: Path) -> None:
    """Agreement and means do not depend on it where each document has one."""
    path = table(tmp_path / "r.csv", "document,tool,rating\nd1,bart,4\nd2,pgn,5\n")
    rows, notes = read(path)
    assert [row.label for row in rows] == ["4", "5"]
    assert "'tool' may be it: --column system=NAME" in notes
    rows, _ = read(path, columns=("system=tool",))
    assert [row.system for row in rows] == ["bart", "pgn"]


@pytest.mark.parametrize(
    ("text", "holds", "advice"),
    [
        (
            "article_no,by_whom,stars\nn1,bart,4\nn2,pgn,5\n",
            "article_no",
            "--column document=article_no",
        ),
        ("document,system,mark\nd1,a,good\nd2,b,bad\n", "mark", "--column label=mark"),
    ],
)
def test_a_table_that_does_not_tell_says_which_column_would(
    tmp_path: Path, text: str, holds: str, advice: str
) -> None:
    path = table(tmp_path / "r.csv", text)
    with pytest.raises(InputError) as refused:
        read(path)
    assert holds in str(refused.value)
    assert advice in str(refused.value)
    wanted = [word.rstrip(".") for word in str(refused.value).split() if "=" in word]
    rows, _ = read(path, columns=tuple(word for word in wanted if not word.endswith("=none")))
    assert len(rows) == 2  # what it advises does read the file


@pytest.mark.parametrize(
    ("columns", "says"),
    [
        (("score",), "say ROLE=COLUMN"),
        (("colour=x",), "say ROLE=COLUMN"),
        (("system=nowhere",), "no column 'nowhere' for the system"),
        (("system=a", "system=b"), "has the column 'a' already"),
    ],
)
def test_columns_that_cannot_be(tmp_path: Path, columns: tuple[str, ...], says: str) -> None:
    path = table(tmp_path / "r.csv", "document,system,a,b,label\nd,s,1,2,3\n")
    with pytest.raises(InputError, match=says):
        read(path, columns=columns)


def test_scales_by_the_labels_that_were_given() -> None:
    labels = {
        "coherence": "1 2 5",
        "fluency": "4 5",  # on the same sheet, so from 1 to 5 as well
        "true": "Yes no",
        "overall": "7 55 12",
        "mean": "0.5 1",
    }
    scales = scales_of({name: dict.fromkeys(some.split(), "f") for name, some in labels.items()})
    assert list(scales["fluency"].values) == ["1", "2", "3", "4", "5"]
    assert (scales["coherence"].metric, scales["true"].metric) == ("ordinal", "nominal")
    assert dict(scales["true"].values) == {"Yes": 1.0, "no": 0.0}
    assert list(scales["overall"].values) == ["0", "7", "12", "55", "100"]
    assert list(scales["mean"].values) == ["0", "0.5", "1"]
    assert {scales["overall"].metric, scales["mean"].metric} == {"interval"}
    with pytest.raises(InputError, match=r"f, line 3: the labels of quality.*--labels bad,good,so"):
        scales_of({"quality": {"good": "f, line 2", "bad": "f, line 3", "so": "f, line 4"}})
    with pytest.raises(InputError, match="f, line 3: '4o' is no number, as others"):
        scales_of({"quality": {"4": "f, line 2", "4o": "f, line 3"}})


def test_one_label_is_written_in_many_ways() -> None:
    assert plain_labels({"3,5", "4", "4.0", "-"}) == {"3,5": "3.5", "4": "4", "4.0": "4", "-": ""}
    assert plain_labels({"Yes", "y", "N", "N/A"}) == {
        "Yes": "yes",
        "y": "yes",
        "N": "no",
        "N/A": "",
    }
    for words in ({"good", "bad", "none"}, {"-", "+"}, {"1,000", "2"}, {"1,2,3", "1"}, {"NA"}):
        assert plain_labels(words) == {word: word for word in words}
    assert plain_labels({"yes", "NA"}, keep={"NA"})["NA"] == "NA"
    assert plain_labels({"good", "NA"}, keep={"good", "bad"}) == {"good": "good", "NA": ""}


def test_scales_as_their_owner_writes_them() -> None:
    assert dict(scale_given("0-2").values) == {"0": 0.0, "1": 1.0, "2": 2.0}
    assert dict(scale_given("bad,fair,good").values) == {"bad": 0.0, "fair": 1.0, "good": 2.0}
    assert dict(scale_given("no=0,maybe=0.5,yes=1").values) == {"no": 0, "maybe": 0.5, "yes": 1}
    for wrong in ("5-1", "good", "a=x,b=1", "a,a", "low=inf,high=1"):
        with pytest.raises(InputError, match="--labels"):
            scale_given(wrong)


def test_times_that_are_none() -> None:
    assert (moment("yesterday"), moment(None), moment("")) == ("", "", "")
