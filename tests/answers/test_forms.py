"""E9: what an answer shows is read, in whatever form; and what is left unread is known."""

from __future__ import annotations

import pytest

from factmark.answers.core.scores import score_answer
from factmark.text.markdown import unread

FILMS = "Which films did Ana Korvel direct?"
NAMES = ["The Salt Road", "Winter Harbour", "Nine Lanterns"]


@pytest.mark.parametrize(
    "answer",
    [
        "# 48\n\nEvery library counts once.",
        "**48**\n\nThat is how many libraries there are.",
        "**Total: 48**\n\nThis is a count over the register.",
        "48\n==\n\nLibraries.",
        '{"count": 48}',
        "```\n48\n```",
        '```json\n{"libraries": 48}\n```\nThese are the libraries.',
        "<p>48</p>",
        "> 48",
        "Number of libraries | 48",
    ],
)
def test_a_number_in_any_form(answer: str) -> None:
    score = score_answer("How many libraries are there?", ["48"], answer)
    assert (score.completeness, score.hallucination_rate) == (1, 0), score.facts


@pytest.mark.parametrize(
    "answer",
    [
        "### The Salt Road\nSeen.\n\n### Winter Harbour\nSeen.\n\n### Nine Lanterns\nSeen.",
        "**The Salt Road**\n\n**Winter Harbour**\n\n**Nine Lanterns**",
        '```json\n{"films": ["The Salt Road", "Winter Harbour", "Nine Lanterns"]}\n```',
        'Here they are:\n\n["The Salt Road", "Winter Harbour", "Nine Lanterns"]',
        '{"The Salt Road": true, "Winter Harbour": true, "Nine Lanterns": true}',
        'As JSON:\n{\n "director": "Ana Korvel",\n "films": ["The Salt Road", "Winter Harbour",\n '
        '"Nine Lanterns"]\n}\nThese are all films.',
        "```\nThe Salt Road, Winter Harbour\nNine Lanterns, Winter Harbour\n```",
        "```csv\nname\nThe Salt Road\nWinter Harbour\nNine Lanterns\n```",
        "```\nThe Salt Road\nWinter Harbour\nNine Lanterns\n```",
        "<ul><li>The Salt Road</li><li>Winter Harbour</li><li>Nine Lanterns</li></ul>",
        "| | The Salt Road | Winter Harbour | Nine Lanterns |\n|---|---|---|---|\n"
        "| Director | Ana Korvel | Ana Korvel | Ana Korvel |",
        "1. The Salt Road\n2. Winter Harbour\n3. Nine Lanterns",
        "> The Salt Road, Winter Harbour and Nine Lanterns",
    ],
)
def test_names_in_any_form(answer: str) -> None:
    score = score_answer(FILMS, NAMES, answer)
    assert (score.completeness, score.hallucination_rate) == (1, 0), score.facts


@pytest.mark.parametrize(
    "answer",
    [
        "## Glass Orchard\nSeen.\n\n## Silent Ferry\nSeen.",
        "**Glass Orchard**\n\n**Silent Ferry**",
        '["Glass Orchard", "Silent Ferry"]',
        "| Property | Glass Orchard | Silent Ferry |\n|---|---|---|\n| Place | Korvel | Korvel |",
        "<ol><li>Glass Orchard</li><li>Silent Ferry</li></ol>",
    ],
)
def test_invented_names_cost_h_in_any_form(answer: str) -> None:
    score = score_answer(FILMS, NAMES, answer)
    assert [fact.text for fact in score.facts] == ["Glass Orchard", "Silent Ferry"]
    assert score.hallucination_rate == 1


def test_headings_that_only_head_state_nothing() -> None:
    answer = (
        "## Overview\n\nSee below.\n\n## Key findings\n\nWinter Harbour.\n\n## Cast notes\n\nNone."
    )
    assert [fact.text for fact in score_answer(FILMS, NAMES, answer).facts] == ["Winter Harbour"]


def test_keys_of_json_after_a_line_of_text_are_no_facts() -> None:
    answer = 'As JSON:\n{\n  "harbour_town": "Bergen",\n  "film": "Winter Harbour"\n}\nSee below.'
    facts = [fact.text for fact in score_answer(FILMS, NAMES, answer).facts]
    assert facts == ["Bergen", "Winter Harbour"]


def test_heads_of_a_table_and_keys_of_json_are_no_facts() -> None:
    table = "| Film | Shooting place |\n|---|---|\n| Winter Harbour | Bergen |"
    facts = [fact.text for fact in score_answer(FILMS, NAMES, table).facts]
    assert facts == ["Winter Harbour", "Bergen"]
    fence = '```json\n{"shooting_place": "Bergen", "film": "Winter Harbour"}\n```'
    facts = [fact.text for fact in score_answer(FILMS, NAMES, fence).facts]
    assert facts == ["Bergen", "Winter Harbour"]


def test_numbers_in_cells_of_csv_stay_apart() -> None:
    fence = "```csv\nKorvel,120,300\nLind,210,400\n```"
    facts = [fact.text for fact in score_answer("Which?", [], fence).facts]
    assert facts == ["Korvel", "120", "300", "Lind", "210", "400"]


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        ("```sparql\nSELECT ?x\nWHERE {}\n```\n48", ["a SPARQL query of 2 lines"]),
        ("```\nSELECT ?x WHERE { ?x a ?y }\n```\n48", ["a SPARQL query of 1 line"]),
        ("```python\nprint(48)\n```", ["code of 1 line"]),
        ("Run `SELECT ?x WHERE {}`.", ["a query in the text"]),
        ("See [the list](https://example.org).", ["the target of 1 link"]),
        ('<tool_call>{"name": "count"}</tool_call> 48', ["a call of a tool"]),
        ("```json\n[48]\n```", []),
        ("It is 48.", []),
    ],
)
def test_what_is_not_read_is_told(answer: str, told: list[str]) -> None:
    assert unread(answer) == told


def test_marks_stand_on_what_was_read() -> None:
    answer = '# Winter Harbour\n\n```json\n{"film": "Silent Ferry"}\n```\n'
    facts = score_answer(FILMS, NAMES, answer).facts
    assert [answer[fact.start : fact.end] for fact in facts] == ["Winter Harbour", "Silent Ferry"]
    assert [fact.match for fact in facts] == ["Winter Harbour", None]
