"""The tables and the chart of graphs that are used for answering."""

import dataclasses
import io
import re

import pytest
from rich.console import Console

from factmark.graphrag.cards import TONES, became
from factmark.graphrag.core.outcomes import NONE, TEXT, Given, Outcome
from factmark.graphrag.core.results import summarise
from factmark.graphrag.core.scores import silence
from factmark.graphrag.page import answer_chart
from factmark.graphrag.tables import (
    accuracy_table,
    against_table,
    answer_tables,
    board_tables,
    context_table,
    scores_table,
    strata_table,
)
from factmark.tables.latex import latex_table
from factmark.tables.layouts import DataTable, markdown_table
from factmark.tables.terminal import fitting_tables
from hostile import HOSTILE
from page import CONTROLS
from sample_graphrag import QUICK, SYSTEMS, hostile_graphrag, sample_graphrag, sample_outcomes


def printed(table: DataTable, width: int = 80) -> str:
    console = Console(width=width, file=io.StringIO(), color_system=None)
    for made in fitting_tables(table, width):
        console.print(made)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def test_a_line_per_system_with_what_is_undefined_as_a_dash() -> None:
    results = sample_graphrag()
    table = scores_table(results)
    assert [line.labels for line in table.lines] == [(name,) for name in SYSTEMS]
    score = results.scores["diabetes"].overall
    first = [cell.value for cell in table.lines[0].cells]
    assert first[4:] == [f"{score.correct_answers}/{score.total}", "2/0/2/0"]
    assert first[0] == f"{score.correct_answers / score.total:.2f}"
    assert [cell.value for cell in table.lines[3].cells][1:4] == ["–", "–", "–"]


def test_a_system_without_any_verdict_says_why() -> None:
    lost = [
        dataclasses.replace(one, label=None, status="left", reply="", abstained=False)
        for one in sample_outcomes(5, (NONE,))
    ]
    made = summarise(lost, systems=(NONE,), model="m", judge="j")
    assert "none: no score, none of the 5 answers has a verdict (–)." in scores_table(made).notes
    assert [len(board_tables(made)), made.comparisons] == [0, ()]


@pytest.mark.parametrize("samples", [1, 3])
def test_terminal_at_80_columns_keeps_every_number_whole(samples: int) -> None:
    results = sample_graphrag(samples=samples, people=True)
    for table in (*answer_tables(results), accuracy_table()):
        text = printed(table)
        assert max(map(len, text.splitlines())) <= 80, table.title
        for line in table.lines:
            for cell in line.cells:
                assert cell.value in text
                assert cell.interval in text
    for table in (scores_table(results), context_table(results), against_table(results)):
        assert "continued" not in printed(table), table.title


def test_two_rules_in_one_column_are_told() -> None:
    def told(outcomes: list[Outcome]) -> bool:
        made = summarise(outcomes, systems=SYSTEMS, model="m", judge="j", options=QUICK)
        return any(
            note.startswith("Retrieval is by two rules") for note in scores_table(made).notes
        )

    outcomes = sample_outcomes(4)
    assert not told(outcomes)
    named = dataclasses.replace(outcomes[0].question, triples=(("a", "r", "b"),))
    assert told([dataclasses.replace(outcomes[0], question=named), *outcomes[1:]])


def test_abstentions_add_up_in_one_cell() -> None:
    made = sample_graphrag()
    cells = [line.cells[4].value for line in context_table(made).lines]
    assert context_table(made).columns[4].name == "r/o/n/u"
    for name, cell in zip(SYSTEMS, cells, strict=True):
        silent = [one for one in made.outcomes if one.system == name and one.abstained]
        told = [silence(one) for one in silent]
        assert cell == "/".join(
            str(told.count(kind)) for kind in ("right", "overlooked", "not found", None)
        )
        assert len(told) == 6
    one = dataclasses.replace(made.outcomes[0], abstained=True, given=Given(in_graph=True))
    table = context_table(summarise([one], systems=("diabetes",), model="m", judge="j"))
    assert table.lines[0].cells[4].value == "0/0/0/1"  # wrong, and untold which


def test_strata_have_a_line_per_value_and_system() -> None:
    table = strata_table(sample_graphrag())
    assert table is not None
    groups = [line.labels[0] for line in table.lines if line.starts_group]
    assert groups == [
        "topic: anatomy", "topic: complications", "topic: diagnosis", "topic: drugs",
        "hops: 1", "hops: 2", "level: –", "level: easy", "level: hard",
        "kind: choice", "kind: text", "kind: yes-no",
    ]  # fmt: skip
    assert len(table.lines) == len(groups) * len(SYSTEMS)
    one = [dataclasses.replace(o, question=dataclasses.replace(o.question, strata={}, kind="text"))
           for o in sample_outcomes(4)]  # fmt: skip
    assert strata_table(summarise(one, systems=SYSTEMS, model="m", judge="j")) is None


def test_strata_of_many_values_are_folded_and_a_note_says_so() -> None:
    def with_strata(one: Outcome) -> Outcome:
        place = int(one.question.id[1:])
        strata = {"row": f"r{place}", "hops": "1" if place % 2 else "2",
                  "field": f"f{place % 25}" if place < 50 else "f7"}  # fmt: skip
        return dataclasses.replace(one, question=dataclasses.replace(one.question, strata=strata))

    outcomes = [with_strata(one) for one in sample_outcomes(210)]
    made = summarise(outcomes, systems=SYSTEMS, model="m", judge="j", options=QUICK)
    table = strata_table(made)
    assert table is not None
    groups = [line.labels[0] for line in table.lines if line.starts_group]
    fields = [name for name in groups if name.startswith("field")]
    assert (len(fields), "field: f7" in fields) == (20, True)
    assert not [name for name in groups if name.startswith("row")]
    assert {"hops: 1", "hops: 2", "kind: text"} <= set(groups)
    notes = "\n".join(table.notes)
    assert "row has 210 values: none is shown here, 200 of them in graphrag.json." in notes
    assert (
        "field has 25 values: the 20 with the most questions are shown here, all of them in"
        in notes
    )
    assert "hops has" not in notes
    assert {len(scores.strata["row"]) for scores in made.scores.values()} == {200}
    assert len(made.scores[NONE].strata["field"]) == 25


def test_comparisons_name_the_graph_first() -> None:
    results = sample_graphrag()
    table = against_table(results)
    assert [line.labels for line in table.lines] == [
        ("diabetes", TEXT), ("diabetes", NONE), ("seed graph", TEXT), ("seed graph", NONE),
    ]  # fmt: skip
    made = results.comparisons[1]
    assert table.lines[1].cells[2].value == f"{made.wins}/{made.ties}/{made.losses}"
    assert any("Holm's over the 4 pairs" in note for note in table.notes)
    assert any(note.startswith("A − B over all questions") for note in table.notes)


def test_the_leader_board_is_over_graphs_alone() -> None:
    board, pairs = board_tables(sample_graphrag())
    assert [line.labels for line in board.lines] == [("1", "diabetes"), ("2", "seed graph")]
    assert [line.labels for line in pairs.lines] == [("diabetes", "seed graph")]
    assert board_tables(sample_graphrag(systems=("diabetes", NONE))) == ()
    # A page has one interval for one number: that of the table of scores.
    assert [column.name for column in board.columns] == ["group", "ranks", "n", "missing"]
    assert all(not cell.interval for line in board.lines for cell in line.cells)
    assert {len(line.cells) for line in board.lines} == {4}


def test_published_figures_are_marked_as_doubtful() -> None:
    text = markdown_table(accuracy_table())
    assert "| LLM | 50.2 | 69 | 1 |" in text
    assert "| GraphMERT | 59.4 | 69 | 2 |" in text
    assert "not measured here" in text


def test_the_chart_counts_every_answer_once() -> None:
    results = sample_graphrag()
    chart = answer_chart(results)
    assert [bar.name for bar in chart.bars] == list(SYSTEMS)
    for bar, name in zip(chart.bars, SYSTEMS, strict=True):
        score = results.scores[name].overall
        counts = {part.verdict: part.count for part in bar.segments}
        assert sum(counts.values()) == bar.total == 40
        assert counts.get("correct, in context", 0) == score.correct_held
        assert counts.get("no verdict", 0) == score.missing.total
        assert sum(n for kind, n in counts.items() if kind.startswith("abstained")) == 6
    assert [kind for kind, _ in chart.kinds] == [
        kind for kind in TONES if any(became(one) == kind for one in results.outcomes)
    ]


@pytest.mark.parametrize("text", HOSTILE.values(), ids=list(HOSTILE))
def test_hostile_text_stays_in_its_cell(text: str) -> None:
    for table in answer_tables(hostile_graphrag(text[:200])):
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
