"""The five published worked examples, in our own words, with the published and our values.

Source: Annotation Guide of the EHDS benchmark, Ontology Engineering Group, Universidad Politécnica
de Madrid. In four of five poor answers, and in all good ones, the values agree. Example 3's poor
answer was published as C 0.67, H 0.60, S 0.36; the rules give S 0.50, and for the published
facts C 0.33, H 0.80, S 0.25: `prohibited` shares no word with `CommercialPurpose` (see
docs/answers.md).
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from factmark.answers.core.scores import combined_score, score_answer

SEEDS = Path(__file__).parents[3] / "shared" / "seeds"
GUIDE = next(SEEDS.glob("000_*.txt"), None)

HYPERTENSION = "Can I use the hypertension dataset to train a commercial AI model?"
P2 = ["use", "CommercialPurpose", "re-identify"]

GOOD = [
    (
        "How many datasets are available in this data space?",
        ["30"],
        "Altogether there are 30 datasets, as confirmed by querying the catalogue graph.",
    ),
    (
        "How many patients are in the dementia cohort?",
        ["0"],
        "0 patients are in the dementia cohort. Its graph exists but holds no patient records.",
    ),
    (
        HYPERTENSION,
        P2,
        "No. Use for CommercialPurpose is prohibited by the policy, and training a commercial AI "
        "model falls under that prohibition. Re-identifying patients is prohibited too.",
    ),
    (
        "How many female patients are in the PTSD cohort?",
        ["1"],
        "The PTSD cohort has 1 female patient, confirmed by querying `fhir:gender` in its graph.",
    ),
    (
        "What is the total number of unique patients across all datasets?",
        ["573"],
        "Across all datasets the total number of unique patients is 573, returned by a COUNT "
        "DISTINCT query over all graphs except the catalogue.",
    ),
]

POOR = [
    (
        GOOD[0][0],
        GOOD[0][1],
        "Based on my knowledge of the European Health Data Space, about twenty datasets are "
        "available, covering conditions like cardiovascular disease and oncology.",
        ["twenty", "cardiovascular disease", "oncology"],
    ),
    (
        GOOD[1][0],
        GOOD[1][1],
        "Based on typical prevalence in European populations, one would expect a dementia cohort "
        "to have approximately 300 to 500 patients, mostly over 65 and more often female. I do "
        "not have access to this portal's record count.",
        ["300 to 500", "65", "female"],
    ),
    (
        GOOD[3][0],
        GOOD[3][1],
        "In most cohorts female patients make up 60 to 70 percent of PTSD, so in a cohort of 10 "
        "there would be approximately 6 or 7.",
        ["60 to 70 percent", "10", "6 or 7"],
    ),
    (
        GOOD[4][0],
        GOOD[4][1],
        "The total number of patients is 911 across all datasets: 40 patients in each larger one, "
        "15 in the smaller one, 10 in each of the rest.",
        ["911", "40", "15", "10"],
    ),
]


@pytest.mark.parametrize(("question", "truth", "answer"), GOOD)
def test_good_answers(question: str, truth: list[str], answer: str) -> None:
    score = score_answer(question, truth, answer)
    assert (score.completeness, score.hallucination_rate, score.combined_score) == (1, 0, 1)


@pytest.mark.parametrize(("question", "truth", "answer", "facts"), POOR)
def test_poor_answers(question: str, truth: list[str], answer: str, facts: list[str]) -> None:
    score = score_answer(question, truth, answer)
    assert [fact.text for fact in score.facts] == facts
    assert (score.completeness, score.hallucination_rate, score.combined_score) == (0, 1, 0)


def test_echo_of_the_question_is_no_fact() -> None:
    # Published F = {dementia, 0}; `dementia` stands in the question, so by E3 F = {0}.
    question, truth, answer = GOOD[1]
    assert [fact.text for fact in score_answer(question, truth, answer).facts] == ["0"]


def test_the_row_that_differs_as_the_answer_was_worded() -> None:
    score = score_answer(
        HYPERTENSION,
        P2,
        "Commercial use is prohibited here. You also need to obtain IRB approval before accessing "
        "the data, and you must not re-identify patients. On top of that, the dataset requires "
        "data deletion within two years.",
    )
    assert [fact.match for fact in score.facts] == ["use", None, "re-identify", None, None]
    assert (score.completeness, score.hallucination_rate) == pytest.approx((2 / 3, 3 / 5))
    assert score.combined_score == pytest.approx(0.5)  # published: 0.36


def test_the_row_that_differs_by_its_published_facts() -> None:
    score = score_answer(
        HYPERTENSION,
        P2,
        "Commercial exploitation is prohibited here. You also need to obtain IRB approval before "
        "accessing the data, and you must not re-identify patients. On top of that, the dataset "
        "requires data deletion within two years.",
    )
    assert [fact.match for fact in score.facts].count(None) == len(score.facts) - 1
    assert score.completeness == pytest.approx(1 / 3)
    assert "CommercialPurpose" in score.missing
    # What was published contradicts its own formula: C = 2/3 and H = 3/5 give S = 0.50, not 0.36.
    assert combined_score(2 / 3, 3 / 5) == pytest.approx(0.5)


@pytest.mark.skipif(GUIDE is None, reason="the published guide is not beside this checkout")
@pytest.mark.parametrize("number", range(1, 6))
@pytest.mark.parametrize("quality", ["High-quality", "Lower-quality"])
def test_the_published_examples_word_for_word(number: int, quality: str) -> None:
    """Nine rows as published; the tenth (3, lower) has the S that its own C and H give."""
    assert GUIDE is not None
    example = re.split(r"^Example \d ", GUIDE.read_text("utf-8"), flags=re.MULTILINE)[number]
    row = dict(line.split("\t", 1) for line in example.splitlines() if "\t" in line)
    published = re.findall(r"\$S = ([\d.]+)\$", example)[quality == "Lower-quality"]
    score = score_answer(row["Query"], row["Ground truth"].split(", "), row[quality])
    got = (score.completeness, score.hallucination_rate, score.combined_score)
    if (number, quality) == (3, "Lower-quality"):
        assert got == pytest.approx((2 / 3, 3 / 5, 1 / 2))
        assert published == "0.36"
    else:
        best = quality == "High-quality"
        assert got == ((1, 0, 1) if best else (0, 1, 0)), score.facts
        assert float(published) == float(best)
