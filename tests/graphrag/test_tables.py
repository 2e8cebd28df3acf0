"""The tables of graphs that are used for answering, and of what a question set covers."""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from rich.console import Console

from factmark.graph_answers.comparison_tables import board_tables, controls_table
from factmark.graph_answers.core.records import NONE, TEXT, Given, GraphAnswer, GraphQuestion
from factmark.graph_answers.core.scores import kind_of_abstention
from factmark.graph_answers.questions.coverage import coverage_table
from factmark.graph_answers.report import first_sentence, graphrag_report
from factmark.graph_answers.score_tables import context_table, scores_table, strata_table
from factmark.graphs.published import accuracy_table
from factmark.report.latex import latex_table
from factmark.report.layouts import DataTable, markdown_table
from factmark.report.terminal import fitting_tables
from hostile import HOSTILE
from page import CONTROLS
from sample_graphrag import (
    SYSTEMS,
    hostile_graphrag,
    sample_answers,
    sample_graphrag,
    summarised,
)


def printed(table: DataTable) -> str:
    console = Console(width=80, file=io.StringIO(), color_system=None)
    for part in fitting_tables(table, 80):
        console.print(part)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def values(table: DataTable, line: int) -> list[str]:
    return [cell.value for cell in table.lines[line].cells]


def test_a_line_per_system_with_what_is_undefined_as_a_dash() -> None:
    results = sample_graphrag()
    table = scores_table(results)
    assert [line.labels for line in table.lines] == [(name,) for name in SYSTEMS]
    score = results.scores["diabetes"].overall
    first = values(table, 0)
    assert first[3:] == [str(score.total), "4"]
    assert table.rows()[0]["correct_answers"] == score.correct_answers
    assert any(note.startswith("Missing: diabetes 2 unparsed, 2 failed") for note in table.notes)
    assert first[0] == f"{score.correct_answers / score.total:.2f}"
    assert values(table, 3)[1:3] == ["–", "–"]
    lost = [
        replace(each, label=None, status="left", reply="", abstained=False)
        for each in sample_answers(5, (NONE,))
    ]
    made = summarised(lost, (NONE,))
    assert "–: no score for none: none of the 5 answers has a verdict." in scores_table(made).notes
    assert (board_tables(made), made.comparisons) == ({}, ())


def test_retrieval_is_called_by_words_unless_it_was_told_along_the_path() -> None:
    answers = sample_answers(20, ("diabetes", TEXT))

    def heads(told: Sequence[GraphAnswer]) -> list[str]:
        table = scores_table(summarised(told, ("diabetes", TEXT)))
        return [column.name for column in table.columns]

    on_path = [
        replace(each, given=replace(each.given, held_by="path")) if each.system != TEXT else each
        for each in answers
    ]
    assert "found by words" in heads(answers)
    assert "found on path" not in heads(answers)
    assert {"found by words", "found on path"} <= set(heads(on_path))
    assert not {"retrieval"} & {*heads(answers), *heads(on_path)}
    both = summarised(on_path, ("diabetes", TEXT))
    assert any("do not compare" in note for note in scores_table(both).notes)
    ways = [set(both.scores[name].overall.retrieval_by) for name in ("diabetes", TEXT)]
    assert ways == [{"path"}, {"words"}]


def test_terminal_at_80_columns_keeps_every_number_whole() -> None:
    results = sample_graphrag(samples=3, people=True)
    for table in (*graphrag_report(results).tables.values(), accuracy_table()):
        text = printed(table)
        assert max(map(len, text.splitlines())) <= 80, table.title
        cells = [cell for line in table.lines for cell in line.cells]
        assert all(cell.value in text and cell.interval in text for cell in cells)
    for table in (scores_table(results), controls_table(results)):
        assert "continued" not in printed(table), table.title


def test_abstentions_have_a_column_for_each_kind() -> None:
    made = sample_graphrag()
    table = context_table(made)
    for line, name in enumerate(SYSTEMS):
        silent = [each for each in made.run.answers if each.system == name and each.abstained]
        kinds = [kind_of_abstention(each) for each in silent]
        expected = [kinds.count(kind) for kind in ("right", "overlooked", "not found", None)]
        assert values(table, line)[6:] == [str(n) for n in expected]
    wrong = replace(made.run.answers[0], abstained=True, given=Given(named=True))
    assert values(context_table(summarised([wrong], ("diabetes",))), 0)[6:] == ["0", "0", "0", "1"]


def test_strata_have_a_line_per_value_and_system() -> None:
    table = strata_table(sample_graphrag())
    assert table is not None
    groups = [line.labels[0] for line in table.lines if line.starts_group]
    assert groups == [
        "topic: anatomy",
        "topic: complications",
        "topic: diagnosis",
        "topic: drugs",
        "hops: 1",
        "hops: 2",
        "level: –",
        "level: easy",
        "level: hard",
        "kind: choice",
        "kind: text",
        "kind: yes-no",
    ]
    assert len(table.lines) == len(groups) * len(SYSTEMS)
    alike = [
        replace(each, question=replace(each.question, strata={}, kind="text"))
        for each in sample_answers(4)
    ]
    assert strata_table(summarised(alike, SYSTEMS)) is None


def test_strata_of_many_values_are_folded_and_a_note_says_so() -> None:
    def with_strata(one: GraphAnswer) -> GraphAnswer:
        place = int(one.question.id[1:])
        strata = {
            "row": f"r{place}",
            "hops": "1" if place % 2 else "2",
            "field": f"f{place % 25}" if place < 50 else "f7",
        }
        return replace(one, question=replace(one.question, strata=strata))

    made = summarised([with_strata(each) for each in sample_answers(210)], SYSTEMS)
    table = strata_table(made)
    assert table is not None
    groups = [line.labels[0] for line in table.lines if line.starts_group]
    fields = [name for name in groups if name.startswith("field")]
    assert (len(fields), "field: f7" in fields) == (20, True)
    assert not [name for name in groups if name.startswith("row")]
    notes = "\n".join(table.notes)
    assert "row has 210 values: none is shown here, 200 of them in results.json." in notes
    assert "field has 25 values: the 20 with the most" in notes
    assert "hops has" not in notes
    assert len(made.scores[NONE].strata["row"]) == 200


def test_comparisons_name_the_graph_first_and_the_board_is_over_graphs_alone() -> None:
    results = sample_graphrag()
    table = controls_table(results)
    assert [line.labels for line in table.lines] == [
        ("diabetes", TEXT),
        ("diabetes", NONE),
        ("seed graph", TEXT),
        ("seed graph", NONE),
    ]
    pair = results.comparisons[1]
    tally = [str(n) for n in (pair.wins, pair.ties, pair.losses)]
    assert values(table, 1)[4:7] == tally
    assert any("Holm's over the 4 pairs" in note for note in table.notes)
    assert any(note.startswith("A − B over all questions") for note in table.notes)
    board, pairs = board_tables(results).values()
    assert [line.labels for line in board.lines] == [("1", "diabetes"), ("2", "seed graph")]
    assert [line.labels for line in pairs.lines] == [("diabetes", "seed graph")]
    assert board_tables(sample_graphrag(systems=("diabetes", NONE))) == {}
    # A page has one interval for one number: that of the table of scores.
    assert [column.name for column in board.columns] == ["group", "ranks", "n", "missing"]
    assert all(not cell.interval for line in board.lines for cell in line.cells)


@pytest.mark.parametrize("text", HOSTILE.values(), ids=list(HOSTILE))
def test_hostile_text_stays_in_its_cell(text: str) -> None:
    for table in graphrag_report(hostile_graphrag(text[:200])).tables.values():
        markdown, latex = markdown_table(table), latex_table(table)
        width = len(table.label_names) + len(table.columns)
        rows = [line for line in markdown.splitlines() if line.startswith("|")]
        assert {len(re.findall(r"(?<!\\)\|", line)) for line in rows} == {width + 1}
        assert "<script" not in markdown
        body = latex[latex.index(r"\toprule") : latex.index(r"\bottomrule")]
        assert {len(re.findall(r"(?<!\\)&", line)) for line in body.splitlines()} == {0, width - 1}
        for made in (markdown, latex, printed(table)):
            made.encode()
            assert not CONTROLS.search(made)


def asked(name: str, **fields: Any) -> GraphQuestion:
    usual = {"id": name, "text": "?", "kind": "text", "references": ("x",)}
    return GraphQuestion(**(usual | fields))


ASKED = [
    asked(
        "1",
        strata={"topic": "drugs", "hops": "1"},
        answerable=True,
        triples=(("a", "treats", "b"),),
    ),
    asked(
        "2",
        kind="yes-no",
        strata={"topic": "drugs", "hops": "2"},
        answerable=True,
        triples=(("a", "isa", "b"),),
    ),
    asked("3", strata={"topic": "drugs"}, answerable=False),
    asked("4", kind="choice", options=("x", "y"), strata={"topic": "anatomy", "hops": "1"}),
    asked("5"),
]


def covered(table: DataTable) -> dict[str, dict[str, object]]:
    """Label of a line -> what machines are given of it."""
    rows = [dict(zip(table.record_names, record, strict=True)) for record in table.records]
    return {line.labels[0]: row for line, row in zip(table.lines, rows, strict=True)}


def test_what_questions_cover_is_counted_by_topic() -> None:
    table = coverage_table(ASKED)
    rows = covered(table)
    assert list(rows) == ["anatomy", "drugs", "no topic", "all"]
    assert rows["drugs"] == {
        "topic": "drugs",
        "questions": 3,
        "text": 2,
        "choice": 0,
        "yes-no": 1,
        "hops_1": 1,
        "hops_2": 1,
        "hops_none": 1,
        "answerable": 2,
        "unanswerable": 1,
        "unknown": 0,
        "with_triples": 2,
    }
    assert rows["all"]["questions"] == 5
    assert [line.overall for line in table.lines] == [False, False, False, True]
    counts = {
        name: row["questions"] for name, row in covered(coverage_table(ASKED, by="hops")).items()
    }
    assert counts == {"1": 2, "2": 1, "no hops": 2, "all": 5}
    strata = {"topic": "\x1b[31m<b>\n| x", "hops": "\u202e<i>"}
    text = markdown_table(coverage_table([asked("1", strata=strata)]))
    assert not any(piece in text for piece in ("\x1b", "\u202e", "<b>", "<i>"))


def test_the_sentence_tells_graphs_the_best_first_then_what_is_without() -> None:
    results = sample_graphrag()
    shown = {name: f"{each.overall.estimate.value:.2f}" for name, each in results.scores.items()}
    sentence = first_sentence(results).sentence
    assert sentence.startswith(f"Of 40 questions, a share of {shown['diabetes']} [")
    places = [
        sentence.index(part)
        for part in (
            "is answered correctly with the graph diabetes",
            f"{shown['seed graph']} [",
            f"{shown[TEXT]} [",
            "from passages alone",
            f"{shown[NONE]} [",
            "without a graph",
            "answered by openai:answerer, judged by openai:judge",
            "16 of 160 answers without",
        )
    ]
    assert places == sorted(places)


def test_labels_of_people_on_each_system_make_the_sentence_theirs() -> None:
    results = sample_graphrag(samples=3, people=True)
    corrected = results.corrections["diabetes"].corrected.value
    sentence = first_sentence(results).sentence
    assert sentence.startswith(f"Of 40 questions, a share of {corrected:.2f} [")
    assert "as people would judge" in sentence
    some = {name: each for name, each in results.corrections.items() if name == "diabetes"}
    alone = replace(results, corrections=some)
    assert "as people would judge" not in first_sentence(alone).sentence


def test_without_a_verdict_there_is_no_accuracy() -> None:
    lost = [replace(each, label=None, status="failed") for each in sample_answers(5, (NONE,))]
    sentence = first_sentence(summarised(lost, (NONE,))).sentence
    assert sentence == (
        "Of 5 questions, none has an answer with a verdict, so there is no accuracy."
    )
