"""`fm.score` and `fm.score_answer` as a notebook calls them: what they take, raise and print."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas
import polars
import pytest

import factmark as fm
from factmark.errors import InputError

QUESTIONS = [("Which dataset is it?", ["Asthma"]), ("How many patients are there?", ["30"])]
ANSWERS = ["The dataset is **Asthma**.", "There are 31 patients."]


def test_pairs_and_plain_answers_are_scored_as_rows_are() -> None:
    """Right, then wrong: C, H and S are the mean of 1 and 0, of 0 and 1, of 1 and 0."""
    scored = fm.score(ANSWERS, benchmark=QUESTIONS)
    assert {name: estimate.value for name, estimate in scored.averages.items()} == {
        "C": 0.5,
        "H": 0.5,
        "S": 0.5,
    }
    assert (scored.completeness, scored.combined_score) == (0.5, 0.5)
    frame = scored.to_pandas()
    assert list(frame["query_id"]) == ["1", "2"]
    assert list(frame["completeness"]) == [1.0, 0.0]
    assert [fact["text"] for fact in frame["facts"][0]] == ["Asthma"]
    missing = fm.score([None, ANSWERS[0]], benchmark=QUESTIONS[::-1])  # type: ignore[list-item]  # none given
    assert missing.averages["C"].n_missing == 1
    assert list(missing.to_pandas()["query_id"]) == ["2"]


@pytest.mark.parametrize("as_given", [list, pandas.DataFrame, polars.DataFrame])
@pytest.mark.parametrize("nothing", [None, float("nan")])
def test_a_cell_without_a_value_is_missing_and_no_empty_answer(
    as_given: Callable[[list[dict[str, Any]]], Any], nothing: float | None
) -> None:
    """Scored as an empty answer it would halve C."""
    rows = [{"query_id": "2", "answer": 30.0}, {"query_id": "1", "answer": nothing}]
    scored = fm.score(as_given(rows), benchmark=QUESTIONS)
    assert (scored.averages["C"].value, scored.averages["C"].n_missing) == (1.0, 1)


def test_nan_in_a_list_of_answers_is_no_answer() -> None:
    scored = fm.score([ANSWERS[0], float("nan")], benchmark=QUESTIONS)  # type: ignore[list-item]  # as a column's values are
    assert (scored.averages["C"].value, scored.averages["C"].n_missing) == (1.0, 1)


THOUGHTS = [
    "<think>Perhaps Diabetes, or 12.</think>The dataset is Asthma.",
    "Perhaps Diabetes, or 12.</think>\nThe dataset is Asthma.",
    "<thinking>Diabetes</thinking>\n- Asthma\n[THINK]Sepsis, 12[/THINK]",
    "<|channel|>analysis<|message|>Diabetes<|end|><|start|>assistant<|channel|>final<|message|>Asthma",
    "| Dataset |\n| --- |\n| Asthma |\n<think>Sepsis</think>\n| COPD |",
    "It says `<think>` where it thinks. Asthma, and COPD.",
]


@pytest.mark.parametrize("answer", THOUGHTS)
def test_one_answer_alone_and_in_a_file_has_the_same_facts_outside_of_thinking(answer: str) -> None:
    alone = fm.score_answer(*QUESTIONS[0], answer)
    (row,) = fm.score([answer], benchmark=QUESTIONS[:1]).to_pandas().to_dict("records")
    texts = [fact["text"] for fact in row["facts"]]
    assert [fact.text for fact in alone.facts] == texts
    assert "Asthma" in texts
    assert not {"Diabetes", "Sepsis", "12"}.intersection(texts)
    assert (row["completeness"], row["combined_score"]) == (
        alone.completeness,
        alone.combined_score,
    )


def test_a_function_of_ones_own_judges() -> None:
    def last_word(_question: str, _truth: list[str], answer: str) -> list[str]:
        return [answer.strip(".*").split()[-1].strip("*")]

    answers = [ANSWERS[0], "There are 31 patients, all from Lisbon."]
    scored = fm.score(answers, benchmark=QUESTIONS, judge=last_word)
    facts = [[fact["text"] for fact in row] for row in scored.to_pandas()["facts"]]
    assert facts == [["Asthma"], ["Lisbon"]]
    assert scored.averages["C"].value == 0.5


def test_a_library_draws_nothing_unless_asked(capfd: pytest.CaptureFixture[str]) -> None:
    fm.score(ANSWERS, benchmark=QUESTIONS)
    assert capfd.readouterr() == ("", "")


def test_people_correct_the_averages_beside_the_judge_s(tmp_path: Path) -> None:
    marks = [
        {"query_id": str(n), "answer": answer, "Ada": {"facts": [], "verdict": None}}
        for n, answer in enumerate(ANSWERS, 1)
    ]
    path = tmp_path / "marks.jsonl"
    path.write_text(
        "".join(json.dumps(row | {"Ada": row["Ada"] | {"absence": False}}) + "\n" for row in marks)
    )
    scored = fm.score(ANSWERS, benchmark=QUESTIONS, people=path)
    assert list(scored.tables)[:2] == ["corrected", "scores"]
    assert scored.averages["corrected C"].value == 0.0  # Ada found no fact in either
    assert scored.averages["C"].value == 0.5


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"level": 95}, "level=95: has to be at least 0.5"),
        ({"level": float("nan")}, "level=nan"),
        ({"level": float("inf")}, "level=inf"),
        ({"seed": 1.5}, "seed=1.5: has to be int"),
        ({"people": 5}, "people=5: has to be Path or str"),
        ({"encoding": None}, "encoding=None"),
        ({"levl": 0.9}, "Did you mean 'level'"),
        ({"benchmark": [("q", "30")]}, "its ground truth is '30'; give a list"),
        ({"benchmark": [("q", [30])]}, r"its ground truth is \[30\]"),
        ({"benchmark": 5}, "benchmark: give a file, rows or a frame, and no int"),
        ({"answers": 5}, "answers: give a file"),
        ({"answers": None}, "answers=None"),
        ({"answers": [*ANSWERS, 3]}, "answer 3: is 3, beside texts"),
        ({"answers": [1, 2]}, "an answer is an object"),
        ({"answers": []}, "holds no answers"),
    ],
)
def test_score_raises_nothing_but_its_own_errors(options: dict[str, Any], message: str) -> None:
    given: dict[str, Any] = {"answers": ANSWERS, "benchmark": QUESTIONS, **options}
    with pytest.raises(InputError, match=message):
        fm.score(**given)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: fm.score_answer("q", "30", "30"), "ground_truth: has to be a list of texts"),
        (lambda: fm.score_answer("q", None, "30"), "ground_truth"),
        (lambda: fm.score_answer("q", [30], "30"), "ground_truth"),
        (lambda: fm.score_answer(None, ["30"], "30"), "question: has to be a text"),
        (lambda: fm.score_answer("q", ["30"], float("nan")), "answer: has to be a text"),
        (lambda: fm.score_answer("q", ["30"], "30", aliases=5), "aliases: has to be a mapping"),
        (lambda: fm.score_answer("q", ["30"], "30", aliases={"30": "x"}), "aliases of '30'"),
        (lambda: fm.run(5), "'5' is no study"),
        (lambda: fm.run("ehds", model=5), "model=5: has to be list or str"),
        (lambda: fm.run("ehds", k=0), "k=0: has to be at least 1"),
    ],
)
def test_other_functions_too(call: Callable[[], object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        call()
