"""E1 to E8, one by one, on sentences of our own."""

from __future__ import annotations

import pytest

from factmark.answers.core.records import Fact
from factmark.answers.core.scores import score_answer, score_facts

NOTHING: list[str] = []


def found(answer: str, question: str = "Tell me.", truth: list[str] = NOTHING) -> list[str]:
    return [fact.text for fact in score_answer(question, truth, answer).facts]


@pytest.mark.parametrize(
    ("answer", "facts"),
    [
        ("There are 30 datasets.", ["30"]),
        ("It covers sarcoidosis and lupus.", ["sarcoidosis", "lupus"]),
        ("The cohort follows FHIR R4.", ["FHIR R4"]),
        ("Between 300 and 500 patients are enrolled.", ["300 and 500"]),
        ("It has 300 to 500 patients.", ["300 to 500"]),
        ("About 60 to 70 percent are affected.", ["60 to 70 percent"]),
        ("Take 10 MG.", ["10 MG"]),
        ("It starts on 1 March 2004.", ["1 March 2004"]),
        ("It starts in March 2004.", ["March 2004"]),
        (
            "The Health Research Authority decides within 3 months.",
            ["Health Research Authority", "3 months"],
        ),
        ("Rules follow Article 9(2) GDPR.", ["Article 9(2) GDPR"]),
        ("Records are pseudonymised.", ["pseudonymised"]),
    ],
)
def test_content_phrases_minimal(answer: str, facts: list[str]) -> None:
    """E1, E2."""
    assert found(answer) == facts


def test_number_stands_alone_before_a_general_noun_and_an_alternative_is_one_fact() -> None:
    assert found("It holds twelve cohorts.") == ["twelve"]
    assert found("There are 6 or 7 patients.") == ["6 or 7"]


QUESTION = "How many patients are in the dementia cohort?"


def test_echo_of_the_question() -> None:
    """E3: up to inflection, unless it matches G."""
    assert found("The dementia cohorts hold 4.", QUESTION) == ["4"]
    score = score_answer(QUESTION, ["Synthetic Dementia Cohort"], "The dementia cohort.")
    assert score.completeness == 1


@pytest.mark.parametrize(
    "answer",
    [
        "I don't have access to the asthma catalogue.",
        "I searched the graph for lupus with three queries.",
        "Please consult the Swedish registry.",
        "Would you like a list of the 12 hospitals?",
        "Let me know if you need the Danish records.",
        "The context does not mention sarcoidosis.",
        "As an AI, I cannot look at the Madrid registry.",
        "You may want to check the Finnish portal.",
    ],
)
def test_self_talk_and_advice(answer: str) -> None:
    """E4."""
    assert found(answer) == []


@pytest.mark.parametrize(
    "answer",
    [
        "I can't say. The leaflet you sent does not mention any tenants of the tower.",
        "That I won't disclose, to protect visitors from burglars. Ask the warden.",
    ],
)
def test_an_answer_that_declines_states_no_fact_by_its_reasons(answer: str) -> None:
    """E4; but it says what it says of G, and a name or a plain sentence is a candidate."""
    question = "Who lives in the tower?"
    assert found(answer, question, ["owls"]) == []
    assert found(f"{answer} I know nothing of owls.", question, ["owls"]) == ["owls"]
    plain = f"{answer} The tower is inhabited by bats and rats."
    assert found(plain, question, ["owls"]) == ["bats", "rats"]
    assert "Mr Penhale" in found(f"{answer} Perhaps it is Mr Penhale.", question, ["owls"])


def test_what_is_said_of_the_data_beside_it_stays() -> None:
    """E4, its exceptions."""
    assert found("You must obtain IRB approval.") == ["IRB approval"]
    assert found("According to the retrieved documents, lupus is covered.") == ["lupus"]


@pytest.mark.parametrize(
    ("question", "answer", "verdict"),
    [
        ("Is it allowed?", "No. It is prohibited.", "no"),
        ("Is it allowed?", "**Yes**, with consent.", "yes"),
        ("May I share it?", "Sharing is not permitted.", "no"),
        ("May I share it?", "Sharing is permitted.", "yes"),
        ("May I share it?", "It might be prohibited.", None),
        ("Which ones may I share?", "No idea.", None),
    ],
)
def test_verdict(question: str, answer: str, verdict: str | None) -> None:
    """E5: yes and no are a verdict, never a fact."""
    score = score_answer(question, [], answer)
    assert score.verdict == verdict
    assert not {"yes", "no", "not"} & {fact.text.casefold() for fact in score.facts}


SWAN = "Could a heron swallow a swan?"


CLAIM, LAKE = "Claim: Lake Orta was dammed in 1902.", "Lake Orta was dammed in 1911."


@pytest.mark.parametrize(
    ("question", "answer", "verdict"),
    [
        (
            SWAN,
            "A heron can swallow an eel. A swan is heavy. So a heron could not, with a swan.",
            "no",
        ),
        (SWAN, "Herons swallow ducklings. There is no evidence that herons swallow swans.", "no"),
        (SWAN, "It is impossible for a heron to swallow a swan.", "no"),
        (SWAN, "It is highly likely that a heron would swallow a swan.", "yes"),
        (SWAN, "It is possible for a heron to swallow a swan.", "yes"),
        (SWAN, "It is possible that herons swallow swans.", None),
        (SWAN, "We need to know how wide the heron and the swan are.", None),
        ("Is resale forbidden?", "Resale is forbidden.", "yes"),
        ("Is resale allowed?", "Resale is forbidden.", "no"),
        (CLAIM, "SUPPORTS", "yes"),
        (CLAIM, "Supported by three trials, it says.", None),
        (CLAIM, f"Observation: {LAKE}\nThought: So it is not so.\nAction: Finish[REFUTES]", "no"),
        (CLAIM, "Action: Finish[NOT ENOUGH INFO]", None),
        (CLAIM, f"Observation 1: {LAKE}\nObservation 2: Nothing else.", None),
    ],
)
def test_verdict_of_a_sentence_that_says_the_question_again(
    question: str, answer: str, verdict: str | None
) -> None:
    """E5: where no yes or no stands, the sentence that has most of the question, or concludes."""
    assert score_answer(question, ["true"], answer).verdict == verdict


@pytest.mark.parametrize(
    "finish", ["Finish[Piedmont]", "finish(Piedmont)", "Final Answer[Piedmont]"]
)
def test_an_agents_last_action_is_its_answer(finish: str) -> None:
    """E10: a call of a tool is not read; the action that ends the run and its thought are."""
    question = "Where is Lake Orta?"
    short = f"Thought: Its outflow is the Nigoglia.\nAction: {finish}"
    assert found(short, question, ["Piedmont"])[-2:] == ["Nigoglia", "Piedmont"]
    long = f"Thought: Lombardy?\nAction: Search[Lombardy]\nObservation: None.\n{short}"
    facts = found(long, question, ["Piedmont"])
    assert facts[-2:] == ["Nigoglia", "Piedmont"]
    assert "Lombardy" not in facts
    assert (
        score_answer("Is it deep?", ["true"], "Thought: 143 m.\nAction: Finish[Yes]").verdict
        == "yes"
    )


def test_the_frame_of_a_result_in_a_code_span_is_no_fact() -> None:
    """E10: in the frame of SPARQL's JSON only the values are said."""
    shown = '`{"n": {"type": "literal", "datatype": "xsd:integer", "value": "573"}}`'
    assert found(f"The endpoint gave {shown}.", "How many berths are there?", ["573"]) == ["573"]


@pytest.mark.parametrize("mark", ["*", "-", "•"])
def test_bullets_on_one_line_are_a_list(mark: str) -> None:
    """E9: as they are where each has its line."""
    items = [f" {mark} 64101: Uptown", f" {mark} 64102: River Market", f" {mark} 64105: Westport"]
    flat, lines = "The codes are: " + "".join(items), "The codes are:\n" + "\n".join(items)
    assert found(flat, "Which codes?", ["64102"]) == found(lines, "Which codes?", ["64102"])
    assert "64102" in found(flat, "Which codes?", ["64102"])


@pytest.mark.parametrize(
    ("answer", "verdict"),
    [
        ("It is, indeed, from 1976.", "yes"),
        ("It is, since 1976, not 1975.", "yes"),
        ("I believe so.", "yes"),
        ("It is, however, not covered.", "no"),
        ("It has (as of 2024) no members there.", "no"),
        ("So, Belgium is not covered.", "no"),
    ],
)
def test_verdict_of_a_short_clause(answer: str, verdict: str | None) -> None:
    """A clause that is denied behind an aside says no yes, and *so* does only after a verb."""
    assert score_answer("Is Belgium covered?", ["yes"], answer).verdict == verdict


@pytest.mark.parametrize(
    ("question", "answer", "verdict"),
    [
        (
            "Are the pirates of the show not real pirates?",
            "The pirates of the show aren't real.",
            "yes",
        ),
        (
            "Are the pirates of the show not real pirates?",
            "The pirates of the show are real.",
            "no",
        ),
        ("Is Sedna similar to Poseidon?", "They cannot be called similar to Poseidon.", "no"),
    ],
)
def test_verdict_of_a_sentence_without_yes_or_no(
    question: str, answer: str, verdict: str | None
) -> None:
    """E5: it says more than half of the question again, and agrees with it or not."""
    assert score_answer(question, ["yes"], answer).verdict == verdict


@pytest.mark.parametrize(
    ("question", "answer", "verdict"),
    [
        ("Are dogs let into the orchard?", "Dogs have to stay outside, except guide dogs.", "no"),
        ("Can the letters be copied without consent?", "Only with consent.", "no"),
        ("Is the ferry free of charge?", "I could not find out whether it is.", None),
        ("Is the ferry free of charge?", "That depends on the day, and it might change.", None),
        ("Is the ferry free of charge?", "I don't know.", None),
    ],
)
def test_verdict_that_an_answer_leaves_to_be_understood(
    question: str, answer: str, verdict: str | None
) -> None:
    """E5: what keeps something out says no; who cannot tell, or only hedges, says neither."""
    assert score_answer(question, ["false"], answer).verdict == verdict


def test_same_fact_once() -> None:
    """E6: case, inflection, hyphens; a longer and a shorter name of one thing."""
    assert found("Lupus, lupus and LUPUS.") == ["Lupus"]
    assert found("De-identified and de identified.") == ["De-identified"]
    assert found("The Danish Cancer Registry is large. The Cancer Registry is old.") == [
        "Danish Cancer Registry"
    ]


def test_general_words() -> None:
    """E7."""
    assert found("The datasets, cohorts, patients, policies and records of the catalogue.") == []


def test_polarity_is_not_judged() -> None:
    """E8."""
    question = "What does the policy say?"
    assert found("Redistribution is not permitted.", question) == ["Redistribution"]


TABLE = """
| # | Medication | Patients |
|--:|---|--:|
| 1 | lisinopril 10 MG Oral Tablet | 26 |
| 2 | metformin | 19 |
"""


def test_table_cells_without_head_and_numbering() -> None:
    assert found(TABLE) == ["lisinopril 10 MG Oral Tablet", "26", "metformin", "19"]


def test_markdown_around_facts() -> None:
    answer = "- **Lupus** (`odrl:derive`)\n- [Gout](https://example.org/gout)\n"
    assert found(answer, "Which uses are permitted?") == ["Lupus", "derive", "Gout"]


def test_spelled_out_element_is_one_fact() -> None:
    truth = ["Calcium [Mass/volume] in Blood", "Research and Development"]
    answer = "Calcium [Mass/volume] in Blood, and research and development."
    assert found(answer, truth=truth) == [
        "Calcium [Mass/volume] in Blood",
        "research and development",
    ]


@pytest.mark.parametrize(
    ("answer", "absence"),
    [
        ("None.", True),
        ("No dataset permits this.", True),
        ("There are no such cohorts.", True),
        ("Not found: the query returned zero rows.", True),
        ("Asthma and lupus.", False),
        ("I have no information on this.", True),
        ("", False),
    ],
)
def test_absence_decides_c_when_g_is_empty(answer: str, absence: bool) -> None:
    score = score_answer("Which datasets permit this?", [], answer)
    assert score.absence is absence
    assert score.completeness == float(absence)


def test_empty_answer() -> None:
    score = score_answer("Which?", ["asthma"], "")
    assert (score.completeness, score.hallucination_rate, score.combined_score) == (0, 0, 0)
    assert score.missing == ("asthma",)


@pytest.mark.parametrize(
    "answer",
    [
        "I queried the catalogue and there are 30 datasets.",
        "You can see 30 datasets in the catalogue.",
        "The search covers 30 datasets.",
    ],
)
def test_what_was_found_stands_beside_how_it_was_found(answer: str) -> None:
    """E4 leaves out the clause about the search, not the one about the data."""
    assert found(answer) == ["30"]


@pytest.mark.parametrize(
    "answer",
    ["Asthma; there is no other one.", "Asthma has no end date."],
)
def test_no_absence(answer: str) -> None:
    assert not score_answer("Which datasets permit this?", [], answer).absence


def test_facts_from_elsewhere_count_once_too() -> None:
    facts = [Fact(text=text, start=0, end=len(text)) for text in ("foo bar", "Foo-Bar", "baz")]
    assert [fact.text for fact in score_facts(facts, []).facts] == ["foo bar", "baz"]


@pytest.mark.parametrize(
    "answer",
    [
        "According to the library register that I queried, the answer is 48.",
        "Based on my search of the knowledge graph, there are 48.",
        "As of the latest catalogue update, there are 48.",
        "While I cannot verify this myself, the register lists 48.",
        "The national library database holds 48 of them.",
        "The SPARQL query returned 48.",
        "48 libraries[^1].\n\n[^1]: Source: Ardvey Register of Libraries.",
        "Across all regional named graphs the count is 48.",
    ],
)
def test_where_it_was_looked_up_is_no_fact(answer: str) -> None:
    """E3, E4."""
    score = score_answer("How many libraries are there?", ["48"], answer)
    assert (score.completeness, score.hallucination_rate) == (1, 0), score.facts


def test_the_full_title_of_what_was_asked_about_is_an_echo() -> None:
    """E3; where a title is asked for, it is a fact."""
    answer = "The Ardvey Glass Collection holds goblets."
    assert found(answer, "What does the glass collection hold?") == ["goblets"]
    assert found(answer, "Which collections hold goblets?") == ["Ardvey Glass Collection"]


def test_a_name_and_its_abbreviation_are_one_fact() -> None:
    """E6."""
    assert found("The Ardvey Data Office (ADO) decides.") == ["Ardvey Data Office"]
    score = score_answer("Who decides?", ["ADO"], "The Ardvey Data Office (ADO) decides.")
    assert (score.completeness, score.hallucination_rate) == (1, 0)


def test_what_is_used_for_something_is_no_use() -> None:
    """M5: the participle of a report is no action; what may be done is."""
    question, truth = "What does the policy permit?", ["use"]
    assert score_answer(question, truth, "It is also used to plan roads.").completeness == 0
    assert score_answer(question, truth, "It may be used to plan roads.").completeness == 1


def test_a_title_that_ends_as_a_question_is_a_fact_in_a_cell() -> None:
    table = "| Film |\n|---|\n| Gilda |\n| Who Rings There? |"
    assert found(table) == ["Gilda", "Who Rings There"]


def test_a_number_in_words_may_begin_a_name() -> None:
    assert found("She made Nine Lanterns.") == ["Nine Lanterns"]
    assert found("There are nine lanterns.")[0].startswith("nine")


def test_the_key_of_a_value_of_the_truth_is_no_fact() -> None:
    entry = "**Architect:** Ann Weir\n**Material:** red brick"
    assert found(entry, truth=["red brick"]) == ["Ann Weir", "red brick"]
    listed = "- Granite: from Norway\n- Slate: from Wales"
    assert found(listed, truth=["Slate"]) == ["Granite", "Norway", "Slate", "Wales"]


@pytest.mark.parametrize(
    ("answer", "truth", "facts"),
    [
        ("It owns 46 datasets.", ["46"], ["46"]),
        ("It has a weight of roughly 208 kg.", [], ["208 kg"]),
        ("The law entered into force in 2004.", [], ["2004"]),
        ("The cup is on display in Turin.", [], ["Turin"]),
    ],
)
def test_common_words_that_carry_what_stands_beside_them(
    answer: str, truth: list[str], facts: list[str]
) -> None:
    assert found(answer, truth=truth) == facts


@pytest.mark.parametrize(
    ("answer", "facts"),
    [
        ("Its code is 978-3-16-148410-0.", ["978-3-16-148410-0"]),
        ("Open 10:00–17:00.", ["10:00–17:00"]),
        ("It covers 12,450.5 km².", ["12,450.5 km²"]),
        ("It is sct:44054006.", ["44054006"]),
        ("It has 30 000 patients.", ["30 000"]),
    ],
)
def test_codes_times_and_units_are_one_fact(answer: str, facts: list[str]) -> None:
    assert found(answer) == facts


def test_numbering_inside_a_line_is_no_fact() -> None:
    assert found("Barred are: (1) lupus, (2) gout.") == ["lupus", "gout"]
    assert found("Lupus (40), gout (12)") == ["Lupus", "40", "gout", "12"]


@pytest.mark.parametrize(
    ("answer", "facts"),
    [
        ("They keep medical records of patients.", ["medical records"]),
        ("It is a randomized controlled trial (RCT).", ["randomized controlled trial"]),
        (
            "It holds personally identifiable information (PII).",
            ["personally identifiable information"],
        ),
        (
            "Give 24 HR ardvone succinate 100 MG extended release tablets.",
            ["24 HR ardvone succinate 100 MG extended release tablets"],
        ),
        ("We can use a neural network for this.", []),
        ("1. Lupus\n2. Gout\n3.", ["Lupus", "Gout"]),
        ("The total is:\n3.", ["3"]),
        ("<<<PASSAGE 81ab03cd\nLupus\nPASSAGE 81ab03cd>>>", ["Lupus"]),
    ],
)
def test_prose_of_a_small_model(answer: str, facts: list[str]) -> None:
    """E1, E2, E4, E6, E7 where a phrase could be cut in two, or be none."""
    assert found(answer) == facts


def test_a_name_of_the_truth_that_begins_with_a_number_is_whole() -> None:
    name = "24 HR ardvone succinate 100 MG Extended Release Oral Tablet"
    assert found(f"They take {name}.", truth=[name, "40"]) == [name]


def test_what_is_said_again_is_read_once_and_a_huge_number_has_no_value() -> None:
    assert found("It is lupus. " * 20_000, truth=["7"]) == ["lupus"]
    assert score_answer("How many?", ["7"], "9" * 1_000_000).completeness == 0


@pytest.mark.parametrize(
    "label", ["Confidence: 87", "Confidence level: 87 %", "Sources: Ardvey Yearbook, p. 4"]
)
def test_what_a_label_says_of_the_answer_is_no_fact(label: str) -> None:
    """E4: unless it is what the question asks for."""
    assert found(f"48\n{label}", "How many libraries are there?", ["48"]) == ["48"]
    assert found('{"answer": 48, "confidence": 87}', "How many are there?", ["48"]) == ["48"]
    assert found("Confidence: 87", "What is the confidence of the estimate?", ["9"]) == ["87"]


@pytest.mark.parametrize(
    ("answer", "facts"),
    [
        ("One female patient; the other nine are male.", ["One", "nine", "male"]),
        ("There is one female patient.", ["one"]),
        ("Only one.", ["one"]),
        ("The one female patient that I looked for is not there.", []),
    ],
)
def test_one_is_a_count_where_it_says_how_many(answer: str, facts: list[str]) -> None:
    """C asks the text: a right count is said in any form."""
    assert found(answer, "How many female patients are in the cohort?", ["1"]) == facts
