"""An element of G is a thing with names, identifiers and properties (M6)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from factmark.answers.core.elements.nomenclature import abbreviates, other_spelling, person_parts
from factmark.answers.core.elements.things import thing_of
from factmark.answers.core.matching import Targets
from factmark.answers.core.records import Thing
from factmark.answers.core.rows import question_item, read_question
from factmark.answers.core.scores import score_answer
from factmark.answers.questions.benchmarks import benchmark_lines, load_benchmark
from factmark.answers.questions.thing_records import things_of_iris, truth_lines, truth_rows
from factmark.errors import InputError

ENZYMES = ["GBA1 (UniProt:P04062)", "NPC1 (UniProt:O15118)"]


def scores(truth: list[str], answer: str, question: str = "Which ones?") -> tuple[float, float]:
    score = score_answer(question, truth, answer)
    return score.completeness, score.hallucination_rate


@pytest.mark.parametrize(
    ("element", "thing"),
    [
        ("GBA1 (UniProt:P04062)", Thing(names=("GBA1",), ids=("UniProt:P04062",))),
        ("blaZ (41 isolates)", Thing(names=("blaZ",), properties=("41 isolates",))),
        (
            "LIPA_HUMAN (UniProt:P38571, lipA, PDB:6V7N and 2 others)",
            Thing(
                names=("LIPA_HUMAN", "lipA"),
                ids=("UniProt:P38571", "PDB:6V7N"),
                properties=("2 others",),
            ),
        ),
        ("TNF (tumor necrosis factor)", Thing(names=("TNF", "tumor necrosis factor"))),
        ("Halle (Saale)", Thing(names=("Halle (Saale)",))),
        ("48 dB(A)", Thing(names=("48 dB(A)",))),
        ("Hypertension (disorder)", Thing(names=("Hypertension (disorder)",))),
    ],
)
def test_what_the_text_of_an_element_says(element: str, thing: Thing) -> None:
    assert thing_of(element) == thing


@pytest.mark.parametrize(
    "answer",
    [
        "GBA1 and NPC1",
        "P04062 and O15118",
        "UniProt:P04062; UniProt:O15118",
        "- GBA1 (UniProt:P04062)\n- NPC1 (UniProt:O15118)",
        "GBA1 (P04062) and NPC1 (O15118).",
    ],
)
def test_a_name_or_an_identifier_says_a_thing(answer: str) -> None:
    assert scores(ENZYMES, answer) == (1, 0)


def test_the_prefix_of_an_identifier_says_nothing() -> None:
    assert scores(ENZYMES, "UniProt")[0] == 0


def test_a_property_is_no_name_and_no_invention_beside_its_thing() -> None:
    truth = ["blaZ (41 isolates)", "mecC (7 isolates)"]
    assert scores(truth, "blaZ in 41 isolates and mecC in 7.") == (1, 0)
    assert scores(truth, "There are 41.")[0] == 0
    assert scores(truth, "blaZ in 39 isolates.")[1] == 0.5


@pytest.mark.parametrize("answer", ["CLEC5", "Clec-5", "CLEC 5", "The receptor is CLEC 5."])
def test_a_symbol_is_one_word_however_written(answer: str) -> None:
    assert scores(["CLEC5"], answer) == (1, 0)
    assert scores(["CLEC-5"], answer) == (1, 0)


def test_a_number_is_no_part_of_a_symbol() -> None:
    assert scores(["CLEC-5"], "5")[0] == 0
    assert scores(["CLEC5"], "CLEC6") == (0, 1)


@pytest.mark.parametrize(
    "answer",
    ["Vera Rubin", "V. C. Rubin did.", "It was V. Rubin.", "Vera C. Rubin", "Vera Cooper Rubin"],
)
def test_parts_of_a_person_in_order_say_the_person(answer: str) -> None:
    assert scores(["Vera Cooper Rubin"], answer, "Who measured it?") == (1, 0)


@pytest.mark.parametrize("answer", ["Judith Rubin", "Rubin Vera"])
def test_others_of_the_name_do_not(answer: str) -> None:
    assert scores(["Vera Cooper Rubin"], answer, "Who measured it?")[0] == 0


def test_what_is_no_person_has_no_parts() -> None:
    assert not person_parts("Riverside County Hospital")
    assert not person_parts("Synthetic Asthma Cohort")
    assert person_parts("Ludwig van Beethoven") == ("ludwig", "van", "beethoven")


def test_a_full_name_in_brackets_after_a_short_one_is_one_thing() -> None:
    answer = "The gene is OCRL1 (oculocerebrorenal protein 1)."
    assert [f.text for f in score_answer("Which gene?", ["LAMP2"], answer).facts] == ["OCRL1"]


def test_the_places_of_a_molecule_are_no_facts() -> None:
    answer = "The product is 9S-hydroperoxy-10,12,15-octadecatrienoic acid."
    assert len(score_answer("Which product?", ["jasmonate"], answer).facts) == 1


def test_spellings_and_abbreviations() -> None:
    assert (other_spelling("IL2"), other_spelling("IL-2"), other_spelling("IL")) == (
        "IL 2",
        "IL2",
        None,
    )
    assert abbreviates("NPC1", "Niemann-Pick C1 protein")
    assert not abbreviates("NPC2", "Niemann-Pick C1 protein")


def test_without_brackets_nothing_is_a_thing() -> None:
    plain = Targets.of(["Asthma Cohort", "30"])
    assert plain.elements == ("Asthma Cohort", "30")
    assert not plain.properties


def benchmark(tmp_path: Path, **fields: object) -> Path:
    path = tmp_path / "questions.jsonl"
    record = {"id": "1", "question": "Which enzymes?", "ground_truth": ENZYMES, **fields}
    path.write_text(json.dumps(record), "utf-8")
    return path


def test_a_benchmark_keeps_things_and_they_are_corrected_there(tmp_path: Path) -> None:
    given = {ENZYMES[0]: {"names": ["GBA1", "glucocerebrosidase"], "ids": ["UniProt:P04062"]}}
    [question] = load_benchmark(str(benchmark(tmp_path, things=given))).questions
    assert question.things[ENZYMES[0]].names == ("GBA1", "glucocerebrosidase")
    item = question_item("enzymes", question)
    assert read_question(item).things == question.things
    written = json.loads(benchmark_lines([question]))["things"]
    assert written[ENZYMES[0]]["names"] == ["GBA1", "glucocerebrosidase"]
    assert written[ENZYMES[1]] == {"names": ["NPC1"], "ids": ["UniProt:O15118"]}
    shown = "\n".join(truth_lines(truth_rows([question])))
    assert "names: GBA1; glucocerebrosidase" in shown
    assert "ids: UniProt:O15118" in shown


def test_what_the_text_says_anyway_is_not_recorded(tmp_path: Path) -> None:
    given = {ENZYMES[0]: {"names": ["GBA1"], "ids": ["UniProt:P04062"]}}
    with_it = load_benchmark(str(benchmark(tmp_path, things=given)))
    without = load_benchmark(str(benchmark(tmp_path)))
    assert with_it.questions == without.questions
    assert with_it.digest == without.digest


@pytest.mark.parametrize(
    "things", ["GBA1", {"GBA1": ["x"]}, {"GBA1": {"name": "x"}}, {"G": {"ids": [1]}}]
)
def test_things_that_are_none(tmp_path: Path, things: object) -> None:
    with pytest.raises(InputError, match=r"line 1: things"):
        load_benchmark(str(benchmark(tmp_path, things=things)))


def test_an_iri_with_labels_is_a_thing() -> None:
    iri = "http://example.org/obo/HP_0001250"
    things = things_of_iris([iri], {iri: "Seizure"}, {iri: ("Epileptic fit", "Seizure")})
    assert things == {"Seizure": Thing(names=("Seizure", "Epileptic fit"), ids=(iri, "HP:0001250"))}
    targets = Targets.of(["Seizure"], None, things)
    assert all(targets.matches(words) for words in [("epileptic", "fit"), ("hp", "0001250")])
